"""`recorder schema`."""

from __future__ import annotations

import json
import subprocess
import sys

from recorder.cassette import cassette_schema


def test_the_schema_is_printed_and_nothing_else() -> None:
    """So that it can be sent into a file."""
    done = subprocess.run([sys.executable, "-m", "recorder", "schema"], capture_output=True, text=True, check=True)
    assert done.stdout == cassette_schema()
    assert done.stderr == ""
    assert json.loads(done.stdout)["required"] == ["interactions"]
