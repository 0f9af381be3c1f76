"""What can be said about a file, and an edit taken for the truth."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from recorder.cassette import (
    Cassette,
    Interaction,
    accept_edits,
    check_cassette,
    dump_cassette,
    is_cut_off,
    parse_cassette,
)
from recorder.errors import CassetteError

STOCK = """\
interactions:
- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: a}}
"""


def file(folder: Path, text: str) -> Path:
    path = folder / "chat.yaml"
    path.write_bytes(text.encode())
    return path


def findings(path: Path) -> list[tuple[str, bool, str]]:
    """Code, whether an error, and the message without the path."""
    found = check_cassette(path)
    assert all(str(finding).startswith(f"{path}:") for finding in found)
    return [(finding.code, finding.is_error, str(finding).removeprefix(f"{path}:")) for finding in found]


def test_file_in_order(tmp_path: Path, whole_file: str) -> None:
    """Of a file of ours there is nothing to say."""
    assert findings(file(tmp_path, whole_file)) == []


def test_edited(tmp_path: Path, whole_file: str) -> None:
    """An edited body is an error that names the remedy; it is found, not warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ((code, is_error, message),) = findings(file(tmp_path, whole_file.replace("DONE", "ENOD")))
    assert (code, is_error) == ("edited", True)
    assert message.startswith("26: the body is not the recorded one")
    assert message.endswith("`recorder verify --accept` takes the body as it is")


def test_a_file_that_may_be_cut_off(tmp_path: Path, whole_file: str) -> None:
    """At any line end inside its last body it loads still; behind the body nothing of ours stands, which is noted."""
    start, end = whole_file.rindex("      string: |"), whole_file.rindex("    recorder:\n")
    ends = [at + 1 for at in range(start, end) if whole_file[at] == "\n"]
    assert len(ends) > 3
    for at in ends[:-1]:
        (found, *_) = findings(file(tmp_path, whole_file[:at]))
        assert (found[:2], is_cut_off(tmp_path / "chat.yaml")) == (("cut_off", False), True)
        assert "may be cut off at its end" in found[2]
    assert not is_cut_off(file(tmp_path, whole_file))


@pytest.mark.parametrize("body", [b"data: a\n\ndata: b\n\n", b" a\n\ndata: b\n\n", b"\ndata: a\n\ndata: b"])
def test_a_body_of_any_form_that_may_be_cut_off(tmp_path: Path, body: bytes) -> None:
    """However its block begins; what is left out is the last event and all behind it."""
    text = dump_cassette(Cassette((Interaction.from_body(body),)))
    assert not is_cut_off(file(tmp_path, text))
    assert is_cut_off(file(tmp_path, text[: text.index("        data: b")]))
    assert is_cut_off(file(tmp_path, "# a comment\n\n" + text[: text.index("        data: b")]))


def test_one_edited_and_one_unknown(tmp_path: Path) -> None:
    """Each is counted as what it is, and only once."""
    text = dump_cassette(Cassette((Interaction.from_body(b"data: a\n\n"), Interaction.from_body(b"data: b\n\n"))))
    (code, is_error, message), unknown = findings(file(tmp_path, text.replace("data: a", "data: c")))
    assert (code, is_error, message.partition(":")[0]) == ("edited", True, "19")
    assert unknown == ("no_chunks", False, " the chunks of 1 of 2 responses are unknown")


LITERAL = """\
- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}
  response:
    status: {code: 200, message: OK}
    headers: {}
    body:
      string: |+
        data: 1

"""


@pytest.mark.parametrize(
    "text",
    [
        STOCK,
        f"interactions:\n{LITERAL}",
        f"interactions:\n{LITERAL}version: 1\n",
        f"version: 1\ninteractions:\n{LITERAL}",
    ],
)
def test_files_of_others_are_not_cut_off(tmp_path: Path, text: str) -> None:
    """vcrpy and its kind write `interactions:` first; by hand a request is rarely laid out as ours."""
    assert "cut_off" not in [code for code, _, _ in findings(file(tmp_path, text))]


def test_unreadable(tmp_path: Path) -> None:
    """A file that does not load is one error, a missing one too."""
    assert findings(file(tmp_path, "interactions: {}\n")) == [
        ("unreadable", True, "1: interactions is not a list; write `- item` lines or [item, item]")
    ]
    assert findings(tmp_path / "none.yaml") == [("unreadable", True, " cannot be read: No such file or directory")]


def test_stock_vcrpy(tmp_path: Path) -> None:
    """Of a file of stock vcrpy the chunks are unknown; that is a note, not an error."""
    assert findings(file(tmp_path, STOCK)) == [("no_chunks", False, " the chunks of 1 of 1 responses are unknown")]


def test_not_kept(tmp_path: Path) -> None:
    """What a rewrite would lose is noted by its place."""
    assert findings(file(tmp_path, STOCK + "metadata: {}\n"))[0] == (
        "not_kept",
        False,
        " metadata (line 4) is lost when we rewrite it",
    )


def test_other_layout(tmp_path: Path, whole_file: str) -> None:
    """A file that means the same in another form is noted."""
    assert findings(file(tmp_path, whole_file.replace("method: POST", "method: 'POST'"))) == [
        ("layout", False, " not in our layout; a rewrite changes the form only")
    ]


def test_accept(tmp_path: Path, whole_file: str, whole_cassette: Cassette) -> None:
    """Accepted, an edited file is as if recorded so, without the chunks that no longer fit; and without a warning."""
    path = file(tmp_path, whole_file.replace("DONE", "ENOD"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        accepted = accept_edits(path)
        assert accepted.interactions[0].response.chunks is None
        assert accepted.interactions[0].response.end == whole_cassette.interactions[0].response.end
        assert accepted.preamble == "# Recorded for the tests.\n\n"
        assert parse_cassette(dump_cassette(accepted)) == accepted


def test_accept_a_list_that_does_not_fit(tmp_path: Path, whole_file: str) -> None:
    """A chunk list of the wrong size is dropped; so is a missing digest forgiven when the list still fits."""
    assert (
        accept_edits(file(tmp_path, whole_file.replace("[34, 14]", "[34, 15]"))).interactions[0].response.chunks is None
    )
    lines = [line for line in whole_file.splitlines(keepends=True) if "sha256" not in line]
    assert accept_edits(file(tmp_path, "".join(lines))) == parse_cassette(whole_file)


def test_accept_in_order(tmp_path: Path, whole_file: str) -> None:
    """Of a file in order accepting changes nothing."""
    assert dump_cassette(accept_edits(file(tmp_path, whole_file))) == whole_file


def test_accept_a_broken_file(tmp_path: Path) -> None:
    """Any other fault stays one."""
    with pytest.raises(CassetteError, match="interactions is not a list"):
        accept_edits(file(tmp_path, "interactions: {}\n"))
