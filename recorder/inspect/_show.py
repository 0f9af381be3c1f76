"""A cassette for people.

Rule: a cassette is untrusted input and a stream is somebody else's text: everything shown is escaped first, and is
never read as markup. This is one of the places that may show the content of a sanitized cassette; it does so only when
asked for events or bytes. One event, one chunk, one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group
from rich.text import Text

from recorder.cassette import Cassette, Headers, Interaction, Response
from recorder.inspect._escape import json_text, safe, safe_bytes
from recorder.inspect._facts import arrivals, chunk_list, describe, event_list, facts_of, is_event_stream

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 60


def show(cassette: Cassette, *, events: bool = False, chunk_bytes: bool = False) -> Group:
    """The cassette as something rich can print.

    Args:
        events: with the events and their data, one a line.
        chunk_bytes: with the bytes of the request and of each chunk, one a line.
    """
    lines: list[Text] = []
    for number, interaction in enumerate(cassette.interactions, 1):
        lines += [Text("")] if lines else []
        lines += _interaction(number, interaction)
        if events:
            lines += _events(interaction.response)
        if chunk_bytes:
            lines += _chunks(interaction)
    return Group(*lines) if lines else Group(Text("an empty cassette: no interactions"))


def show_json(cassette: Cassette, *, events: bool = False, chunk_bytes: bool = False) -> str:
    """`describe` as JSON text, in ASCII."""
    return json_text(describe(cassette, events=events, chunk_bytes=chunk_bytes))


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ignore")


def _interaction(number: int, interaction: Interaction) -> Iterator[Text]:
    facts, request, response = facts_of(interaction), interaction.request, interaction.response
    size = "" if request.body is None else f"  {len(request.body)} bytes"
    yield _line(f"{number}  {safe(request.method)} {safe(request.uri)}{size}", "bold")
    yield from _headers(request.headers)
    after = "" if facts["head_seconds"] is None else f"  after {facts['head_seconds'] * 1000:.0f} ms"
    wire = "".join(f"  {name.replace('_', ' ')} {value}" for name, value in facts["wire"].items())
    reason = f" {response.reason}" if response.reason else ""
    yield _line(safe(f"   {response.status}{reason}{after}{wire}"), "bold")
    yield from _headers(response.headers)
    events, dialect = _count(facts["events"], "event"), facts["dialect"] or "unknown"
    yield _line(f"   {facts['bytes']} bytes  {events}  {_known(response)}  dialect {dialect}")
    if response.chunks:
        yield _line(f"   {timeline(response)}", "cyan")
    yield _line(f"   end {_end(response)}")
    yield from _provenance(facts)


def _headers(headers: Headers) -> Iterator[Text]:
    for name, values in headers.items():
        for value in values:
            yield _line(f"     {safe(name)}: {safe(value)}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _known(response: Response) -> str:
    if response.chunks is None:
        return "chunks unknown"
    return f"{_count(len(response.chunks), 'chunk')} in {sum(chunk.delay_s for chunk in response.chunks):.3f} s"


def _end(response: Response) -> str:
    if response.end is None:
        return "unknown"
    seen = {None: "", True: ", terminal event seen", False: ", terminal event not seen"}[response.end.terminal_seen]
    return f"{response.end.kind} after {response.end.after_s * 1000:.0f} ms{seen}"


def _provenance(facts: dict[str, object]) -> Iterator[Text]:
    for name in ("outcome", "client", "imported", "extra"):
        members = facts[name]
        if isinstance(members, dict) and members:
            said = "  ".join(f"{key} {value}" for key, value in members.items())
            yield _line("   " + safe(said if name == "outcome" else f"{name}  {said}"))
    if facts["recorded"]:
        yield _line(
            "   " + safe(f"recorded {facts['recorded']}" + (f"  tool {facts['tool']}" if facts["tool"] else ""))
        )


def timeline(response: Response, width: int = WIDTH) -> str:
    """Bytes that arrived over time, as bars: the first column is the head, the last the last chunk."""
    times = arrivals(response)
    total = times[-1]
    columns = [0] * width
    for at_s, chunk in zip(times, response.chunks or (), strict=True):
        columns[int(at_s / total * (width - 1)) if total else 0] += chunk.size
    top = max(columns)
    return "".join(" " if not size else BARS[min(7, size * 8 // (top + 1))] for size in columns) + f" {total:.2f} s"


def _events(response: Response) -> Iterator[Text]:
    if not is_event_stream(response):
        yield _line("   not an event stream: --bytes shows the body")
        return
    rows = [
        (str(number), _seconds(each["at_seconds"]), str(each["offset"]), safe(each["type"]), safe(each["data"]))
        for number, each in enumerate(event_list(response), 1)
    ]
    yield from _aligned(("event", "at s", "at byte", "type", "data"), rows)


def _chunks(interaction: Interaction) -> Iterator[Text]:
    if interaction.request.body is not None:
        yield _line("   request  " + safe_bytes(interaction.request.body))
    response = interaction.response
    rows = [
        (str(number), _seconds(each["at_seconds"]), str(each["offset"]), str(each["size"]), safe_bytes(each["bytes"]))
        for number, each in enumerate(chunk_list(response), 1)
    ]
    yield from _aligned(("line" if response.chunks is None else "chunk", "at s", "at byte", "size", "bytes"), rows)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Text]:
    """Lines whose columns stand under each other, but for the last, which is as long as it is."""
    table = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    for number, row in enumerate(table):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield _line("   " + "  ".join([*cells, row[-1]]), "" if number else "bold")
