"""The cassette that an argument names: a file, or a shipped one."""

from __future__ import annotations

from pathlib import Path

from recorder.cassette import Cassette, gallery, load_cassette
from recorder.cli._console import tell
from recorder.errors import CassetteError


def open_cassette(name: str) -> Cassette:
    """The cassette in the file `name`, or the shipped one of that name.

    Raises:
        CassetteError: the file cannot be read, or there is neither a file nor a shipped cassette of that name.
    """
    shipped = gallery() if not Path(name).exists() else {}
    if shipped and name not in shipped and Path(name).name == Path(name).stem == name:
        raise CassetteError(f"{name}: there is no such file, and the shipped cassettes are {', '.join(shipped)}")
    return load_cassette(shipped.get(name, name))


def open_clean(name: str) -> Cassette:
    """The same as it may be shown: sanitized, by the rules of the project; says so where that changes it.

    Raises:
        CassetteError: as `open_cassette`.
    """
    from recorder.sanitize import Sanitizer

    loaded = open_cassette(name)
    clean = Sanitizer.configured().apply(loaded)
    if clean != loaded:
        tell(f"recorder: {name} is not sanitized; this is what sanitizing leaves")
    return clean
