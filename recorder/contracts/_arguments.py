"""Arguments of tool calls as JSON text: whole, or cut, never repaired.

Rule: an object or an array ends by itself. A number could have gone on, so only the end of the call tells that it is
whole. No arguments at all can be run: some servers send none for a call without any.

It does not know any dialect.
"""

from __future__ import annotations

import json
from typing import Any

from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._json import NOT_JSON, decode

_DEPTH = 64


def _decoded(arguments: str) -> Any:
    return NOT_JSON if has_lone_surrogate(arguments) else decode(arguments, _DEPTH)


def are_whole(arguments: str, ended: bool) -> bool:
    """Whether arguments are a whole JSON text. `ended` says that their call has ended."""
    value = _decoded(arguments)
    return isinstance(value, dict | list) or (ended and value is not NOT_JSON)


def can_be_run(arguments: str) -> bool:
    """Whether the arguments of a call that has ended are JSON, or none."""
    return not arguments or are_whole(arguments, ended=True)


def json_text(value: dict[str, Any]) -> str:
    """An object as JSON text; "" where it has none (an infinite number), or the caller's stack is nearly full."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (RecursionError, ValueError):
        return ""
