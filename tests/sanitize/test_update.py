"""Adding to a cassette: read, changed and written as one."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

import recorder
from recorder.cassette import Cassette, Interaction
from recorder.sanitize import sanitized, update_cassette


def added(number: int, current: Cassette | None) -> Cassette:
    one = Interaction.from_body(b"data: %d\n\n" % number)
    return replace(current, interactions=(*current.interactions, one)) if current else Cassette((one,))


def test_what_is_not_there_or_empty_is_none(tmp_path: Path) -> None:
    """And what is there is given, with its preamble kept."""
    path, seen = tmp_path / "new" / "a.yaml", []

    def change(current: Cassette | None) -> Cassette:
        seen.append(None if current is None else len(current.interactions))
        return added(1, current)

    update_cassette(path, change)
    path.write_text("# a licence\n" + path.read_text("utf-8"), "utf-8")
    update_cassette(path, change)
    (tmp_path / "b.yaml").touch()
    update_cassette(tmp_path / "b.yaml", change)
    assert seen == [None, 1, None]
    assert path.read_text("utf-8").startswith("# a licence\n")


def test_nobody_writes_in_between(tmp_path: Path) -> None:
    """Eight threads add forty interactions, and all are there."""
    path = tmp_path / "a.yaml"

    def work(start: int) -> None:
        for number in range(start, start + 5):
            update_cassette(path, lambda current, number=number: added(number, current))

    threads = [threading.Thread(target=work, args=(5 * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bodies = {each.response.body for each in recorder.load_cassette(path).interactions}
    assert bodies == {b"data: %d\n\n" % number for number in range(40)}


def test_a_change_that_fails_leaves_the_file(tmp_path: Path) -> None:
    """A broken file too is left as it is."""
    path = tmp_path / "a.yaml"
    update_cassette(path, lambda current: added(1, current))
    before = path.read_bytes()

    def failing(current: Cassette | None) -> Cassette:
        raise KeyError("mine")

    with pytest.raises(KeyError):
        update_cassette(path, failing)
    assert path.read_bytes() == before
    for broken in ("interactions: {", "{"):
        path.write_text(broken, "utf-8")
        with pytest.raises(recorder.CassetteError):
            update_cassette(path, lambda current: added(1, current))
        assert path.read_text("utf-8") == broken


def test_sanitized_is_clean_and_scanned() -> None:
    """The same cassette when there is nothing to do."""
    cassette = added(1, None)
    assert sanitized(cassette) == cassette
    secret = Cassette((Interaction.from_body(b'data: {"text":"Wolpertinger"}\n\n'),))
    clean = sanitized(secret, recorder.Sanitizer.default(secrets=["Wolpertinger"]))
    assert b"Wolpertinger" not in clean.interactions[0].response.body
