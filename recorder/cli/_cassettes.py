"""The cassette that an argument names: a file, or a shipped one."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from recorder.cassette import Cassette, gallery, load_cassette
from recorder.cli._console import tell
from recorder.cli._files import given
from recorder.errors import CassetteError


def located(name: str) -> Path:
    """The file `name`, or the shipped one of that name: a name without a folder and an ending may be one.

    Raises:
        CassetteError: there is neither a file nor a shipped cassette of that name.
        ValueError: the name is empty.
    """
    (path,) = given([name])
    if path.exists() or not path.name == path.stem == name:
        return path
    shipped = gallery()
    if name not in shipped:
        raise CassetteError(f"{name}: there is no such file, and {unknown(name)}")
    return shipped[name]


def unknown(name: str) -> str:
    """What to say of a name that no shipped cassette has: those like it, and where all of them are listed."""
    alike = get_close_matches(name, gallery())
    meant = f"; did you mean {' or '.join(alike)}?" if alike else ";"
    return f"no shipped cassette of that name{meant} `recorder gallery` lists them"


def open_cassette(name: str) -> Cassette:
    """The cassette in the file `name`, or the shipped one of that name.

    Raises:
        CassetteError: as `located`, or the file cannot be read.
    """
    return load_cassette(located(name))


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
