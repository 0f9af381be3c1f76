"""Steps performed for a consumer: plain iterables here; each HTTP library and the server has its own module."""

from recorder.adapters._clock import Clock, RealClock, VirtualClock
from recorder.adapters._iterables import areplay, replay

__all__ = ["Clock", "RealClock", "VirtualClock", "areplay", "replay"]
