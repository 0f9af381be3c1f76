"""The sanitizer of a command: the project's rules, and what its options add."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from recorder.sanitize import Sanitizer


class Text(StrEnum):
    """What happens to generated text and prompts."""

    KEEP = "keep"
    SHAPE = "shape"


def sanitizer_of(secret_env: Iterable[str] | None, text: Text | None) -> Sanitizer:
    """The one that `[tool.recorder]` describes, which knows these variables' values too.

    Args:
        secret_env: names of environment variables.
        text: what happens to texts; what the project says unless given.

    Raises:
        ValueError: the project's table holds what is not known.
    """
    configured = Sanitizer.configured().with_secrets((), secret_env or ())
    return configured if text is None else configured.with_text(text.value)
