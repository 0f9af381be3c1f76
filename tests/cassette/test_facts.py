"""Digest, chunk list and end: what still fits the body is used, what does not is said."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from recorder.cassette import Cassette, Chunk, EndKind, StreamEnd, dump_cassette, load_cassette, parse_cassette
from recorder.errors import CassetteError, CassetteWarning


def test_edited_body(tmp_path: Path, whole_file: str) -> None:
    """A body edited by hand loads with a warning; its chunk list is not used, its end is."""
    path = tmp_path / "chat.yaml"
    path.write_text(whole_file.replace("漢字", "edited"), "utf-8")
    with pytest.warns(CassetteWarning) as caught:
        response = load_cassette(path).interactions[0].response
    assert [str(warning.message) for warning in caught] == [
        f"{path}:26: the body is not the recorded one (its sha256 differs: it was edited, or a tool changed line ends "
        "or blanks), so the recorded chunks are not used; `recorder verify --accept` takes the body as it is"
    ]
    assert caught[0].filename == __file__
    assert response.body == 'data: {"text":"edited 🙂"}\n\ndata: [DONE]\n\n'.encode()
    assert response.chunks is None
    assert response.end == StreamEnd(EndKind.CLIENT_CLOSED, 0.003, True)
    assert response.recording is not None
    assert response.recording.head_s == 0.212


def test_edited_body_of_the_same_size(whole_file: str) -> None:
    """An edit that keeps the size is noticed as well."""
    with pytest.warns(CassetteWarning, match=r"^<string>:26: the body is not the recorded one") as caught:
        (interaction,) = parse_cassette(whole_file.replace("DONE", "ENOD")).interactions
    assert caught[0].filename == __file__
    assert interaction.response.chunks is None


def test_blanks_cut_off_by_an_editor() -> None:
    """A tool that strips blanks at line ends changes a stream; the digest says so."""
    text = dump_cassette(Cassette(parse_cassette(_answered("data: \n\n")).interactions))
    with pytest.warns(CassetteWarning, match="a tool changed line ends or blanks"):
        parse_cassette(text.replace("data: \n", "data:\n"))


def test_edited_body_saved_again(whole_file: str) -> None:
    """Written again, the edited body has its own digest and no chunk list; nothing is warned of any more."""
    with pytest.warns(CassetteWarning):
        edited = parse_cassette(whole_file.replace("DONE", "ENOD"))
    text = dump_cassette(edited)
    assert "chunks:" not in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_cassette(text) == edited


def test_one_of_several_edited(whole_cassette: Cassette) -> None:
    """Each interaction is judged by itself."""
    text = dump_cassette(Cassette(whole_cassette.interactions * 2))
    with pytest.warns(CassetteWarning) as caught:
        loaded = parse_cassette(text.replace("DONE", "ENOD", 1))
    assert len(caught) == 1
    assert [interaction.response.chunks for interaction in loaded.interactions] == [
        None,
        (Chunk(0.0, 30), Chunk(0.034, 14)),
    ]


def test_sizes_that_do_not_sum_to_the_body(whole_file: str) -> None:
    """With the digest right, a chunk list of another size is a broken file."""
    with pytest.raises(CassetteError) as caught:
        parse_cassette(whole_file.replace("[34, 14]", "[34, 15]"), path="chat.yaml")
    assert str(caught.value) == (
        "chat.yaml:28: the chunk sizes sum to 45, the body has 44 bytes; `recorder verify --accept` drops the list"
    )


def _answered(body: str) -> str:
    """A file of another tool with this body."""
    return (
        "interactions:\n- request: {method: GET, uri: http://a.example/, body: null, headers: {}}\n"
        f"  response: {{status: {{code: 200}}, headers: {{}}, body: {{string: {_quoted(body)}}}}}\n"
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'
