"""What stands where a secret would, and is none: masks, prompts to fill in, dummies, and text that was shaped.

Rule: only forms that cannot be a working credential count. A key with "test" or "example" in it may work, so it is
no placeholder.
"""

from __future__ import annotations

import re

_MASK = re.compile(
    r"REDACTED|FILTERED|SANITIZED|SCRUBBED|\*{3}|x{6}|\.{3}|…|\byour[ _-]|\bmy-(?:api-)?key\b|\{\{|\$\{|<[A-Za-z _-]+>",
    re.IGNORECASE,
)
_NAME_OF_A_VARIABLE = re.compile(r"[A-Z]+(?:[_-][A-Z]+)+")
_SHAPED = re.compile(r"[^A-Za-z0-9]*(?:[xX1][^A-Za-z0-9]*)+")

_DUMMIES = frozenset(
    {
        "", "anonymous", "anything", "changeme", "dummy", "empty", "fake", "fake-key", "lm-studio", "local", "no-key",
        "no-key-required", "none", "not-needed", "not-required", "not-used", "null", "ollama", "placeholder",
        "sk-no-key-required", "string", "test", "undefined", "unused",
    }
)  # fmt: skip
"""What people send where a server wants some key and looks at none, and the type words of JSON schemas."""


def is_placeholder(value: str) -> bool:
    """Whether this is something in the place of a secret."""
    return (
        value.lower() in _DUMMIES
        or _MASK.search(value) is not None
        or _NAME_OF_A_VARIABLE.fullmatch(value) is not None
        or is_shaped(value)
    )


def is_shaped(value: str) -> bool:
    """Whether this is what `text="shape"` makes: no letter but x and X, no digit but 1."""
    return _SHAPED.fullmatch(value) is not None and value.isascii()
