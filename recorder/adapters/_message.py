"""One interaction under one plan as an HTTP response: its head, its framing, and its steps in their content coding.

Rule: the same for every version of HTTP and for a connection that is only played. No bytes of a protocol, no I/O, no
clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from recorder.cassette import Interaction, Response
from recorder.coding import CodingError, Encoder, decoder, encoder
from recorder.plans import Contract, Deliver, End, Ending, Framing, Plan, Step, edited_body, steps

CLEAN = (Ending.COMPLETE, Ending.EOF)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2
_NOT_IN_A_VALUE = re.compile(r"[\r\n\0]+[ \t]*")
_OF_ANOTHER_WIRE = frozenset(
    {
        "connection", "content-encoding", "content-length", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
        "alt-svc", "strict-transport-security",  # these would send a client elsewhere the next time
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A response that is about to be sent.

    Attributes:
        status, reason, headers: of the head, without what says how the body is framed; fit to be sent.
        steps: what is delivered, when, and how it ends; the data in its content coding.
        framing: how HTTP/1.1 says where the body ends; None where there is none (HEAD, 204, 304).
        size: what `content-length` says, where the framing is by length; more than is sent, where the reader is to
            notice that it is not all.
    """

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    steps: Iterable[Step] = field(repr=False)
    framing: Framing | None = None
    size: int = 0


def message(interaction: Interaction, plan: Plan, *, method: str = "POST", contract: Contract | None = None) -> Message:
    """What `plan` makes of the response.

    Args:
        method: of the request; HEAD is answered with the head alone.
        contract: says which event is the terminal one, for the place `terminal`; detected unless given.

    Raises:
        PlanError: at once, when the plan does not fit the interaction.
        CodingError: at once, when the package for the plan's content coding is not installed.
    """
    interaction = replace(interaction, response=_decoded(interaction.response))
    response = interaction.response
    todo: Iterable[Step] = steps(plan, interaction, contract=contract)
    headers = _headers(response)
    reason = _NOT_IN_A_VALUE.sub(" ", response.reason)
    if method == "HEAD" or response.status in (204, 304) or 100 <= response.status < 200:
        return Message(response.status, reason, headers, [step for step in todo if not isinstance(step, Deliver)])
    whole = 0
    if plan.encoding or plan.framing == Framing.LENGTH:
        whole = len(edited_body(plan, interaction, contract=contract))
    if plan.encoding:
        headers += (("content-encoding", plan.encoding),)
        todo, whole = _coded(todo, encoder(plan.encoding), whole), 0
    framing, size = Framing(plan.framing or Framing.CHUNKED), 0
    if framing is Framing.LENGTH:
        todo = list(todo)
        size = _promised(todo, whole)
    return Message(response.status, reason, headers, todo, framing, size)


def _headers(response: Response) -> tuple[tuple[str, str], ...]:
    return tuple(
        [
            (name, _NOT_IN_A_VALUE.sub(" ", value))
            for name, values in response.headers.items()
            if name.lower() not in _OF_ANOTHER_WIRE and _TOKEN.fullmatch(name)
            for value in values
        ]
    )


def _coded(todo: Iterable[Step], coding: Encoder, whole: int) -> Iterator[Step]:
    """The chunks content-coded, each complete in itself; only a body sent to its end gets the end of the coding."""
    for step in todo:
        if isinstance(step, Deliver):
            whole -= len(step.data)
            yield Deliver(coding.encode(step.data))
            continue
        if isinstance(step, End) and step.ending in CLEAN and whole == 0 and (end := coding.finish()):
            yield Deliver(end)
        yield step


def _promised(known: list[Step], whole: int) -> int:
    """What is sent, or more than that when the reader is to notice that it is not all."""
    sent = sum(len(step.data) for step in known if isinstance(step, Deliver))
    last = known[-1]
    return sent if isinstance(last, End) and last.ending in CLEAN else max(sent + 1, whole)


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
