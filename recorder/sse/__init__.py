"""Bytes to events: the WHATWG "Server-sent events" parser, sans I/O and without third-party code."""

from recorder.sse._cuts import differing_cuts
from recorder.sse._event import Event
from recorder.sse._iterate import aiter_events, iter_events
from recorder.sse._limit import Limit
from recorder.sse._lines import CR, LF
from recorder.sse._parser import EventStreamParser

__all__ = ["CR", "LF", "Event", "EventStreamParser", "Limit", "aiter_events", "differing_cuts", "iter_events"]
