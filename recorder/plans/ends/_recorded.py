"""`end=recorded`."""

from __future__ import annotations

from recorder.cassette import EndKind, StreamEnd
from recorder.contracts import terminal_offset
from recorder.errors import PlanError
from recorder.plans._edited import Edited
from recorder.plans._step import End, Ending, Wait
from recorder.plans._values import Bare
from recorder.plans.ends._protocol import Stop

_REPLAYED: dict[EndKind, End | Wait] = {
    EndKind.COMPLETE: End(Ending.COMPLETE),
    EndKind.EOF: End(Ending.EOF),
    EndKind.INCOMPLETE: End(Ending.INCOMPLETE),
    EndKind.RESET: End(Ending.RESET),
    EndKind.TIMEOUT: Wait(None),
}
_CLIENT_CLOSED = EndKind.CLIENT_CLOSED


class Recorded(Bare):
    r"""The end that was recorded, so that a stream that broke breaks again. The default where it is known.

    end: {kind: reset}                                data: 1\n\nda, then a reset
    end: {kind: timeout}                              data: 1\n\nda, then nothing for ever
    end: {kind: client_closed}, terminal event seen   data: [DONE]\n\n, then the end
    end: {kind: client_closed}, not seen              data: 1\n\n, then an incomplete read: what followed is not known
    """

    __slots__ = ()

    form = "recorded"

    def stop(self, edited: Edited) -> Stop:
        recorded = edited.response.end
        if recorded is None:
            raise PlanError("no end was recorded for this body; use complete, eof, incomplete, reset or stall")
        if recorded.kind is _CLIENT_CLOSED:
            seen = _terminal_seen(recorded, edited)
            return Stop(len(edited.body), End(Ending.COMPLETE if seen else Ending.INCOMPLETE))
        return Stop(len(edited.body), _REPLAYED[recorded.kind], None, 0.0, recorded.after_s)


def _terminal_seen(recorded: StreamEnd, edited: Edited) -> bool:
    if recorded.terminal_seen is not None:
        return recorded.terminal_seen
    return terminal_offset(edited.response.body, edited.contract) is not None
