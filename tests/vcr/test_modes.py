"""Record modes, misses, and how `use_cassette` is used."""

from __future__ import annotations

import asyncio
import json
import pickle
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.record_mode import RecordMode

import recorder
from recorder.provider import Provider

Make = Callable[..., Any]


def models(path: Path) -> list[tuple[str, int]]:
    """What is stored: which model was asked for, and the length of the answer."""
    return [
        (json.loads(each.request.body or b"{}").get("model"), len(each.response.body))
        for each in recorder.load_cassette(path).interactions
    ]


def put(path: Path, call: Make, *asked: str, mode: str = "once") -> list[Any]:
    with recorder.use_cassette(path, mode):
        return [call(model).by("httpx2") for model in asked]


def test_none_makes_no_request(call: Make, client: str, tmp_path: Path) -> None:
    """No socket is opened, with a cassette and without; the exception is vcrpy's, and says what to do."""
    path, asked = tmp_path / "a.yaml", len(call("").provider.requests)
    with recorder.use_cassette(path, mode="none") as used:
        missed = call("chat-lf").by(client)
        assert [miss.uri for miss in used.misses] == [call("").url]
    assert "UnmatchedRequest: no recorded answer for POST" in missed.error
    assert "does not exist" in missed.error
    assert "nothing is recorded yet: use 'once' to record it" in missed.error
    assert "new_episodes" not in missed.error
    put(path, call, "json-200")
    with recorder.use_cassette(path, mode="none"):
        missed = call("chat-lf").by(client)
    assert "body $.model: recorded 'json-200', here 'chat-lf'" in missed.error
    assert "use 'new_episodes' to add it" in missed.error
    assert "PLANTED" not in missed.error
    assert len(call("").provider.requests) == asked + 1


def test_a_port_that_is_another_in_each_run_is_told_apart(tmp_path: Path) -> None:
    """A recording of a server on the loopback: the message says what to compare instead, and that works."""
    path, words = tmp_path / "a.yaml", ("method", "scheme", "host", "path", "query", "body")

    def ask(provider: Provider, **options: Any) -> None:
        body, headers = {"model": "json-200"}, {"authorization": f"Bearer {provider.key}"}
        with recorder.use_cassette(path, **options), httpx2.Client(verify=provider.ssl_context()) as client:
            assert client.post(f"{provider.url}/v1/chat/completions", json=body, headers=headers).status_code == 200

    with Provider() as first, Provider() as second:
        ask(first)
        with pytest.raises(CannotOverwriteExistingCassetteException) as caught:
            ask(second, mode="none")
        assert str(caught.value).splitlines()[-1] == f"a server whose port is another in each run: match_on={words!r}"
        ask(second, mode="none", match_on=words)
        assert second.requests == ()


@pytest.mark.parametrize("mode", ["once", "all", "rewrite", "new_episodes"])
def test_what_cannot_be_stored_is_not_requested(call: Make, client: str, tmp_path: Path, mode: str) -> None:
    """It would be made, and lost when the block ends."""
    (tmp_path / "file").write_text("")
    asked = len(call("").provider.requests)
    with recorder.use_cassette(tmp_path / "file" / "a.yaml", mode=mode) as used:
        missed = call("chat-lf").by(client)
    assert "cannot be written: Not a directory, no request was made" in missed.error
    assert (used.recorded, len(call("").provider.requests)) == (0, asked)


def test_what_may_differ_is_told_as_it_is_written(tmp_path: Path) -> None:
    """Members of the body, if they are all that differs: the line is pasted, and that works."""
    path, url = tmp_path / "a.yaml", "https://api.example.com/v1/chat"
    asked = recorder.Request("POST", url, {}, b'{"seed":1,"n":[1,2],"a b":0}')
    recorder.save_cassette(recorder.Cassette((recorder.Interaction(asked, recorder.Response(200)),)), path)

    def ask(body: object, to: str = url, **options: Any) -> str:
        with recorder.use_cassette(path, mode="none", **options):
            try:
                httpx2.post(to, json=body)
            except CannotOverwriteExistingCassetteException as missed:
                return str(missed).splitlines()[-1]
        return "played"

    body: dict[str, Any] = {"seed": 2, "n": [1, 3], "a b": 1}
    differing = ["$.seed", "$.n[1]", "$['a b']"]
    assert sorted(eval(ask(body).removeprefix("what may differ from what was recorded: ignore="))) == sorted(differing)
    assert ask(body, ignore=differing) == "played"
    assert ask(body, url + "s").startswith("the record mode")
    assert ask({name: name for name in "abcd"}).startswith("the record mode")


def test_no_socket_is_opened(call: Make, client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to answer nor to refuse, nor is a name looked up."""
    path, opened = put_one(call, tmp_path), []

    def noted(*arguments: Any, **options: Any) -> None:
        opened.append(arguments)
        raise OSError("a socket was opened")

    asked, missed = call("chat-lf"), call("chat-crlf")
    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.setattr(socket, "getaddrinfo", noted)
    with recorder.use_cassette(path, mode="none"):
        assert len(asked.by(client).body) == 2440
        assert "UnmatchedRequest" in missed.by(client).error
    assert opened == []
    assert asked.by(client).error != ""
    assert opened != []


def test_one_cassette_for_every_client(call: Make, client: str, tmp_path: Path) -> None:
    """What one client recorded, compressed on the wire, the others replay."""
    path = tmp_path / "a.yaml"
    put(path, call, "chat-gzip")
    (interaction,) = recorder.load_cassette(path).interactions
    with recorder.use_cassette(path, mode="none"):
        played = call("chat-gzip").by(client)
    assert played.body == interaction.response.body
    assert played.body.startswith((b"data: {", b": "))
    assert played.body.endswith(b"data: [DONE]\n\n")


def test_a_miss_is_of_vcrpys_type(call: Make, tmp_path: Path) -> None:
    """With its attributes; it goes between processes."""
    import httpx2

    path, request = put_one(call, tmp_path), call("chat-crlf")
    with (
        recorder.use_cassette(path),
        httpx2.Client() as client,
        pytest.raises(CannotOverwriteExistingCassetteException) as caught,
    ):
        client.post(request.url, json=request.json)
    error: Any = caught.value
    assert (type(error).__module__, type(error).__qualname__) == ("recorder.vcr", "UnmatchedRequest")
    assert error.reason == "no_match"
    assert error.miss.to_dict()["nearest"][0]["interaction"] == 1
    assert (error.failed_request.method, error.failed_request.body) == ("POST", None)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_miss_for_what_was_played_says_how_it_is_played_again(call: Make, tmp_path: Path) -> None:
    """What the attempts of a client that retries need."""
    with recorder.use_cassette(put_one(call, tmp_path)):
        assert call("chat-lf").by("httpx").error == ""
        assert "asks the same again: allow_playback_repeats=True" in call("chat-lf").by("httpx").error


def put_one(call: Make, tmp_path: Path) -> Path:
    put(tmp_path / "one.yaml", call, "chat-lf")
    return tmp_path / "one.yaml"


def test_once_records_once(call: Make, tmp_path: Path) -> None:
    """A file that exists is never written again; each interaction plays once; repeats may be allowed."""
    path = tmp_path / "a.yaml"
    put(path, call, "chat-lf", "json-200")
    before, asked = path.read_bytes(), len(call("").provider.requests)
    again = put(path, call, "json-200", "chat-lf", "chat-lf", "html-200")
    assert [len(each.body) for each in again] == [274, 2440, 0, 0]
    assert "was played already" in again[2].error
    assert (path.read_bytes(), len(call("").provider.requests)) == (before, asked)
    with recorder.use_cassette(path, allow_playback_repeats=True) as used:
        assert [len(call("chat-lf").by("httpx").body) for _ in range(3)] == [2440] * 3
        assert (used.played, used.unplayed) == (3, (1,))
        used.rewind()
        assert (used.played, used.unplayed) == (0, (0, 1))


def test_new_episodes_adds(call: Make, tmp_path: Path) -> None:
    """What is there plays, what is not is recorded behind it."""
    path = tmp_path / "a.yaml"
    put(path, call, "chat-lf")
    asked = len(call("").provider.requests)
    put(path, call, "json-200", "chat-lf", mode="new_episodes")
    assert len(call("").provider.requests) == asked + 1
    assert models(path) == [("chat-lf", 2440), ("json-200", 274)]


def test_all_replaces_what_it_matches(call: Make, tmp_path: Path) -> None:
    """Everything is asked for anew; what was not asked for stays."""
    path = tmp_path / "a.yaml"
    put(path, call, "chat-lf", "json-200", "html-200")
    asked = len(call("").provider.requests)
    put(path, call, "json-200", "chat-crlf", mode="all")
    assert len(call("").provider.requests) == asked + 2
    assert [model for model, _ in models(path)] == ["chat-lf", "html-200", "json-200", "chat-crlf"]


def test_rewrite_starts_over(call: Make, tmp_path: Path) -> None:
    """Only what was recorded now; and where nothing was, the file is as it was."""
    path = tmp_path / "a.yaml"
    put(path, call, "chat-lf", "json-200")
    put(path, call, mode="rewrite")
    assert [model for model, _ in models(path)] == ["chat-lf", "json-200"]
    put(path, call, "html-200", mode="rewrite")
    assert [model for model, _ in models(path)] == ["html-200"]


def test_what_others_wrote_meanwhile_stays(call: Make, tmp_path: Path) -> None:
    """Two that record into one file lose nothing."""
    path = tmp_path / "a.yaml"
    with recorder.use_cassette(path):
        call("chat-lf").by("httpx2")
        with recorder.use_cassette(path):
            call("json-200").by("httpx2")
    assert [model for model, _ in models(path)] == ["json-200", "chat-lf"]


def test_an_empty_file_is_none_and_a_broken_one_is_an_error(call: Make, tmp_path: Path) -> None:
    """A broken cassette is never recorded over."""
    path = tmp_path / "a.yaml"
    path.touch()
    put(path, call, "json-200")
    assert [model for model, _ in models(path)] == ["json-200"]
    path.write_text("interactions: {", "utf-8")
    with pytest.raises(recorder.CassetteError, match=r"a\.yaml:\d"):
        put(path, call, "json-200")
    assert path.read_text("utf-8") == "interactions: {"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "sometimes"}, "one of none, once, new_episodes, all, rewrite"),
        ({"match_on": ["colour"]}, "match_on names 'colour'"),
        ({"ignore": ["$"]}, "is not a JSON path"),
        ({"ignore": "seed"}, "take a list"),
        ({"match_on": "path"}, "take a list"),
        ({"plan": "chunks=some"}, "chunks"),
    ],
)
def test_unknown_settings_are_refused_at_once(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    """When `use_cassette` is called, not at the first request."""
    with pytest.raises(ValueError, match=message):
        recorder.use_cassette(tmp_path / "a.yaml", **options)


def test_vcrpys_modes_are_taken(call: Make, tmp_path: Path) -> None:
    """Its enumeration has the same values."""
    with recorder.use_cassette(tmp_path / "a.yaml", RecordMode.NONE):
        assert "UnmatchedRequest" in call("chat-lf").by("httpx").error


def test_what_may_differ_and_what_counts(call: Make, tmp_path: Path) -> None:
    """`ignore` and `match_on`."""
    path = tmp_path / "a.yaml"
    with recorder.use_cassette(path):
        call("chat-lf", extra={"seed": 1}).by("httpx2")
    with recorder.use_cassette(path, ignore=["$.seed"]):
        assert len(call("chat-lf", extra={"seed": 2}).by("requests").body) == 2440
    with recorder.use_cassette(path, match_on=["method", "path"]):
        assert len(call("chat-crlf").by("aiohttp").body) == 2440
    with recorder.use_cassette(path, match_on=iter(["method", "path", "body"]), ignore=iter(["$.seed"])):
        assert "UnmatchedRequest" in call("chat-crlf").by("httpx").error
        assert len(call("chat-lf", extra={"seed": 2}).by("httpx").body) == 2440


def test_a_plan_is_for_replay_only(call: Make, client: str, tmp_path: Path) -> None:
    """While recording it changes nothing; then it cuts the stream, and leaves other answers alone."""
    path = tmp_path / "a.yaml"
    with recorder.use_cassette(path, plan="end=reset@event:2"):
        assert len(call("chat-lf").by(client).body) == 2440
        call("json-200").by(client)
    with recorder.use_cassette(path, plan=["end=incomplete@event:2", "chunks=bytes:100"], allow_playback_repeats=True):
        cut, whole = call("chat-lf").by(client), call("chat-lf").by(client)
        other = call("json-200").by(client)
    assert cut.body == whole.body[: len(cut.body)] != b""
    assert cut.error != ""
    assert len(whole.body) == 2440
    assert {len(piece) for piece in whole.pieces[:-1]} == {100}
    assert (len(other.body), other.error) == (274, "")


def test_a_response_left_open_is_named(call: Make, tmp_path: Path) -> None:
    """By its method and address, without the query."""
    import httpx2

    path, request = put_one(call, tmp_path), call("chat-lf")
    with recorder.use_cassette(path) as used, httpx2.Client() as client:
        response = client.send(client.build_request("POST", request.url, json=request.json), stream=True)
        assert used.open_responses == ("POST https://127.0.0.1/v1/chat/completions",)
        response.close()
        assert used.open_responses == ()


def test_residue_leaves_no_file(call: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes from leaving the block; when the block failed itself, as a note to that."""
    import recorder.sanitize._save as save

    monkeypatch.setattr(save, "sanitized", refuse)
    path = tmp_path / "a.yaml"
    with pytest.raises(recorder.ResidueError):
        put(path, call, "json-200")

    @recorder.use_cassette(path)
    def failing() -> None:
        call("json-200").by("httpx2")
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        failing()
    assert "was not written: refused" in caught.value.__notes__[0]
    assert not path.exists()


def refuse(*_: Any) -> Any:
    raise recorder.ResidueError("refused")


# -- as a decorator ---------------------------------------------------------------------------------------------------


def test_every_kind_of_function(call: Make, tmp_path: Path) -> None:
    """Functions, coroutines, generators and asynchronous ones; each call opens the cassette anew."""
    path = put_one(call, tmp_path)
    use = recorder.use_cassette(path, mode="none")

    @use
    def plain(client: str) -> int:
        """What it does."""
        return len(call("chat-lf").by(client).body)

    @use
    async def coroutine() -> int:
        return len((await call("chat-lf").aby("httpx2-async")).body)

    @use
    def generator() -> Iterator[int]:
        yield len(call("chat-lf").by("httpx").body)

    @use
    async def async_generator() -> AsyncIterator[int]:
        yield len((await call("chat-lf").aby("aiohttp")).body)

    async def all_of_it() -> list[int]:
        return [each async for each in async_generator()]

    assert (plain("httpx"), plain("requests"), plain.__name__, plain.__doc__) == (2440, 2440, "plain", "What it does.")
    assert asyncio.run(coroutine()) == 2440
    assert list(generator()) == [2440]
    assert asyncio.run(all_of_it()) == [2440]


def test_async_with(call: Make, tmp_path: Path) -> None:
    """The same as `with`."""
    path = put_one(call, tmp_path)

    async def chat() -> int:
        async with recorder.use_cassette(path) as used:
            await call("chat-lf").aby("httpx-async")
            return used.played

    assert asyncio.run(chat()) == 1


def test_one_object_is_not_nested_in_itself(tmp_path: Path) -> None:
    """It says what to do instead; one after the other is fine."""
    use = recorder.use_cassette(tmp_path / "a.yaml")
    with use, pytest.raises(RuntimeError, match="call use_cassette again"), use:
        pass
    with use:
        pass


def test_the_cassette_is_at_hand(call: Make, tmp_path: Path, quick: Provider) -> None:
    """As opened; and after the block as stored."""
    with recorder.use_cassette(tmp_path / "a.yaml") as used:
        call("json-200").by("httpx2")
        assert used.cassette.interactions == ()
    assert len(used.cassette.interactions) == 1
    assert quick.key not in repr(used)


def test_the_file_is_where_it_was_named(call: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the block goes to another folder."""
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with recorder.use_cassette("a.yaml") as used:
        call("chat-lf").by("httpx")
        monkeypatch.chdir("other")
    assert [model for model, _ in models(tmp_path / "a.yaml")] == ["chat-lf"]
    assert not (tmp_path / "other" / "a.yaml").exists()
    assert len(used.cassette.interactions) == 1


def test_a_sanitizer_of_ones_own(call: Make, tmp_path: Path) -> None:
    """It cleans what is stored and what is matched: prompts of which only the shape is kept are found again."""
    path, shape = tmp_path / "a.yaml", recorder.Sanitizer.default(text="shape")
    with recorder.use_cassette(path, sanitizer=shape):
        live = call("chat-lf").by("httpx2")
    text = path.read_text("utf-8")
    assert "PLANTED" not in text
    assert "Hello, reader" not in text
    with recorder.use_cassette(path, sanitizer=shape):
        played = call("chat-lf").by("httpx2")
    assert (played.error, list(map(len, played.pieces))) == ("", list(map(len, live.pieces)))
    with recorder.use_cassette(path):
        assert "body $.messages[0].content" in call("chat-lf").by("httpx2").error
