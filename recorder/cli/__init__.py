"""The command `recorder`."""

from recorder.cli._app import main

__all__ = ["main"]
