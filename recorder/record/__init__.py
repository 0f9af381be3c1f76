"""The one authorized request, captured, judged, sanitized, saved: one attempt. The recording proxy."""

from recorder.errors import ConfigurationError, PromptError
from recorder.record._again import request_again
from recorder.record._curl import CurlRequest, parse_curl
from recorder.record._exchange import MAX_BYTES, MAX_EVENTS, Settings, Taken, take
from recorder.record._outcome import Outcome, Progress
from recorder.record._proxy import Exchanged, RecordingProxy
from recorder.record._references import check_no_literals, filled_in
from recorder.record._request import Outgoing, check_prompt, prepare
from recorder.record._services import SERVICES, Service, contract_for
from recorder.record._stream import (
    arecord_stream,
    check_target,
    new_attempt,
    not_made,
    record_once,
    record_stream,
    store,
)

__all__ = [
    "MAX_BYTES",
    "MAX_EVENTS",
    "SERVICES",
    "ConfigurationError",
    "CurlRequest",
    "Exchanged",
    "Outcome",
    "Outgoing",
    "Progress",
    "PromptError",
    "RecordingProxy",
    "Service",
    "Settings",
    "Taken",
    "arecord_stream",
    "check_no_literals",
    "check_prompt",
    "check_target",
    "contract_for",
    "filled_in",
    "new_attempt",
    "not_made",
    "parse_curl",
    "prepare",
    "record_once",
    "record_stream",
    "request_again",
    "store",
    "take",
]
