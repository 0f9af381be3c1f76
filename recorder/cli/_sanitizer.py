"""The sanitizer of a command: the project's rules, and what its options add."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from recorder.cli._console import tell
from recorder.cli._files import read_file
from recorder.sanitize import Sanitizer


class Text(StrEnum):
    """What happens to generated text and prompts."""

    KEEP = "keep"
    SHAPE = "shape"


def sanitizer_of(
    secret_env: Iterable[str] | None = None, text: Text | None = None, config: Path | None = None
) -> Sanitizer:
    """The one that `[tool.recorder]` describes, which knows these variables' values too.

    Args:
        secret_env: names of environment variables; one that is not set is said.
        text: what happens to texts; what the project says unless given.
        config: the pyproject.toml; the nearest one unless given.

    Raises:
        ValueError: the project's table holds what is not known, or there is no such file.
    """
    if config is not None:
        read_file("--config", config, "a pyproject.toml")
    names = list(secret_env or ())
    for name in names:
        if not os.environ.get(name, "").strip():
            tell(f"recorder: --secret-env {name}: there is no such variable, so nothing is looked for", "yellow")
    configured = Sanitizer.configured(config).with_secrets((), names)
    return configured if text is None else configured.with_text(text.value)
