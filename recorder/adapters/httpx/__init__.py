"""Replay for httpx and httpx2: their own HTTP/1.1 code reads a connection that plays the plan.

Rule: the caller gets the library's own response, exceptions and causes, because its own code makes them: only the
network stream is ours. Nothing leaves the process.
"""

from recorder.adapters.httpx._library import package_of
from recorder.adapters.httpx._respond import arequest_of, arespond, request_of, respond
from recorder.adapters.httpx._transport import AsyncReplayTransport, ReplayTransport

__all__ = [
    "AsyncReplayTransport",
    "ReplayTransport",
    "arequest_of",
    "arespond",
    "package_of",
    "request_of",
    "respond",
]
