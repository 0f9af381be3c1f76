"""Real SDKs read recorded streams: whole, byte by byte and at a hundred cuts they come to the one right result."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anthropic
import groq
import httpx
import httpx2
import openai
import pytest
import requests

import recorder
from recorder.adapters import VirtualClock
from recorder.adapters.httpx import AsyncReplayTransport, ReplayTransport, package_of
from recorder.cassette import Headers, Interaction, Request, Response, dump_cassette
from recorder.vcr import AmbiguousCassetteError

ASKED: Any = [{"role": "user", "content": "Say hello in five languages."}]
HOST = "https://loopback.invalid"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
CHAT = (
    "Hello, reader. 你好，世界。مرحبا بالعالم. नमस्ते दुनिया। One line\u2028or two? "
    f'A family: {FAMILY}. A "quote", a \\ and a\nnew line. The word [DONE] ends nothing. 再见 👋'
)
CALLS = [
    ("get_weather", '{"city":"Zürich ☀"}'),
    ("get_time", '{"zone":"Europe/Zurich","utc":false}'),
]
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name, _ in CALLS
]  # fmt: skip


# -- reading, as an application does ----------------------------------------------------------------------------------


def chat_result(chunks: list[Any]) -> Any:
    text, finish, tokens = "", None, None
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        tokens = chunk.usage.total_tokens if chunk.usage else tokens
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or ():
                known = calls.setdefault(call.index, ["", ""])
                known[0] += call.function.name or ""
                known[1] += call.function.arguments or ""
    return text, finish, tokens, [tuple(call) for call in calls.values()]


def responses_result(events: list[Any]) -> Any:
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    return text, events[-1].type, events[-1].response.status, events[-1].response.output_text


def messages_result(events: list[Any]) -> Any:
    text = "".join(event.delta.text for event in events if event.type == "content_block_delta")
    stop = [(event.delta.stop_reason, event.usage.output_tokens) for event in events if event.type == "message_delta"]
    return text, stop, events[-1].type


@dataclass(frozen=True)
class Case:
    """One SDK and one cassette of the gallery.

    Attributes:
        client, aclient: made with `http_client`, or with their own if that is None.
        create: what starts a stream, of either client.
        result: what an application makes of the events.
        right: the right one.
    """

    id: str
    cassette: str
    client: Callable[..., Any]
    aclient: Callable[..., Any]
    create: Callable[[Any], Any]
    result: Callable[[list[Any]], Any]
    right: Any


def make(sdk: Any, path: str = "") -> Callable[..., Any]:
    return lambda **given: sdk(**{"api_key": "none", "base_url": f"{HOST}{path}", **given})


def chat(model: str, **more: Any) -> Callable[[Any], Any]:
    return lambda client: client.chat.completions.create(model=model, messages=ASKED, stream=True, **more)


OPENAI = make(openai.OpenAI, "/v1"), make(openai.AsyncOpenAI, "/v1")
ANTHROPIC = make(anthropic.Anthropic), make(anthropic.AsyncAnthropic)
GROQ = make(groq.Groq), make(groq.AsyncGroq)
CASES = [
    Case("openai chat", "chat-lf", *OPENAI, chat("chat-lf"), chat_result, (CHAT, "stop", 75, [])),
    Case(
        "openai chat tools", "chat-tools", *OPENAI, chat("chat-tools", tools=TOOLS), chat_result,
        ("", "tool_calls", None, CALLS),
    ),
    Case(
        "openai responses", "responses", *OPENAI,
        lambda client: client.responses.create(model="responses", input=ASKED[0]["content"], stream=True),
        responses_result,
        ("Hello from a response. 再见 👋", "response.completed", "completed", "Hello from a response. 再见 👋"),
    ),
    Case(
        "anthropic", "anthropic", *ANTHROPIC,
        lambda client: client.messages.create(model="anthropic", messages=ASKED, max_tokens=64, stream=True),
        messages_result,
        ("Hello from a message: naïve, 日本, 👋.", [("end_turn", 12)], "message_stop"),
    ),
    Case("groq", "chat-lf", *GROQ, chat("chat-lf"), chat_result, (CHAT, "stop", 75, [])),
]  # fmt: skip
CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
MATCH_ON = ("method", "host", "body")  # groq has a path of its own


def use(case: Case, plan: Any, **given: Any) -> Any:
    given = {"allow_playback_repeats": True, "match_on": MATCH_ON} | given
    return recorder.use_cassette(recorder.gallery()[case.cassette], "none", plan=plan, **given)


def body_of(case: Case) -> bytes:
    return recorder.load_cassette(recorder.gallery()[case.cassette]).interactions[-1].response.body


async def gathered(stream: Awaitable[AsyncIterator[Any]]) -> list[Any]:
    return [event async for event in await stream]


# -- one result for every partition -----------------------------------------------------------------------------------


@CASE
def test_the_result_is_the_same_whole_byte_by_byte_and_at_a_hundred_cuts(case: Case) -> None:
    """Sync: each plan is that of one attempt."""
    size = len(body_of(case))
    plans = ["chunks=whole", "chunks=recorded", "chunks=bytes:1", "chunks=hostile", "chunks=hostile; edit=gzip"]
    plans += [f"chunks=at:{1 + number * (size - 2) // 99}" for number in range(100)]
    with case.client() as client, use(case, plans) as session:
        for plan in plans:
            assert case.result(list(case.create(client))) == case.right, plan
        assert session.played == 105
        assert session.open_responses == ()


def test_cr_lf_makes_no_difference() -> None:
    """Cut between CR and LF too."""
    plans = ["chunks=whole", "chunks=bytes:1", "chunks=hostile"]
    given: Any = {"plan": plans, "allow_playback_repeats": True}
    with OPENAI[0]() as client, recorder.use_cassette(recorder.gallery()["chat-crlf"], "none", **given):
        for _ in plans:
            assert chat_result(list(chat("chat-crlf")(client))) == (CHAT, "stop", 75, [])


@CASE
def test_an_async_client_comes_to_the_same_result(case: Case) -> None:
    """The same, from coroutines: twenty at a time."""
    size = len(body_of(case))
    plans = ["chunks=whole", "chunks=recorded", "chunks=bytes:1", "chunks=hostile", "chunks=hostile; edit=br"]
    plans += [f"chunks=at:{1 + number * (size - 2) // 99}" for number in range(100)]

    async def read() -> None:
        async with case.aclient() as client:
            for start in range(0, len(plans), 21):
                several = plans[start : start + 21]
                for events in await asyncio.gather(*(gathered(case.create(client)) for _ in several)):
                    assert case.result(events) == case.right, several

    with use(case, plans) as session:
        asyncio.run(read())
        assert session.played == 105
        assert session.open_responses == ()


@CASE
def test_a_client_with_a_transport_of_its_own_needs_no_cassette_in_force(case: Case) -> None:
    """The transport serves both packages, sync and async."""
    with case.client() as client:
        package = {"httpx": httpx, "httpx2": httpx2}[package_of(client._client)]
    source = recorder.load_cassette(recorder.gallery()[case.cassette])
    given: Any = {"match_on": MATCH_ON, "repeat": True}
    transport = ReplayTransport(source, "chunks=bytes:7", **given)
    with case.client(http_client=package.Client(transport=transport)) as client:
        assert case.result(list(case.create(client))) == case.right

    async def read() -> Any:
        transport = AsyncReplayTransport(source, "chunks=bytes:7", **given)
        async with case.aclient(http_client=package.AsyncClient(transport=transport)) as client:
            return case.result(await gathered(case.create(client)))

    assert asyncio.run(read()) == case.right


# -- ends -------------------------------------------------------------------------------------------------------------

FAULT = (openai.OpenAIError, httpx.HTTPError, httpx2.HTTPError)
WRAPPED = (anthropic.APIConnectionError, groq.APIConnectionError)
FAULTS = {
    # plan: what openai raises and its cause; what the other SDKs let through
    "end=reset@event:3": (openai.APIConnectionError, "ReadError"),
    "end=incomplete@event:3": (openai.APIConnectionError, "RemoteProtocolError"),
    "end=stall@event:3": (openai.APITimeoutError, "ReadTimeout"),
}


@CASE
@pytest.mark.parametrize("plan", FAULTS)
def test_a_fault_in_the_stream_is_the_sdks_own_error(case: Case, plan: str) -> None:
    """After what came before it, at once, with the plan in the chain; nobody tries again after the head."""
    wrapped, name = FAULTS[plan]
    clock, seen = VirtualClock(), []
    started = time.monotonic()
    with case.client(timeout=300) as client, use(case, plan, clock=clock) as session:
        with pytest.raises(FAULT) as caught:
            seen.extend(case.create(client))  # one by one: what came before the fault stays
        assert session.played == 1
        assert session.open_responses == ()
    error: Any = caught.value
    if case.id.startswith("openai") and openai.__version__ >= "3":  # before that, and the others: as it comes
        assert type(error) is wrapped
        error = error.__cause__
    assert type(error) in (getattr(httpx, name), getattr(httpx2, name))
    assert error.__notes__ == [f"plan: {plan}"]
    assert len(seen) == 3 - (case.id == "anthropic" and 1)  # its ping is not handed on
    assert clock.now == (300.0 if "stall" in plan else 0.0)
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("case", [CASES[0], CASES[3], CASES[4]], ids=lambda case: case.id)
def test_an_sdk_waits_ten_minutes_by_default_which_cost_nothing(case: Case) -> None:
    """Async, with the SDK's own timeout."""
    clock = VirtualClock()

    async def read() -> None:
        async with case.aclient() as client:
            await gathered(case.create(client))

    with use(case, "end=stall@event:2", clock=clock), pytest.raises(FAULT) as caught:
        asyncio.run(read())
    assert type(caught.value).__name__ in ("APITimeoutError", "ReadTimeout")
    assert clock.now in (60.0, 600.0)  # groq's is one minute


@CASE
@pytest.mark.parametrize("place", ["event:3", "head"])
def test_an_sdk_without_a_timeout_is_told_that_it_would_hang(case: Case, place: str) -> None:
    """By our own exception, in the chain if the SDK wraps it."""
    with (
        case.client(timeout=None, max_retries=0) as client,
        use(case, f"end=stall@{place}"),
        pytest.raises((recorder.ReplayStalled, openai.APIConnectionError, *WRAPPED)) as caught,
    ):
        list(case.create(client))
    error: Any = caught.value
    stalled = error if isinstance(error, recorder.ReplayStalled) else error.__cause__
    assert type(stalled) is recorder.ReplayStalled
    assert stalled.__notes__ == [f"plan: end=stall@{place}"]


def test_requests_without_a_timeout_is_told_that_it_would_hang() -> None:
    """Which is its default."""
    case = CASES[0]
    body = {"model": "chat-lf", "stream": True, "messages": ASKED}
    with use(case, "end=stall@event:3") as session:
        with (
            requests.post(f"{HOST}/v1/chat/completions", json=body, stream=True) as response,
            pytest.raises(recorder.ReplayStalled),
        ):
            list(response.iter_lines())
        assert session.open_responses == ()


@CASE
def test_a_clean_end_in_the_middle_is_no_error_to_an_sdk(case: Case) -> None:
    """It hands on what there is and says nothing: this is what contracts are for."""
    with case.client() as client, use(case, "end=eof@event:2"):
        assert 0 < len(list(case.create(client))) <= 2


# -- attempts ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs wait half a second before they try again; that is not what is tested here."""
    for sdk in (openai, anthropic, groq):
        monkeypatch.setattr(sdk._base_client, "INITIAL_RETRY_DELAY", 0.001)


@CASE
@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("first", ["end=reset@head", "end=incomplete@head", "end=stall@head"])
def test_the_sdk_tries_again_when_the_first_attempt_fails_before_the_head(case: Case, first: str) -> None:
    """By its own rules; the second plan is the second attempt's."""
    with case.client() as client, use(case, [first, "chunks=bytes:11"]) as session:
        assert case.result(list(case.create(client))) == case.right
        assert session.played == 2
        assert session.open_responses == ()


@pytest.mark.usefixtures("_impatient")
def test_a_refused_first_attempt_is_replayed_as_it_was_recorded() -> None:
    """429 with its JSON body, which no plan touches, and then the stream."""
    with OPENAI[0]() as client, recorder.use_cassette(
        recorder.gallery()["retry-429"], "none", plan="chunks=bytes:3"
    ) as session:  # fmt: skip
        assert chat_result(list(chat("retry-429")(client))) == (CHAT, "stop", 75, [])
        assert (session.played, session.unplayed) == (2, ())


def test_a_callable_chooses_the_plan(tmp_path: Path) -> None:
    """From the request and the number of the attempt."""
    asked: list[tuple[str, int]] = []

    def plan(request: recorder.Request, index: int) -> str:
        asked.append((request.method, index))
        return f"chunks=bytes:{index + 1}"

    with OPENAI[0]() as client, use(CASES[0], plan):
        for _ in range(2):
            assert chat_result(list(chat("chat-lf")(client))) == CASES[0].right
    assert asked == [("POST", 0), ("POST", 1)]


def test_json_side_calls_are_not_touched(tmp_path: Path) -> None:
    """They come whole, and take no plan from a sequence."""
    models = b'{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"o"}]}'
    side = Interaction(
        Request("GET", f"{HOST}/v1/models"),
        Response(200, Headers({"content-type": "application/json"}), models, reason="OK"),
    )
    stored = recorder.load_cassette(recorder.gallery()["chat-lf"])
    file = tmp_path / "both.yaml"
    file.write_text(dump_cassette(replace(stored, interactions=(side, *stored.interactions))), "utf-8")
    given: Any = {"plan": ["end=reset@event:1", "chunks=bytes:1"], "allow_playback_repeats": True}
    with OPENAI[0]() as client, recorder.use_cassette(file, "none", **given) as session:
        for _ in range(3):
            assert [model.id for model in client.models.list()] == ["m"]
        with pytest.raises(FAULT):
            list(chat("chat-lf")(client))
        assert chat_result(list(chat("chat-lf")(client))) == (CHAT, "stop", 75, [])
        assert session.unplayed == ()


# -- what is left open ------------------------------------------------------------------------------------------------


@CASE
def test_a_stream_left_open_is_reported(case: Case) -> None:
    """By its address, until it is closed."""
    path = {"openai responses": "/v1/responses", "anthropic": "/v1/messages"}.get(case.id, "/v1/chat/completions")
    with case.client() as client, use(case, "chunks=events") as session:
        stream = case.create(client)
        assert next(iter(stream)) is not None
        assert session.open_responses == (f"POST {HOST}{path}",)
        stream.close()
        assert session.open_responses == ()


@CASE
def test_an_async_stream_left_open_is_reported(case: Case) -> None:
    """The same; a task that is cancelled in the middle leaves none behind, when it closes its stream as it should."""

    @asynccontextmanager
    async def opened(client: Any) -> AsyncIterator[Any]:
        stream = await case.create(client)
        try:
            yield stream
        finally:
            await stream.close()

    async def look() -> list[int]:
        counts = []
        async with case.aclient() as client:
            stream = await case.create(client)
            counts.append(len(session.open_responses))
            await stream.close()
            counts.append(len(session.open_responses))

            async def hang() -> None:
                async with opened(client) as stream:
                    async for _ in stream:
                        await asyncio.sleep(30)

            task = asyncio.create_task(hang())
            await asyncio.sleep(0.05)
            counts.append(len(session.open_responses))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [*counts, len(session.open_responses)]

    with use(case, "chunks=events") as session:
        assert asyncio.run(look()) == [1, 0, 1, 0]


# -- threads and tasks ------------------------------------------------------------------------------------------------


def test_each_of_forty_threads_has_an_attempt_of_its_own() -> None:
    """Threads that know of no cassette use the only one in force; every plan of the sequence is used once."""
    case, used = CASES[0], []

    def plan(request: recorder.Request, index: int) -> str:
        used.append(index)
        return f"chunks=bytes:{index + 1}" if index % 2 else "end=reset@event:3"

    def read(client: Any) -> Any:
        try:
            return case.result(list(case.create(client)))
        except FAULT:
            return None

    with case.client() as client, use(case, plan) as session, ThreadPoolExecutor(8) as threads:
        results = list(threads.map(read, [client] * 40))
        assert (session.played, session.open_responses) == (40, ())
    assert sorted(used) == list(range(40))
    assert results.count(case.right) == 20
    assert results.count(None) == 20


def test_threads_under_cassettes_of_their_own_do_not_meet() -> None:
    """One replays a reset, one a stall, one the whole, at the same time; a fourth has to bring its context."""
    plans = ["end=reset@event:3", "end=stall@event:3", "chunks=bytes:5"]
    inside = threading.Barrier(len(plans) + 1, timeout=20)

    def read(plan: str) -> Any:
        with CASES[0].client() as client, use(CASES[0], plan):
            inside.wait()
            try:
                return chat_result(list(chat("chat-lf")(client)))
            except FAULT as error:
                wrapped = isinstance(error, openai.OpenAIError) and error.__cause__
                return (wrapped or error).__notes__
            finally:
                inside.wait()

    with ThreadPoolExecutor(len(plans)) as threads, CASES[0].client(max_retries=0) as client:
        asked = [threads.submit(read, plan) for plan in plans]
        inside.wait()
        with pytest.raises((AmbiguousCassetteError, openai.APIConnectionError)) as caught:
            chat("chat-lf")(client)
        inside.wait()
        got = [each.result() for each in asked]
    told = caught.value if isinstance(caught.value, AmbiguousCassetteError) else caught.value.__cause__
    assert "copy_context" in str(told)
    assert got == [["plan: end=reset@event:3"], ["plan: end=stall@event:3"], CASES[0].right]


def test_tasks_under_cassettes_of_their_own_do_not_meet() -> None:
    """Each task has the cassette and the plan that it entered."""

    async def read(number: int) -> Any:
        case = CASES[number % len(CASES)]
        with use(case, f"chunks=bytes:{number + 1}") as session:
            async with case.aclient() as client:
                events = await gathered(case.create(client))
            return case.result(events) == case.right, session.played

    async def all_of_them() -> Any:
        return await asyncio.gather(*(read(number) for number in range(6)))

    assert asyncio.run(all_of_them()) == [(True, 1)] * 6
