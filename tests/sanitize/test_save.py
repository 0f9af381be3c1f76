"""Saving: clean, scan, write; in that order or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response, load_cassette
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize import save_cassette

KEY = "sk-planted-3141592653589793"


def answered(body: bytes) -> Cassette:
    request = Request("POST", "https://api.example.com/v1", Headers({"authorization": f"Bearer {KEY}"}), b"{}")
    return Cassette((Interaction(request, Response(200, Headers({"content-type": "text/event-stream"}), body)),))


def split_key() -> bytes:
    halves = (KEY[:10], KEY[10:])
    return b"".join(b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % half.encode() for half in halves)


def unreadable() -> Cassette:
    request = Request("POST", "https://api.example.com/v1", Headers({"authorization": f"Bearer {KEY}"}), b"{}")
    head = Headers({"content-type": "text/event-stream", "content-encoding": "gzip"})
    return Cassette((Interaction(request, Response(200, head, b"\xff\xfe not gzip " + KEY.encode())),))


def test_what_is_saved_is_clean(tmp_path: Path) -> None:
    """The key is replaced, and the file loads to the sanitized cassette."""
    path = tmp_path / "chat.yaml"
    save_cassette(answered(b"data: the key is %s\n\n" % KEY.encode()), path)
    assert KEY not in path.read_text("utf-8")
    assert load_cassette(path).interactions[0].response.body == b"data: the key is secret-REDACTED-0001\n\n"


def test_a_key_over_two_events_is_replaced(tmp_path: Path) -> None:
    """What is left of the second event is an event still."""
    path = tmp_path / "chat.yaml"
    save_cassette(answered(split_key()), path)
    assert load_cassette(path).interactions[0].response.body == (
        b'data: {"choices":[{"delta":{"content":"secret-REDACTED-0001"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":""}}]}\n\n'
    )


def test_residue_means_no_file(tmp_path: Path) -> None:
    """A body in a coding that cannot be undone cannot be looked into: refused, and nothing is left in the folder."""
    path = tmp_path / "chat.yaml"
    with pytest.raises(ResidueError) as caught:
        save_cassette(unreadable(), path)
    assert "content-coding in interaction 1, response body" in str(caught.value)
    assert KEY not in repr(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_residue_leaves_the_old_file(tmp_path: Path) -> None:
    """A refusal does not touch what was there."""
    path = tmp_path / "chat.yaml"
    save_cassette(answered(b"data: 1\n\n"), path)
    before = path.read_bytes()
    with pytest.raises(ResidueError):
        save_cassette(unreadable(), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("count", "end"), [(1, "1, response body"), (5, "5, response body"), (6, "5, response body; and 1 more")]
)
def test_a_refusal_names_five_places(tmp_path: Path, count: int, end: str) -> None:
    """And says how many there are beyond them."""
    with pytest.raises(ResidueError) as caught:
        save_cassette(Cassette(unreadable().interactions * count), tmp_path / "chat.yaml")
    said = str(caught.value)
    assert said.count("content-coding in interaction ") == min(count, 5)
    assert said.endswith(f"content-coding in interaction {end}. Add a rule or record without it")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """It is told, by an error that leads to no text of the file."""
    (tmp_path / "chat.yaml").mkdir()
    with pytest.raises(CassetteError) as caught:
        save_cassette(answered(b"data: an answer\n\n"), tmp_path / "chat.yaml")
    assert str(caught.value) == f"{tmp_path}/chat.yaml: cannot be written: it is not a regular file"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    places = [entry.frame.f_locals for entry in caught.traceback]
    assert not any("an answer" in value for place in places for value in place.values() if isinstance(value, str))


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """Load and save of our own file is the identity."""
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    save_cassette(answered(b"data: %s\n\n" % KEY.encode()), first)
    save_cassette(load_cassette(first), second)
    assert first.read_bytes() == second.read_bytes()
