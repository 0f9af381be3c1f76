"""The one way to disk: clean, scan, then the store; in that order, or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from recorder.cassette import Cassette, Interaction, Texts, dump_cassette, load_cassette
from recorder.cassette._store import check_place as place_checked
from recorder.cassette._store import locked, write_text
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize._interactions import Names
from recorder.sanitize._proofs import Proof, Proofs, bounded, wanted_of
from recorder.sanitize._sanitizer import Cleaned, Sanitizer

_PROOFS = Proofs()  # a memory of what is clean; forgetting it costs time and nothing else


def check_place(path: str | os.PathLike[str]) -> None:
    """Look whether a cassette could be written to `path`, before a request is made whose answer is to be there.

    Raises:
        CassetteError: it could not.
    """
    try:
        place_checked(path)
    except CassetteError as error:
        raise CassetteError(f"{error}, no request was made") from error.__cause__


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

    What was cleaned and scanned before in this process, and is the same, is not again: but for the values that became
    known since.

    Raises:
        ResidueError: a secret is still there.
    """
    sanitizer = sanitizer or Sanitizer.default()
    shaped = sanitizer.text == "shape"
    before = [_PROOFS.get(key) for key in _PROOFS.keys(sanitizer.rules, shaped, cassette.interactions)]
    done, proofs = _cleaned(cassette, sanitizer, before, Names())
    keys = _PROOFS.keys(sanitizer.rules, shaped, done.cassette.interactions)
    for key, proof in zip(keys, proofs, strict=True):
        _PROOFS.keep(key, proof)
    return done


def _cleaned(
    cassette: Cassette, sanitizer: Sanitizer, before: Sequence[Proof | None], names: Names
) -> tuple[Cleaned, list[Proof]]:
    """The cassette clean and scanned, but for what was before; and the proof of each of its interactions."""
    fresh = [each for each, proof in zip(cassette.interactions, before, strict=True) if proof is None]
    knowing = sanitizer.knowing(replace(cassette, interactions=tuple(fresh)))
    wanted = wanted_of(knowing.known)
    still = [proof if proof is not None and proof.excludes(wanted) else None for proof in before]
    done = knowing.clean_known(cassette, still, names)
    left, proofs = knowing.prove(done.cassette, still)
    if left:
        places = "; ".join(map(str, left[:5])) + (f"; and {len(left) - 5} more" if len(left) > 5 else "")
        raise ResidueError(f"not written, a secret is still there: {places}. Add a rule or record without it")
    for was, proof in zip(still, proofs, strict=True):
        if was is None:
            proof.absent.update(wanted)
    return done, proofs


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
        save_cassette(change(_load(target)), target, sanitizer)


class Growing:
    """A file that grows, addition by addition: each costs what is new, whatever is there already.

    The file is what counts. What is in it by now and was not when it was last written, somebody else put there: it is
    read again, cleaned and kept. The same value has the same stand-in in all additions.

    Args:
        path: the file; what it holds at first is replaced.
        sanitizer: cleans what is added; learns from it.
    """

    def __init__(self, path: str | os.PathLike[str], sanitizer: Sanitizer) -> None:
        self._path, self._sanitizer = Path(path), sanitizer
        self._names = Names()
        self._cassette, self._proofs = Cassette(()), list[Proof]()
        self._texts: Texts = {}
        self._written = _digest(self._path)

    def add(self, new: Sequence[Interaction]) -> tuple[Interaction, ...]:
        """Add interactions, and write the file.

        Returns:
            They as they were stored.

        Raises:
            ResidueError, CassetteError: nothing was added; the file is as it was.
        """
        with locked(self._path):
            self._look_again()
            before = self._cassette.interactions
            whole = replace(self._cassette, interactions=(*before, *new))
            sanitizer, names = self._sanitizer.knowing(Cassette(tuple(new))), self._names.copy()
            proofs = [*self._proofs, *([None] * (len(whole.interactions) - len(self._proofs)))]
            done, proven = _cleaned(whole, sanitizer, proofs, names)
            problem = _written(done.cassette, self._path, self._texts)
            if problem is not None:
                raise problem
            self._written = _digest(self._path)
        self._sanitizer, self._names, self._cassette, self._proofs = sanitizer, names, done.cassette, bounded(proven)
        kept = set(map(id, self._cassette.interactions))
        self._texts = {key: value for key, value in self._texts.items() if key[0] in kept}
        return self._cassette.interactions[len(before) :]

    def _look_again(self) -> None:
        """Read the file if it is not what was written last."""
        digest = _digest(self._path)
        if digest != self._written:
            self._cassette, self._proofs = _load(self._path) or Cassette(()), []
            self._written = digest


def _digest(path: Path) -> bytes | None:
    """Of what is in the file; None when there is none, or it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return None


def _load(path: Path) -> Cassette | None:
    """What the file holds; None when it is not there or empty."""
    return load_cassette(path) if path.exists() and path.stat().st_size > 0 else None


def _written(clean: Cassette, path: Path, texts: Texts | None = None) -> CassetteError | None:
    try:
        write_text(path, dump_cassette(clean, texts=texts))
    except CassetteError as error:
        return CassetteError(str(error))
    return None
