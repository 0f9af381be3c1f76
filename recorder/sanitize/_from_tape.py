"""A tape as an interaction: decoded, cut where the pieces were cut, with the facts of the wire noted. Not yet clean."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from recorder.cassette import Chunk, EndKind, Headers, Interaction, Recording, Request, Response, StreamEnd
from recorder.coding import CodingError, decoder
from recorder.tape import Tape, TapedHead

_NOT_STORED = ("content-encoding", "content-length", "transfer-encoding")  # they would lie about the stored body


def interaction_from_tape(
    tape: Tape,
    *,
    terminal_seen: bool,
    recorded: datetime.datetime,
    client: Mapping[str, str],
    tool: str,
    outcome: Mapping[str, str],
) -> Interaction:
    """What the tape holds, in the storable model, unsanitized.

    Args:
        tape: a capture that has ended and got as far as a head.
        terminal_seen: whether the terminal event had arrived; decides between a complete end and a clean but early one.
        recorded: when the request was made, with a time zone.
        client, tool, outcome: facts to be noted as they are.

    Raises:
        ValueError: the tape has no head or no end.
        CodingError: the body's content coding cannot be undone.
    """
    if tape.request is None or tape.head is None or tape.end is None:
        raise ValueError("the tape has no head or no end yet: there is nothing to store")
    decoded = _decoded(tape, tape.head)
    if isinstance(decoded, CodingError):
        raise decoded  # from here, where no local variable holds a piece of the body
    body, chunks, last_s, whole = decoded
    kept = [(name, value) for name, value in tape.head.headers if name.lower() not in _NOT_STORED]
    return Interaction(
        Request(tape.request.method, tape.request.url, Headers(tape.request.headers), tape.request.body),
        Response(
            status=tape.head.status,
            headers=Headers(kept),
            body=body,
            chunks=chunks,
            end=_end(tape, terminal_seen, last_s),
            reason=tape.head.reason,
            recording=Recording(
                head_s=tape.head.at_s,
                wire=_wire(tape, tape.head) | ({} if whole else {"coding": "cut"}),
                recorded=recorded.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                client=client,
                tool=tool,
                outcome=outcome,
            ),
        ),
    )


def _decoded(tape: Tape, head: TapedHead) -> tuple[bytes, tuple[Chunk, ...], float, bool] | CodingError:
    """The decoded body, its chunks, the arrival of the last one, and whether the coding came to its end.

    A piece that decodes to nothing joins the next.

    Or a fresh error that says why not.
    """
    body, chunks, before = bytearray(), [], head.at_s
    try:
        made = decoder("" if tape.decoded else tape.header("content-encoding"))
        pieces = [(at_s, made.decode(piece)) for at_s, piece in tape.pieces]
    except CodingError as error:
        return CodingError(str(error))
    for at_s, data in pieces:
        if data:
            chunks.append(Chunk(at_s - before, len(data)))
            body += data
            before = at_s
    return bytes(body), tuple(chunks), before, made.complete or not tape.pieces


def _end(tape: Tape, terminal_seen: bool, last_s: float) -> StreamEnd:
    kind = EndKind(tape.end or "complete")
    if kind is EndKind.COMPLETE and not terminal_seen:
        kind = EndKind.EOF
    seen = terminal_seen if kind is EndKind.CLIENT_CLOSED else None
    return StreamEnd(kind, max(0.0, tape.end_s - last_s), seen)


def _wire(tape: Tape, head: TapedHead) -> dict[str, str]:
    wire = {"http": head.http_version}
    if tape.header("content-encoding"):
        wire["content_encoding"] = tape.header("content-encoding")
    if "chunked" in tape.header("transfer-encoding").lower():
        wire["framing"] = "chunked"
    elif head.http_version.startswith("1"):
        wire["framing"] = "length" if tape.header("content-length") else "close"
    return wire
