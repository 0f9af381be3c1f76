"""Which members of a message are its structure, and stay when its text is replaced by its shape.

Rule: an allowlist, since what is not known to be structure may be content. A value stays only if it also looks like a
name or an id: one short word without blanks.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Za-z0-9_.:/+@=-]{1,128}")
_MARKER = re.compile(r"\s*\[[A-Z_]{1,32}\]\s*")

_STRUCTURE = frozenset(
    {
        "type", "object", "id", "role", "model", "status", "state", "code", "event", "kind", "method", "jsonrpc",
        "version", "finish_reason", "finishReason", "stop_reason", "stop_details", "blockReason",
        "native_finish_reason", "system_fingerprint", "service_tier", "provider", "modelVersion", "responseId",
        "createTime", "trafficType", "item_id", "response_id", "previous_response_id", "call_id", "tool_call_id",
        "tool_use_id", "messageId", "taskId", "contextId", "conversation", "thread_id", "run_id", "assistant_id",
        "message_id", "step_id", "job_id", "event_id", "generation_id", "trace_id", "name", "tool_choice",
        "function_call", "truncation", "effort", "verbosity", "detail", "include", "modalities",
        "responseModalities", "format", "encoding", "media_type", "mime_type", "mimeType", "language", "outcome",
        "category", "probability", "severity", "threshold", "quality", "size", "background", "output_format",
        "voice", "phase", "status_code", "order", "required", "enum", "$ref", "$schema", "additionalProperties",
        "timestamp", "created_at", "completed_at",
    }
)  # fmt: skip
_QUALIFIED = frozenset({"incomplete_details.reason", "error.param", "cache_control.ttl", "stop_details.reason"})
_NUMBERS = frozenset(
    {
        "bytes", "token_ids", "prompt_token_ids", "completion_token_ids", "output_ids", "input_ids", "tokens",
        "context", "embedding", "embeddings",
    }
)  # fmt: skip
_FIELD = re.compile(r"[A-Za-z0-9_.\[\]-]{1,128}")
_ARGUMENTS = re.compile(r"/(?:args|arguments|input|partial_args)(?=/)")


def is_structure(parent: str, name: str, value: str) -> bool:
    """Whether a string value stays."""
    is_known = name in _STRUCTURE or f"{parent}.{name}" in _QUALIFIED
    return is_known and (not value or _WORD.fullmatch(value) is not None)


def is_content_number(name: str, pointer: str) -> bool:
    """Whether a number says what a text says: bytes, tokens, an argument of a tool."""
    return name in _NUMBERS or _ARGUMENTS.search(pointer) is not None


def is_field_name(text: str) -> bool:
    """Whether this names a field of a form, which stays."""
    return _FIELD.fullmatch(text) is not None


def is_marker(text: str) -> bool:
    """Whether the data of an event is a marker such as `[DONE]`."""
    return _MARKER.fullmatch(text) is not None
