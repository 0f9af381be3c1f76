"""The one authorized request: capture, judge, sanitize, save. One attempt, whatever happens."""

from recorder.record._outcome import Outcome, Progress
from recorder.record._stream import arecord_stream, record_once, record_stream

__all__ = ["Outcome", "Progress", "arecord_stream", "record_once", "record_stream"]
