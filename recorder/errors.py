"""Every exception the package raises, and the one vocabulary of fault codes.

Rule: an exception about a stream carries a code, a place and counts, never a piece of the stream. What is deliberately
reachable for a caller who asks (`StreamFault.events`) stays out of `repr`, `str` and pickles.

This module imports nothing of ours; every room may import it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class FaultCode(StrEnum):
    """Why a stream, or the request for it, was not accepted. The values are stable and machine-readable.

    `recorder.contracts.explain(code)` gives each one's meaning and remedy.
    """

    # before any request
    INVALID_CONFIGURATION = "invalid_configuration"
    INVALID_PROMPT = "invalid_prompt"
    # the head
    HTTP_ERROR = "http_error"
    REDIRECT_REFUSED = "redirect_refused"
    UNEXPECTED_CONTENT_TYPE = "unexpected_content_type"
    MISSING_BODY = "missing_body"
    # the transport
    REQUEST_TIMEOUT = "request_timeout"
    STREAM_TIMEOUT = "stream_timeout"
    TRANSPORT_FAILED = "transport_failed"
    STREAM_READ_FAILED = "stream_read_failed"
    CANCELLED = "cancelled"
    # the event stream
    BYTE_LIMIT = "byte_limit"
    INVALID_UTF8 = "invalid_utf8"
    LINE_LIMIT = "line_limit"
    EVENT_SIZE_LIMIT = "event_size_limit"
    EVENT_NAME_LIMIT = "event_name_limit"
    EVENT_COUNT_LIMIT = "event_count_limit"
    # the dialect
    UNEXPECTED_EVENT_TYPE = "unexpected_event_type"
    INVALID_JSON = "invalid_json"
    INVALID_CHUNK = "invalid_chunk"
    INVALID_SEQUENCE = "invalid_sequence"
    UPSTREAM_ERROR = "upstream_error"
    INVALID_CHOICES = "invalid_choices"
    UNSUPPORTED_CHOICES = "unsupported_choices"
    INVALID_USAGE = "invalid_usage"
    CHOICE_AFTER_FINISH = "choice_after_finish"
    INVALID_DELTA = "invalid_delta"
    UNSUPPORTED_DELTA = "unsupported_delta"
    INVALID_CONTENT = "invalid_content"
    INVALID_TOOL_ARGUMENTS = "invalid_tool_arguments"
    OUTPUT_LIMIT = "output_limit"
    UNACCEPTED_FINISH = "unaccepted_finish"
    MISSING_FINISH = "missing_finish"
    EMPTY_OUTPUT = "empty_output"
    MISSING_TERMINAL = "missing_terminal"


class RecorderError(Exception):
    """Base of what is ours and is not also a standard exception by nature."""


class StreamFault(RecorderError):
    """The event stream itself is refused; raised by `EventStreamParser.feed` and `.close`.

    Attributes:
        code: the fault code.
        offset: absolute offset in bytes of the first bad byte, a byte order mark counted.
        events: the events completed in the same call before the fault; empty when raised again.
    """

    def __init__(self, code: FaultCode, offset: int, what: str, events: tuple[Any, ...] = ()) -> None:
        super().__init__(f"{what} at byte {offset} ({code})")
        self.code = code
        self.offset = offset
        self.what = what
        self.events = events

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.offset, self.what)  # the events are stream content: they do not travel


class LimitExceeded(StreamFault):
    """A line, an event, an event name, the event count or the body went over its limit."""


class InvalidUTF8(StreamFault):
    """The strict policy met bytes that are not UTF-8, or the end of the stream inside a code point."""


class RejectedStream(RecorderError):
    """A verdict was a rejection and the caller asked for an exception; `.code` is the fault code."""

    def __init__(self, code: FaultCode, reason: str = "") -> None:
        super().__init__(f"the stream was rejected: {code}" + (f": {reason}" if reason else ""))
        self.code = code
        self._reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self._reason)


class ConfigurationError(ValueError):
    """The request cannot be made as configured; the message says what to change and holds no secret."""


class PromptError(ConfigurationError):
    """The prompt cannot be sent."""


class CassetteError(RecorderError, ValueError):
    """A cassette cannot be read or written; says where, what is wrong and what would be right, never the content."""


class UnknownFormat(CassetteError):
    """A file to be imported is in none of the known formats; says which were tried."""


class CassetteWarning(UserWarning):
    """A cassette loads, but part of what it says is not used (a hand-edited body, say)."""


class ResidueError(RecorderError):
    """A secret is still in what was to be stored, so nothing was stored; says which rule and where, never what."""


class PlanError(ValueError):
    """A delivery plan is not in the grammar, or names a place the body does not have."""


class ReplayReset(ConnectionResetError):
    """The plan resets the connection here."""


class ReplayIncomplete(EOFError):
    """The plan closes the connection inside the HTTP framing here."""


class ReplayTimeout(TimeoutError):
    """The plan stalls for longer than the reader's timeout."""


class ReplayStalled(RecorderError):
    """The plan stalls for ever and the reader has no timeout: a real connection would hang here."""
