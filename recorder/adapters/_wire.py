"""What a server puts on the wire for one interaction under one plan (HTTP/1.1, RFC 9112), and when. No I/O, no clock.

Rule: a chunk of the plan is one piece of these bytes, and one transfer chunk where the framing is `chunked`. An end is
what its framing makes of it: an unclean one says less than was promised, and where nothing is promised (`close`)
`incomplete` cannot be told from a proper end.

    data: 1\\n\\n, reset      HTTP/1.1 200 OK\\r\\n...\\r\\n\\r\\n | 9\\r\\ndata: 1\\n\\n\\r\\n | reset
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from recorder.cassette import Interaction, Response
from recorder.coding import CodingError, Encoder, decoder, encoder
from recorder.plans import Contract, Deliver, End, Ending, Framing, Plan, Step, Wait, edited_body, steps

Sent = bytes | Wait | End

_CLEAN = (Ending.COMPLETE, Ending.EOF)
_OURS = ("content-encoding", "content-length", "transfer-encoding")  # these say what was on another wire
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_VALUE = re.compile(r"[\r\n\0]+[ \t]*")


def wire(
    interaction: Interaction, plan: Plan, *, method: str = "POST", contract: Contract | None = None
) -> Iterator[Sent]:
    """The pieces to send, the waits between them, and one end after all.

    Args:
        method: of the request; HEAD is answered with the head alone.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: at once, when the plan does not fit the interaction.
        CodingError: at once, when the package for the plan's content coding is not installed.
    """
    interaction = replace(interaction, response=_decoded(interaction.response))
    response = interaction.response
    todo = steps(plan, interaction, contract=contract)
    if method == "HEAD" or response.status in (204, 304) or 100 <= response.status < 200:
        return _sent(_head(response), (step for step in todo if not isinstance(step, Deliver)), bytes, b"")
    framing = Framing(plan.framing or Framing.CHUNKED)
    added: list[tuple[str, str]] = []
    if plan.encoding:
        added.append(("content-encoding", plan.encoding))
        whole = len(edited_body(plan, interaction, contract=contract))
        todo = _coded(todo, encoder(plan.encoding), whole)
    if framing is Framing.CHUNKED:
        added.append(("transfer-encoding", "chunked"))
        return _sent(_head(response, added), todo, _transfer_chunk, b"0\r\n\r\n")
    if framing is Framing.LENGTH:
        known = list(todo)
        whole = 0 if plan.encoding else len(edited_body(plan, interaction, contract=contract))
        added.append(("content-length", str(_promised(known, whole))))
        return _sent(_head(response, added), known, bytes, b"")
    return _sent(_head(response, [*added, ("connection", "close")]), todo, bytes, b"")


def _sent(head: bytes, todo: Iterable[Step], framed: Callable[[bytes], bytes], last: bytes) -> Iterator[Sent]:
    """The head where it belongs among the steps, the data framed, and the last bytes before a clean end."""
    waiting_for_head = True
    for step in todo:
        if waiting_for_head and (isinstance(step, Deliver) or not step.before_head):
            waiting_for_head = False
            yield head
        if isinstance(step, Deliver):
            yield framed(step.data)
        else:
            if last and isinstance(step, End) and step.ending in _CLEAN:
                yield last
            yield step


def _transfer_chunk(data: bytes) -> bytes:
    """RFC 9112 section 7.1."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _coded(todo: Iterable[Step], coding: Encoder, whole: int) -> Iterator[Step]:
    """The chunks content-coded, each complete in itself; only a body sent to its end gets the end of the coding."""
    for step in todo:
        if isinstance(step, Deliver):
            whole -= len(step.data)
            yield Deliver(coding.encode(step.data))
            continue
        if isinstance(step, End) and step.ending in _CLEAN and whole == 0 and (end := coding.finish()):
            yield Deliver(end)
        yield step


def _promised(known: list[Step], whole: int) -> int:
    """What `content-length` says: what is sent, or more than that when the reader is to notice that it is not all."""
    sent = sum(len(step.data) for step in known if isinstance(step, Deliver))
    last = known[-1]
    return sent if isinstance(last, End) and last.ending in _CLEAN else max(sent + 1, whole)


def _head(response: Response, added: Iterable[tuple[str, str]] = ()) -> bytes:
    lines = [f"HTTP/1.1 {response.status} {_NOT_IN_A_VALUE.sub(' ', response.reason)}"]
    headers = response.headers
    lines += [
        f"{name}: {_NOT_IN_A_VALUE.sub(' ', value)}"
        for name in headers
        if name.lower() not in _OURS and _TOKEN.fullmatch(name)
        for value in headers[name]
    ]
    lines += [f"{name}: {value}" for name, value in added]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


def _decoded(response: Response) -> Response:
    """`response` with its body as plain bytes: other tools store it as it was coded on the wire, some of the time."""
    coding = response.headers.first("content-encoding")
    if not coding or not response.body:
        return response
    try:
        body = decoder(coding).decode(response.body)
    except CodingError:
        return response  # the usual case: the header was kept, the body was stored decoded
    return replace(response, body=body, chunks=None)
