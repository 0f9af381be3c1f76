"""The cassettes that ship with the package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "_gallery", _PACKAGE.parent / "cassettes")  # in a wheel; in a checkout


def gallery() -> dict[str, Path]:
    """The shipped cassettes, by name.

    Returns:
        A mapping from a name such as "chat-lf" to the path of its file.

    Raises:
        FileNotFoundError: the installation lacks its gallery.
    """
    for place in _PLACES:
        found = sorted(place.glob("*.yaml"))
        if found:
            return {path.stem: path for path in found}
    raise FileNotFoundError(f"no cassettes in {_PLACES[0]}: the package is installed incompletely, install it again")


def shipped(name: str) -> str:
    """Where the shipped cassette of that name is, in words for who took its name for a path; "" when there is none."""
    try:
        known = name in gallery()
    except FileNotFoundError:  # an installation without its gallery
        return ""
    return f"the shipped cassette of that name is recorder.gallery()[{name!r}]" if known else ""
