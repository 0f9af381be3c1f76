"""The one way to disk: clean, scan, then the store; in that order, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from recorder.cassette import Cassette, Interaction, dump_cassette, load_cassette
from recorder.cassette._store import locked, write_text
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize._sanitizer import Cleaned, Sanitizer


def save_cassette(cassette: Cassette, path: str | os.PathLike[str], sanitizer: Sanitizer | None = None) -> None:
    """Sanitize `cassette` and write it to `path`, atomically: afterwards there is the new file, or the old state.

    Args:
        cassette: need not be clean yet.
        path: the file.
        sanitizer: `Sanitizer.default()` unless given.

    Raises:
        ResidueError: a secret is still there, so nothing was written. Names the rule and place, never the value.
        CassetteError: the file cannot be written.
    """
    problem = _written(sanitized(cassette, sanitizer), Path(path))
    if problem is not None:
        raise problem  # from here, where no local variable holds the file's text


def sanitized(cassette: Cassette, sanitizer: Sanitizer | None = None) -> Cassette:
    """The cassette clean, and scanned again by other means.

    Args:
        sanitizer: `Sanitizer.default()` unless given.

    Raises:
        ResidueError: a secret is still there.
    """
    return cleaned(cassette, sanitizer).cassette


def cleaned(cassette: Cassette, sanitizer: Sanitizer | None = None) -> Cleaned:
    """The same, with what was done.

    Raises:
        ResidueError: a secret is still there.
    """
    knowing = (sanitizer or Sanitizer.default()).knowing(cassette)
    done = knowing.clean_known(cassette)
    left = knowing.scan_known(done.cassette)
    if left:
        places = "; ".join(map(str, left[:5])) + (f"; and {len(left) - 5} more" if len(left) > 5 else "")
        raise ResidueError(f"not written, a secret is still there: {places}. Add a rule or record without it")
    return done


def save_recording(interaction: Interaction, path: str | os.PathLike[str], sanitizer: Sanitizer | None = None) -> None:
    """The same for a single interaction."""
    save_cassette(Cassette((interaction,)), path, sanitizer)


def update_cassette(
    path: str | os.PathLike[str], change: Callable[[Cassette | None], Cassette], sanitizer: Sanitizer | None = None
) -> None:
    """Read the file, change what it holds, and write it, as one: nobody else writes it in between.

    Args:
        path: the file.
        change: given what it holds, None when it is not there or empty, what it shall hold.
        sanitizer: `Sanitizer.default()` unless given.

    Raises:
        ResidueError, CassetteError: as `save_cassette` and `load_cassette`; the file is as it was.
    """
    target = Path(path)
    with locked(target):
        there = target.exists() and target.stat().st_size > 0
        save_cassette(change(load_cassette(target) if there else None), target, sanitizer)


def _written(clean: Cassette, path: Path) -> CassetteError | None:
    try:
        write_text(path, dump_cassette(clean))
    except CassetteError as error:
        return CassetteError(str(error))
    return None
