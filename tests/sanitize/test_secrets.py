"""Known secrets: each written form is replaced, and chunk boundaries move along."""

from __future__ import annotations

import pytest

from recorder.cassette import Chunk
from recorder.sanitize._secrets import Replacer, check_secrets

SECRET = 'sk-Pl4nted/"key"+\u00e9=='
# Worked out by hand with `base64`, `xxd` and a percent-encoder, not with the code under test.
FORMS = {
    "plain": 'sk-Pl4nted/"key"+\u00e9==',
    "json": 'sk-Pl4nted/\\"key\\"+\\u00e9==',
    "json, slash escaped": 'sk-Pl4nted\\/\\"key\\"+\u00e9==',
    "percent": "sk-Pl4nted%2F%22key%22%2B%C3%A9%3D%3D",
    "percent, lower": "sk-Pl4nted%2f%22key%22%2b%c3%a9%3d%3d",
    "hex": "736b2d506c346e7465642f226b6579222bc3a93d3d",
    "hex, upper": "736B2D506C346E7465642F226B6579222BC3A93D3D",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_written_form_is_replaced(form: str) -> None:
    """The text around it stays."""
    text, count = Replacer([SECRET], "REDACTED").text(f"a {FORMS[form]} z")
    assert (text, count) == ("a REDACTED z", 1)


@pytest.mark.parametrize(
    ("plain", "encoded"),
    [
        # printf 'super-secret-value' with 0, 1 and 2 bytes before it, through base64
        ("super-secret-value", "c3VwZXItc2VjcmV0LXZhbHVl"),
        ("asuper-secret-value", "YXN1cGVyLXNlY3JldC12YWx1ZQ=="),
        ("absuper-secret-value", "YWJzdXBlci1zZWNyZXQtdmFsdWU="),
    ],
)
def test_base64_is_found_at_every_alignment(plain: str, encoded: str) -> None:
    """Wherever the secret starts inside the encoded text."""
    _, count = Replacer(["super-secret-value"], "REDACTED").text(f'{{"basic":"{encoded}"}}')
    assert count == 1, plain


def test_the_longest_secret_wins() -> None:
    """A secret that contains another is replaced whole."""
    replacer = Replacer(check_secrets(["token", "token-and-more"]), "REDACTED")
    assert replacer.text("x token-and-more token") == ("x REDACTED REDACTED", 2)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([20], [18]),  # all at once
        ([5, 15], [5, 13]),  # a cut at the start of the secret stays there
        ([7, 13], [7, 11]),  # inside it: as far into the stand-in
        ([15, 5], [13, 5]),  # at its end: at the end of the stand-in
        ([14, 6], [13, 5]),  # further inside than the stand-in is long: at its end
        ([18, 2], [16, 2]),  # behind it: moved by the difference
        ([1] * 20, [1] * 18),  # byte by byte: what became empty joins the next
    ],
)
def test_boundaries_move_with_the_text(sizes: list[int], expected: list[int]) -> None:
    """`aaaaa` + a ten byte secret + `zzzzz`, with an eight byte stand-in."""
    chunks = tuple(Chunk(1.0, size) for size in sizes)
    body, moved, count = Replacer(["0123456789"], "REDACTED").chunked(b"aaaaa0123456789zzzzz", chunks)
    assert body == b"aaaaaREDACTEDzzzzz"
    assert [chunk.size for chunk in moved] == expected
    assert count == 1


def test_no_time_is_lost_when_a_chunk_becomes_empty() -> None:
    """Its delay goes to the next chunk."""
    chunks = tuple(Chunk(1.0, 1) for _ in range(20))
    _, moved, _ = Replacer(["0123456789"], "REDACTED").chunked(b"aaaaa0123456789zzzzz", chunks)
    assert sum(chunk.delay_s for chunk in moved) == 20.0


def test_nothing_to_find_changes_nothing() -> None:
    """Without a hit the very same values come back."""
    chunks = (Chunk(0.5, 3),)
    assert Replacer([], "REDACTED").chunked(b"abc", chunks) == (b"abc", chunks, 0)
    assert Replacer(["secret"], "REDACTED").chunked(b"abc", chunks) == (b"abc", chunks, 0)


def test_a_secret_too_short_to_be_one_is_refused_without_showing_it() -> None:
    """Three characters would be found by accident; the message does not hold them."""
    with pytest.raises(ValueError, match="fewer than 4 characters") as caught:
        check_secrets(["xyz"])
    assert "xyz" not in str(caught.value)
