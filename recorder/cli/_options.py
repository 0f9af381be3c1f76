"""Options that several commands have, each said once."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recorder.cli._files import reason
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


@contextmanager
def listening(server: AbstractContextManager[object], port: int) -> Iterator[None]:
    """`server` while it listens on the port of `--port`.

    Raises:
        ValueError: the port cannot be had.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(server)
        except OSError as error:
            why = "the port is in use" if error.errno == errno.EADDRINUSE else reason(error)
            raise ValueError(f"--port {port}: {why}; without --port the system chooses one") from None
        yield
