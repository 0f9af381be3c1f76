"""Options that several commands have, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recorder.cli._sanitizer import Text

SecretEnv: TypeAlias = Annotated[
    list[str] | None, typer.Option("--secret-env", help="An environment variable whose value must not be stored.")
]
TextOrShape: TypeAlias = Annotated[
    Text | None, typer.Option("--text", help="Keep generated text and prompts, or store only their shape.")
]
Idle: TypeAlias = Annotated[
    float | None, typer.Option("--idle", min=0, help="Seconds without a byte before giving up.")
]
CaCert: TypeAlias = Annotated[
    Path | None, typer.Option("--cacert", help="A PEM file of certificate authorities to trust.")
]
