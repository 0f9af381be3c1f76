"""Blocks and the pieces they are sent in."""

from __future__ import annotations

import pytest

from recorder.provider._blocks import block, pieces


def test_a_block() -> None:
    """Compact JSON with raw characters, or a text as it is; a name comes first."""
    assert block({"a": [1, "é"]}) == b'data: {"a":[1,"\xc3\xa9"]}\n\n'
    assert block("[DONE]", "done", "\r\n") == b"event: done\r\ndata: [DONE]\r\n\r\n"


def test_pieces_end_with_blocks_and_at_cuts() -> None:
    """So many bytes into a text, or before its end; a cut where a block ends adds nothing."""
    made = pieces([b"data: a\n\n", b"data: \xc3\xa9b\n\n"], [("é", 1), ("b\n", -1), ("a\n\n", 3)])
    assert [piece.data for piece in made] == [b"data: a\n\n", b"data: \xc3", b"\xa9b", b"\n\n"]
    assert {piece.delay_s for piece in made} == {0.03}


@pytest.mark.parametrize("text", ["data", "nowhere"])
def test_a_cut_stands_once(text: str) -> None:
    """Else it would be somewhere else after the next edit of the scenario."""
    with pytest.raises(ValueError, match=r"stands [02] times in the body"):
        pieces([b"data: a\n\n", b"data: b\n\n"], [(text, 1)])
