"""The names tests give to cassettes stay in the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorder.cassette import cassette_path
from recorder.errors import CassetteError


@pytest.mark.parametrize(
    ("name", "relative"),
    [
        ("chat", "chat.yaml"),
        ("chat.yaml", "chat.yaml"),
        ("chat.yml", "chat.yml"),
        ("gpt-4.1", "gpt-4.1.yaml"),
        ("TestChat/test_ends[reset-1]", "TestChat/test_ends[reset-1].yaml"),
        ("..chat", "..chat.yaml"),
        ("漢字", "漢字.yaml"),
        ("x" * 250, "x" * 250 + ".yaml"),
        ("漢" * 83, "漢" * 83 + ".yaml"),
        ("x" * 250 + "/" + "y" * 250, "x" * 250 + "/" + "y" * 250 + ".yaml"),
    ],
)
def test_name(tmp_path: Path, name: str, relative: str) -> None:
    """An ordinary name, with folders or without, is a file in the folder."""
    assert cassette_path(tmp_path, name) == tmp_path / relative


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "has an empty part"),
        ("/etc/passwd", "is an absolute path"),
        ("C:/x", "is an absolute path"),
        ("..", "steps out of the folder"),
        ("../x", "steps out of the folder"),
        ("a/../../x", "steps out of the folder"),
        ("a/../x", "steps out of the folder"),
        ("..\\x", "holds a backslash, which separates folders on Windows"),
        ("a\\b", "holds a backslash, which separates folders on Windows"),
        ("a\0b", "holds a control character"),
        ("a\nb", "holds a control character"),
        ("a//b", "has an empty part"),
        ("a/", "has an empty part"),
        ("./a", "has an empty part"),
        ("x" * 251, "has a part longer than 250 bytes"),
        ("漢" * 84, "has a part longer than 250 bytes"),
    ],
)
def test_name_that_is_refused(tmp_path: Path, name: str, problem: str) -> None:
    """Whatever could leave the folder, or is no name everywhere, is refused with what would be right."""
    with pytest.raises(CassetteError) as caught:
        cassette_path(tmp_path, name)
    assert problem in str(caught.value)
    assert str(caught.value).endswith("; right is a name like 'chat' or 'group/chat'")
    assert len(str(caught.value)) < 400


def test_how_a_refused_name_is_shown(tmp_path: Path) -> None:
    """In ASCII and within 80 characters, the quotes counted."""
    for name, shown in (
        ("a\n漢", r"'a\n\u6f22'"),
        ("../" + "x" * 75, "'../" + "x" * 75 + "'"),
        ("../" + "x" * 76, "'../" + "x" * 72 + "...'"),
    ):
        with pytest.raises(CassetteError) as caught:
            cassette_path(tmp_path, name)
        assert str(caught.value).startswith(f"the cassette name {shown} ")
        assert len(shown) <= 80


def test_symbolic_link_out_of_the_folder(tmp_path: Path) -> None:
    """A link inside the folder does not lead out of it; one that stays inside is fine, so is one to the folder."""
    outside, inside = tmp_path / "outside", tmp_path / "cassettes"
    outside.mkdir()
    (inside / "real").mkdir(parents=True)
    (inside / "out").symlink_to(outside)
    (inside / "same").symlink_to(inside / "real")
    (tmp_path / "link").symlink_to(inside)
    with pytest.raises(CassetteError) as caught:
        cassette_path(inside, "out/chat")
    told = f"the cassette name 'out/chat' leads out of {inside} through a symbolic link; use another"
    assert str(caught.value) == told
    assert cassette_path(inside, "same/chat") == inside / "same" / "chat.yaml"
    assert cassette_path(tmp_path / "link", "chat") == tmp_path / "link" / "chat.yaml"
