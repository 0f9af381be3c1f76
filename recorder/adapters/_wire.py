"""The bytes of a response in HTTP/1.1 (RFC 9112), and when they are sent. No I/O, no clock.

Rule: a chunk of the plan is one piece of these bytes, and one transfer chunk where the framing is `chunked`. An end is
what its framing makes of it: an unclean one says less than was promised, and where nothing is promised (`close`)
`incomplete` cannot be told from a proper end. Transfer chunks are whole, as those of a provider that vanishes are: the
last one is missing, which RFC 9112 section 8 calls incomplete, and what a client says of it is what it says of that.

    data: 1\\n\\n, reset      HTTP/1.1 200 OK\\r\\n...\\r\\n\\r\\n | 9\\r\\ndata: 1\\n\\n\\r\\n | reset
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recorder.adapters._message import CLEAN, Message, message
from recorder.cassette import Interaction
from recorder.plans import Contract, Deliver, End, Ending, Framing, Plan, Wait

Sent = bytes | Wait | End

LAST_CHUNK = b"0\r\n\r\n"


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
    return _sent(message(interaction, plan, method=method, contract=contract))


def head_bytes(message: Message, more: Iterable[tuple[str, str]] = ()) -> bytes:
    """The head: status line, headers, `more` headers, and what says where the body ends."""
    lines = [f"HTTP/1.1 {message.status} {message.reason}"]
    lines += [f"{name}: {value}" for name, value in (*message.headers, *_framed(message), *more)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")


def transfer_chunk(data: bytes) -> bytes:
    """RFC 9112 section 7.1."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def last_bytes(framing: Framing | None, ending: Ending) -> bytes:
    """What the framing still needs for this end."""
    return LAST_CHUNK if framing is Framing.CHUNKED and ending in CLEAN else b""


def _framed(message: Message) -> tuple[tuple[str, str], ...]:
    if message.framing is Framing.CHUNKED:
        return (("transfer-encoding", "chunked"),)
    if message.framing is Framing.LENGTH:
        return (("content-length", str(message.size)),)
    return () if message.framing is None else (("connection", "close"),)


def _sent(message: Message) -> Iterator[Sent]:
    """The head where it belongs among the steps, the data framed, and the last bytes before the end."""
    waiting_for_head = True
    for step in message.steps:
        if waiting_for_head and (isinstance(step, Deliver) or not step.before_head):
            waiting_for_head = False
            yield head_bytes(message)
        if isinstance(step, Deliver):
            yield transfer_chunk(step.data) if message.framing is Framing.CHUNKED else step.data
        else:
            if isinstance(step, End) and not waiting_for_head and (last := last_bytes(message.framing, step.ending)):
                yield last
            yield step
