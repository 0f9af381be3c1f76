"""Verifying cassettes: edits, damage and secrets are found, and an edit can be taken for the truth."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import recorder
from recorder.cassette import Cassette
from recorder.inspect import accept, verify
from recorder.inspect._verify import _in_vcrpy

KEY = "sk-planted-3141592653589793"


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.yaml"
    shutil.copy(recorder.gallery()["chat-lf"], path)
    return path


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def test_the_gallery_is_in_order() -> None:
    """What ships has no finding at all."""
    assert [(name, verify(path)) for name, path in recorder.gallery().items() if verify(path)] == []


def test_an_edited_body_is_found_and_can_be_accepted(chat: Path) -> None:
    """Then it has a fresh digest and no chunk list, since that does not fit any more."""
    edit(chat, "Hello, reader.", "Hello, dear reader.")
    (found,) = verify(chat)
    assert (found.code, found.is_error) == ("edited", True)
    assert "recorder verify --accept" in found.message
    assert "Hello" not in found.message
    accept(chat)
    assert [each.code for each in verify(chat) if each.is_error] == []
    response = recorder.load_cassette(chat).interactions[0].response
    assert b"Hello, dear reader." in response.body
    assert response.chunks is None


def test_a_file_that_cannot_be_read_is_one_finding(chat: Path) -> None:
    """And nothing else is said of it."""
    chat.write_text("interactions: [", "utf-8")
    (found,) = verify(chat)
    assert (found.code, found.is_error) == ("unreadable", True)


@pytest.mark.filterwarnings("ignore::recorder.errors.CassetteWarning")
def test_a_secret_that_was_put_in_is_found(chat: Path) -> None:
    """Named by rule and place; accepting the edit cleans it."""
    edit(chat, "Hello, reader.", f"Hello, {KEY}.")
    sanitizer = recorder.Sanitizer.default([KEY])
    codes = {each.code for each in verify(chat, sanitizer)}
    assert {"edited", "residue"} <= codes
    assert KEY not in "".join(map(str, verify(chat, sanitizer)))
    accept(chat, sanitizer)
    assert [each.code for each in verify(chat, sanitizer) if each.is_error] == []
    assert KEY not in chat.read_text("utf-8")


def test_a_header_off_the_list_is_found(chat: Path) -> None:
    """It may not be stored, so the file is not in order."""
    edit(chat, "      accept: [text/event-stream]\n", "      accept: [text/event-stream]\n      x-user: [me]\n")
    assert [each.code for each in verify(chat)] == ["residue"]


def test_what_stock_vcrpy_does_not_load_is_found(tmp_path: Path) -> None:
    """Named by its kind only; a rewrite mends it."""
    path = tmp_path / "old.yaml"
    text = recorder.gallery()["marker-only"].read_text("utf-8")
    line, tag = "      accept: [text/event-stream]\n", "!!python/object/apply:multidict._multidict.istr"
    assert line in text
    path.write_text(text.replace(line, f"      ? {tag}\n      - accept\n      : [text/event-stream]\n"), "utf-8")
    wrong = [each for each in verify(path) if each.is_error]
    assert [each.code for each in wrong] == ["vcrpy"]
    assert "stock vcrpy does not load it (ValueError)" in wrong[0].message
    assert "istr" not in wrong[0].message


def test_what_stock_vcrpy_reads_otherwise_is_found(tmp_path: Path) -> None:
    """Two readers of one file must give one answer."""
    path = tmp_path / "old.yaml"
    shutil.copy(recorder.gallery()["marker-only"], path)
    assert verify(path) == []
    theirs = recorder.load_cassette(path)
    changed = replace(theirs.interactions[0].response, body=b"data: [STOP]\n\n")
    (found,) = _in_vcrpy(path, Cassette((replace(theirs.interactions[0], response=changed),)))
    assert (found.code, found.is_error) == ("vcrpy", True)
    assert "reads another interaction 1" in found.message
