"""Steps performed for a consumer: plain iterables here; each HTTP library and the server has its own module.

`recorder.adapters.httpx` (httpx2 too), `.urllib3` (requests goes through it), `.aiohttp` and `.server` are doors of
their own; `.loopback` is what servers stand on.
"""

from recorder.adapters._choice import PlanChoice, PlanSource, is_event_stream
from recorder.adapters._clock import Clock, RealClock, VirtualClock
from recorder.adapters._iterables import adeliver, areplay, deliver, replay
from recorder.adapters._leaks import OpenResponses

__all__ = [
    "Clock",
    "OpenResponses",
    "PlanChoice",
    "PlanSource",
    "RealClock",
    "VirtualClock",
    "adeliver",
    "areplay",
    "deliver",
    "is_event_stream",
    "replay",
]
