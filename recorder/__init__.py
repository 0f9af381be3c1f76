"""Record one LLM event stream once, sanitized; replay it offline, in any pieces, into the same production reader.

The names below are the whole public interface; each is loaded when it is first used, so `import recorder` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recorder import cassette as cassette
    from recorder import contracts as contracts
    from recorder import inspect as inspect
    from recorder import sweeps as sweeps
    from recorder.adapters import RealClock as RealClock
    from recorder.adapters import VirtualClock as VirtualClock
    from recorder.adapters import areplay as areplay
    from recorder.adapters import replay as replay
    from recorder.adapters.server import serve as serve
    from recorder.cassette import Cassette as Cassette
    from recorder.cassette import Chunk as Chunk
    from recorder.cassette import EndKind as EndKind
    from recorder.cassette import Headers as Headers
    from recorder.cassette import Interaction as Interaction
    from recorder.cassette import Request as Request
    from recorder.cassette import Response as Response
    from recorder.cassette import StreamEnd as StreamEnd
    from recorder.cassette import gallery as gallery
    from recorder.cassette import load_cassette as load_cassette
    from recorder.contracts import Accepted as Accepted
    from recorder.contracts import Rejected as Rejected
    from recorder.contracts import aread as aread
    from recorder.contracts import check_head as check_head
    from recorder.contracts import read as read
    from recorder.errors import CassetteError as CassetteError
    from recorder.errors import CassetteWarning as CassetteWarning
    from recorder.errors import FaultCode as FaultCode
    from recorder.errors import InvalidUTF8 as InvalidUTF8
    from recorder.errors import LimitExceeded as LimitExceeded
    from recorder.errors import PlanError as PlanError
    from recorder.errors import RecorderError as RecorderError
    from recorder.errors import RejectedStream as RejectedStream
    from recorder.errors import ReplayIncomplete as ReplayIncomplete
    from recorder.errors import ReplayReset as ReplayReset
    from recorder.errors import ReplayStalled as ReplayStalled
    from recorder.errors import ReplayTimeout as ReplayTimeout
    from recorder.errors import ResidueError as ResidueError
    from recorder.notebook import compare as compare
    from recorder.notebook import explore as explore
    from recorder.notebook import plot_timing as plot_timing
    from recorder.plans import Plan as Plan
    from recorder.record import arecord_stream as arecord_stream
    from recorder.record import record_stream as record_stream
    from recorder.sanitize import Sanitizer as Sanitizer
    from recorder.sanitize import save_cassette as save_cassette
    from recorder.sse import Event as Event
    from recorder.sse import EventStreamParser as EventStreamParser
    from recorder.sse import Limit as Limit
    from recorder.sse import aiter_events as aiter_events
    from recorder.sse import iter_events as iter_events
    from recorder.sweeps import check_reader as check_reader
    from recorder.sweeps import sweep as sweep
    from recorder.vcr import streaming as streaming
    from recorder.vcr import use_cassette as use_cassette

__version__ = "0.1.0"

_ROOMS = {
    "adapters": ("RealClock", "VirtualClock", "areplay", "replay"),
    "adapters.server": ("serve",),
    "cassette": (
        "Cassette",
        "Chunk",
        "EndKind",
        "Headers",
        "Interaction",
        "Request",
        "Response",
        "StreamEnd",
        "gallery",
        "load_cassette",
    ),
    "contracts": ("Accepted", "Rejected", "aread", "check_head", "read"),
    "errors": (
        "CassetteError",
        "CassetteWarning",
        "FaultCode",
        "InvalidUTF8",
        "LimitExceeded",
        "PlanError",
        "RecorderError",
        "RejectedStream",
        "ReplayIncomplete",
        "ReplayReset",
        "ReplayStalled",
        "ReplayTimeout",
        "ResidueError",
    ),
    "notebook": ("compare", "explore", "plot_timing"),
    "plans": ("Plan",),
    "record": ("arecord_stream", "record_stream"),
    "sanitize": ("Sanitizer", "save_cassette"),
    "sse": ("Event", "EventStreamParser", "Limit", "aiter_events", "iter_events"),
    "sweeps": ("check_reader", "sweep"),
    "vcr": ("streaming", "use_cassette"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}
_OPEN = ("cassette", "contracts", "inspect", "sweeps")  # rooms used by their own names: recorder.inspect.diff

__all__ = [*sorted(_HOME), "contracts"]  # not all of the rooms: `*` would put ours in the place of Python's `inspect`


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _OPEN or name == "strategies":  # the latter needs Hypothesis, so it is not among what `*` imports
        return import_module(f"recorder.{name}")
    if name in _HOME:
        return getattr(import_module(f"recorder.{_HOME[name]}"), name)
    raise AttributeError(f"module 'recorder' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext recorder` calls."""
    from recorder.notebook import register_magics

    register_magics(shell)


def __dir__() -> list[str]:
    return sorted({*__all__, *_OPEN, "__version__"})
