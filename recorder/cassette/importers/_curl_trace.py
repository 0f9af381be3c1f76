"""The trace of `curl -i -N --trace-time --trace-ascii FILE` or `--trace FILE`: the one format with pieces and times.

Rule: a piece is what one read gave, without the transfer framing in it. `--trace-ascii` shows not every byte: the bytes
come from what curl printed, between the records or in a file of its own, if that fits the dump. Without it the line
ends of an event stream are told from its grammar, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Chunk, EndKind, Request, Response, StreamEnd
from recorder.cassette.importers._curl_records import Kind, Record, Trace, fits, is_trace, read_trace
from recorder.cassette.importers._draft import NO_HOST, Draft, converted
from recorder.cassette.importers._http import Framing, framing, head_at, response_head
from recorder.cassette.importers._protocol import Source

NAME = "curl trace"
_SECURE = re.compile(rb"(?:SSL|TLS) connection using|ALPN[:,]")
_LINE_ENDS = re.compile(rb"\.{1,2}(?=(?:data|event|id|retry):|\Z)|\.\.(?=: )|(?<=\.)\.(?=:\Z)")
_ENDS = (
    (
        re.compile(rb"transfer closed with|bytes missing|unexpected eof|stream \S+ was not closed cleanly"),
        EndKind.INCOMPLETE,
    ),
    (re.compile(rb"[Cc]onnection reset|Recv failure"), EndKind.RESET),
    (re.compile(rb"timed out|Timeout was reached"), EndKind.TIMEOUT),
    (re.compile(rb"Failed writing|Failure writing|aborted"), EndKind.CLIENT_CLOSED),
)


def sniff(path: Path, head: bytes) -> bool:
    """A line of a trace: `== Info:`, `=> Send header`, with or without a time before it."""
    return is_trace(head)


def load(source: Source) -> Converted:
    """The cassette in a trace."""
    trace = read_trace(source)
    printed = _Printed(source, trace.output)
    drafts = [_draft(source, trace.exact, exchange, printed) for exchange in _exchanges(trace)]
    if not drafts:
        raise source.fail("no response in the trace: nothing came, or it was cut off")
    return converted(NAME, drafts)


class _Printed:
    """What curl printed, to be read from the front: one body after the other, with or without their heads (`-i`).

    In a file of its own it must fit the trace. Between the records it may also be something else, a progress meter say.
    """

    def __init__(self, source: Source, between: bytes) -> None:
        self._source = source
        self._output = between if source.body is None else source.body
        self._at = 0

    def body(self, head: bytes, shown: bytes) -> bytes | None:
        """The bytes of the next body; None when there is nothing but the trace.

        Args:
            head: that of its response, as the trace shows it.
            shown: the body as the trace shows it.

        Raises:
            CassetteError: what was printed is not such a body.
        """
        if fits(head, self._output[self._at : self._at + len(head)]):
            self._at += len(head)
        body = self._output[self._at : self._at + len(shown)]
        self._at += len(shown)
        if fits(shown, body):
            return body
        if self._source.body is None:
            return None
        raise self._source.fail(
            "what curl printed does not fit its trace; take both from one run without --compressed, or use --trace, "
            "which shows every byte"
        )


@dataclass(slots=True)
class _Exchange:
    """The records of one request and its response."""

    sent: list[Record] = field(default_factory=list)
    head: list[Record] = field(default_factory=list)
    data: list[Record] = field(default_factory=list)
    infos: list[Record] = field(default_factory=list)
    secure: bool = False
    end_s: float | None = None

    def bytes_of(self, kind: Kind) -> bytes:
        return b"".join([record.shown for record in [*self.sent, *self.head] if record.kind is kind])

    def received(self) -> bytes:
        return b"".join([record.shown for record in self.data])


def _exchanges(trace: Trace) -> Iterator[_Exchange]:
    now, secure = _Exchange(), False
    for record in trace.records:
        if record.kind is Kind.SENT_HEAD and now.head:
            yield now
            now = _Exchange()
        if record.kind is Kind.RECEIVED_HEAD and now.data:
            continue  # a trailer
        secure = secure or (record.kind is Kind.INFO and _SECURE.search(record.shown) is not None)
        now.secure, now.end_s = secure, record.at_s
        {
            Kind.INFO: now.infos,
            Kind.SENT_HEAD: now.sent,
            Kind.SENT_DATA: now.sent,
            Kind.RECEIVED_HEAD: now.head,
            Kind.RECEIVED_DATA: now.data,
        }[record.kind].append(record)
    if now.head:
        yield now


def _draft(source: Source, exact: bool, exchange: _Exchange, printed: _Printed) -> Draft:
    raw_head = exchange.bytes_of(Kind.RECEIVED_HEAD)
    head = response_head(raw_head)
    status = head.status() if head else None
    if head is None or status is None:
        raise source.fail("a response whose head does not end; was the trace cut off?")
    unknown: set[Unknown] = set()
    received = exchange.received()
    framed = framing(head.headers, received, dots=not exact)
    if framed.broken_at is not None:
        raise source.fail(f"the chunked framing of a response is broken at its byte {framed.broken_at}")
    body = framed.content(received)
    if not exact and body:
        whole = printed.body(raw_head, body)
        if whole is None:
            unknown.add(Unknown.DOTS)
        body = _told(body) if whole is None else whole
    arrivals = list(_arrivals(exchange, framed.pieces))
    if exchange.head[-1].at_s is None:
        unknown.add(Unknown.TIMES)
    end = _end(exchange, framed, arrivals)
    response = Response(status[0], head.headers, body, _chunks(exchange, arrivals), end, status[1])
    head_s = _between(exchange.sent[-1].at_s if exchange.sent else None, exchange.head[-1].at_s)
    return Draft(_request(exchange, unknown), response, unknown, head_s, http=status[2])


def _request(exchange: _Exchange, unknown: set[Unknown]) -> Request:
    head = head_at(exchange.bytes_of(Kind.SENT_HEAD))
    line = head.request() if head else None
    if head is None or line is None:
        unknown |= {Unknown.REQUEST, Unknown.HOST}
        return Request("POST", f"{NO_HOST}/")
    host, target = head.headers.first("host"), line[1]
    base = f"{'https' if exchange.secure else 'http'}://{host}" if host else NO_HOST
    body = exchange.bytes_of(Kind.SENT_DATA)
    return Request(line[0], target if "://" in target else base + target, head.headers, body or None)


def _told(shown: bytes) -> bytes:
    """The body with the dots that end lines by the grammar of event streams made line feeds."""
    if b"\r\n" in shown:
        return shown
    return _LINE_ENDS.sub(lambda match: b"\n" * len(match[0]), shown)


def _arrivals(exchange: _Exchange, pieces: list[tuple[int, int]]) -> Iterator[tuple[float | None, int]]:
    """Time and size of each read that brought content; what only brought framing is passed over."""
    start = number = 0
    for record in exchange.data:
        end, size = start + len(record.shown), 0
        while number < len(pieces):
            size += max(0, min(end, pieces[number][1]) - max(start, pieces[number][0]))
            if pieces[number][1] > end:
                break
            number += 1
        start = end
        if size:
            yield record.at_s, size


def _chunks(exchange: _Exchange, arrivals: list[tuple[float | None, int]]) -> tuple[Chunk, ...]:
    before_s, chunks = exchange.head[-1].at_s, []
    for at_s, size in arrivals:
        chunks.append(Chunk(_between(before_s, at_s) or 0.0, size))
        before_s = at_s
    return tuple(chunks)


def _end(exchange: _Exchange, framed: Framing, arrivals: list[tuple[float | None, int]]) -> StreamEnd | None:
    said = b"\n".join([record.shown for record in exchange.infos])
    kind = next((kind for pattern, kind in _ENDS if pattern.search(said)), None)
    if kind is None and (framed.ended or (framed.ended is None and b"left intact" in said)):
        kind = EndKind.COMPLETE
    elif kind is None and framed.ended is None and b"losing connection" in said:
        kind = EndKind.EOF
    if kind is None:
        return None
    ended_s = exchange.data[-1].at_s if framed.ended and exchange.data else exchange.end_s
    return StreamEnd(kind, _between(arrivals[-1][0] if arrivals else exchange.head[-1].at_s, ended_s) or 0.0)


def _between(earlier_s: float | None, later_s: float | None) -> float | None:
    return None if earlier_s is None or later_s is None else max(0.0, round(later_s - earlier_s, 6))
