"""Never run: read by the type checker, so that the public interface has the types that users see."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import assert_type

import httpx
import httpx2

import recorder
import recorder.sweeps
from recorder.adapters.httpx import AsyncReplayTransport, ReplayTransport


def events(chunks: Iterable[bytes]) -> Iterator[str]:
    parser = recorder.EventStreamParser(
        utf8="strict", max_line=recorder.Limit(4, unit="utf16"), max_event=None, max_events=3, on_comment=print
    )
    assert_type(parser.feed(b""), list[recorder.Event])
    assert_type(parser.reconnection_time, int | None)
    assert_type(parser.last_event_id, str)
    parser.close()
    for event in recorder.iter_events(chunks, max_line=5):
        yield event.type + event.data + event.last_event_id


async def aevents(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    async for event in recorder.aiter_events(chunks, utf8="replace"):
        yield event.data


def verdicts(chunks: Iterable[bytes]) -> str:
    verdict = recorder.read(chunks, recorder.contracts.chat_text(profile="flowbar", max_line=3))
    if verdict.ok:
        assert_type(verdict, recorder.Accepted)
        return verdict.text or ""
    assert_type(verdict.code, recorder.FaultCode)
    return recorder.contracts.explain(verdict.code)


def heads() -> None:
    assert_type(recorder.check_head(200, {"content-type": "text/event-stream"}), recorder.FaultCode | None)


def cassettes(path: Path) -> None:
    cassette = recorder.load_cassette(path)
    assert_type(cassette, recorder.Cassette)
    assert_type(cassette.interactions, tuple[recorder.Interaction, ...])
    recorder.save_cassette(cassette, path, sanitizer=recorder.Sanitizer.default(secrets=("abcd",), secret_env=("A",)))
    assert_type(recorder.gallery(), dict[str, Path])


def replays(source: recorder.Interaction) -> None:
    clock = recorder.VirtualClock()
    assert_type(recorder.replay(source, "chunks=bytes:1", clock=clock), Iterator[bytes])
    assert_type(recorder.areplay(b"data: 1\n\n", recorder.Plan.parse("end=eof")), AsyncIterator[bytes])
    assert_type(clock.now, float)
    with recorder.serve(Path("chat.yaml"), ["end=eof", ""], repeat=True, tls=True, exact=True) as server:
        assert_type(server.url, str)
        assert_type(server.log[0].end, str | None)
        assert_type(server.ca_file, Path)
    command = recorder.sweeps.Command("node reader.mjs {url}")
    assert_type(recorder.sweep(command, [source, b"data: 1"]).ok, bool)
    report = recorder.sweep(lambda chunks: b"".join(chunks), source, kind="all")
    assert_type(report.ok, bool)


def clients(path: Path) -> None:
    with recorder.use_cassette(path, mode="none", plan=["end=eof@event:1", recorder.Plan()], ignore=["$.seed"]) as used:
        assert_type(used.cassette, recorder.Cassette)
        assert_type(used.unplayed, tuple[int, ...])
        assert_type(used.played + used.recorded, int)
        used.rewind()

    @recorder.use_cassette(path)
    def decorated(number: int) -> str:
        return str(number)

    assert_type(decorated(1), str)


def transports(source: recorder.Interaction) -> None:
    httpx.Client(transport=ReplayTransport(source, ["end=reset@head", recorder.Plan()], repeat=True))
    httpx2.Client(transport=ReplayTransport("chat.yaml", lambda request, index: f"chunks=bytes:{index + 1}"))
    httpx2.AsyncClient(transport=AsyncReplayTransport(source, clock=recorder.RealClock()))
    assert_type(ReplayTransport(source).open_responses.names, tuple[str, ...])
    assert_type(ReplayTransport(source).unplayed, tuple[int, ...])


def notebooks(path: Path) -> None:
    explorer = recorder.explore(path, reader=lambda chunks: b"".join(chunks), contract=recorder.contracts.chat())
    explorer.close()
    both = recorder.compare("chunks=bytes:1", recorder.Plan(), source=b"data: 1\n\n")
    assert_type(both.same, bool)
    assert_type(both.a.verdict, recorder.Accepted | recorder.Rejected | None)
    assert_type(recorder.plot_timing(path, "chat-lf", backend="svg").timings[0].events_per_s, float | None)
