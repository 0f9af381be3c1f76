"""`recorder schema`: the JSON Schema of the cassette file."""

from __future__ import annotations

from recorder.cassette import cassette_schema


def schema() -> None:
    """Print the JSON Schema of the cassette file, for editors and validators.

    \b
    Examples:
      recorder schema > cassette.schema.json
    """
    print(cassette_schema(), end="")
