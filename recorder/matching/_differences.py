"""In what two requests differ, as values to be compared or told.

Rule: telling shows numbers, flags and a few words of the protocol; any other text becomes its length and a digest, so
that no prompt gets into a message.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

MISSING = object()
_STEP = re.compile(r"/([^/]*)")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
_SHOWN_MEMBERS = frozenset(
    {"effort", "encoding_format", "format", "model", "object", "role", "service_tier", "type", "verbosity"}
)
_SHOWN_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Difference:
    """One part of a request that is not as it was recorded.

    Attributes:
        part: what it is a part of: "method", "host", "body".
        pointer: where in a JSON body, as a JSON pointer (RFC 6901); which parameter of a query.
        stored, live: the two values; MISSING where there is none.
        shown: the values may be shown as they are.
    """

    part: str
    stored: Any = field(repr=False)
    live: Any = field(repr=False)
    pointer: str = ""
    shown: bool = False

    @property
    def place(self) -> str:
        """`method`, `query ?alt`, `body $.messages[0].content`."""
        if self.part == "query" and self.pointer:
            return f"query ?{self.pointer}"
        return f"{self.part} {_path(self.pointer)}" if self.pointer else self.part

    def __str__(self) -> str:
        shown = self.shown or self.pointer.rpartition("/")[2] in _SHOWN_MEMBERS
        return f"{self.place}: recorded {_told(self.stored, shown)}, here {_told(self.live, shown)}"


def _told(value: Any, shown: bool) -> str:
    if value is MISSING:
        return "nothing"
    if isinstance(value, bytes):
        return f"{len(value)} bytes ({_digest(value)})" if value else "no body"
    if isinstance(value, str):
        if shown and len(value) <= _SHOWN_CHARACTERS:
            return repr(value)
        return f"text of {len(value)} characters ({_digest(value.encode('utf-8', 'surrogatepass'))})"
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return json.dumps(value)


def _digest(data: bytes) -> str:
    return f"sha256 {hashlib.sha256(data).hexdigest()[:12]}"


def _path(pointer: str) -> str:
    """A JSON pointer as the JSON path that `ignore=` takes."""
    path = "$"
    for step in _STEP.findall(pointer):
        name = step.replace("~1", "/").replace("~0", "~")
        if name.isdigit():
            path += f"[{name}]"
        else:
            path += f".{name}" if _PLAIN_NAME.fullmatch(name) else f"['{name}']"
    return path
