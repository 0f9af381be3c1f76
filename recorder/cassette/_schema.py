"""The JSON Schema of the cassette file, which ships beside this module.

Rule: what the codec reads is valid by it, and what is not valid by it the codec refuses. What a schema cannot say
(digests, sums, YAML itself) it leaves to the codec.
"""

from __future__ import annotations

from pathlib import Path

_FILE = Path(__file__).with_name("schema.json")


def cassette_schema() -> str:
    """The schema as JSON text (draft 2020-12), of the file as plain data."""
    return _FILE.read_text("utf-8")
