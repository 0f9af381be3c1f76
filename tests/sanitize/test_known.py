"""Known values: found in each written form, whatever is around them, and nowhere else."""

from __future__ import annotations

import pytest

from recorder.sanitize._known import Finder, Known, check_secrets

SECRET = 'sk-Pl4nted/"key"+é=='
# Worked out by hand with `base64`, `xxd` and a percent-encoder, not with the code under test.
FORMS = {
    "plain": 'sk-Pl4nted/"key"+é==',
    "json": 'sk-Pl4nted/\\"key\\"+\\u00e9==',
    "json, slash escaped": 'sk-Pl4nted\\/\\"key\\"+é==',
    "json in json": 'sk-Pl4nted/\\\\\\"key\\\\\\"+\\\\u00e9==',
    "percent": "sk-Pl4nted%2F%22key%22%2B%C3%A9%3D%3D",
    "percent, lower, some": "sk-%50l4nted%2f%22key%22%2b%c3%a9=%3d",
    "percent of escapes": "sk-Pl4nted/%5C%22key%5C%22+\\u00E9==",
    "hex": "736b2d506c346e7465642f226b6579222bc3a93d3d",
    "hex, both cases": "736B2D506C346E7465642F226b6579222bC3A93d3d",
    "line breaks": 'sk-Pl4nt\r\n  ed/"key"+é==',
    "base64": "c2stUGw0bnRlZC8ia2V5IivDqT09",
    "base64url": "c2stUGw0bnRlZC8ia2V5IivDqT09",
    "base64, lines": "c2stUGw0bnRlZC8i\na2V5IivDqT09",
    "base32": "ONVS2UDMGRXHIZLEF4RGWZLZEIV4HKJ5HU======",
    "octal": r"\163k\055Pl4nted/\042key\042+\303\251==",
    "octal, Latin": r"sk-Pl4nted/\042key\042+\351==",
    "octal in json": r"sk\\055Pl4nted/\\042key\\042+\\303\\251==",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_written_form_is_found(form: str) -> None:
    """All of it, and nothing of the text around it."""
    text = f"a {FORMS[form]} z"
    found = Finder(check_secrets([SECRET])).find(text)
    assert {(hit.start, hit.end) for hit in found} == {(2, 2 + len(FORMS[form]))}


@pytest.mark.parametrize(
    ("encoded", "covered"),
    [
        # printf 'super-secret-value' with 0, 1 and 2 bytes before it, and 0 and 1 behind it, through base64
        ("c3VwZXItc2VjcmV0LXZhbHVl", "c3VwZXItc2VjcmV0LXZhbHVl"),
        ("YXN1cGVyLXNlY3JldC12YWx1ZQ==", "XN1cGVyLXNlY3JldC12YWx1ZQ=="),
        ("YWJzdXBlci1zZWNyZXQtdmFsdWU=", "JzdXBlci1zZWNyZXQtdmFsdWU="),
        ("c3VwZXItc2VjcmV0LXZhbHVleg==", "c3VwZXItc2VjcmV0LXZhbHVl"),
        ("c3VwZXItc2VjcmV0LXZhbHVl=", "c3VwZXItc2VjcmV0LXZhbHVl"),  # no padding of what needs none
        ("YXN1cGVyLXNlY3JldC12YWx1ZXo=", "XN1cGVyLXNlY3JldC12YWx1ZX"),
    ],
)
def test_base64_is_found_at_every_alignment(encoded: str, covered: str) -> None:
    """With the characters that hold a part of the value, and the padding when the value ends there."""
    text = f'{{"basic":"{encoded}"}}'
    (hit,) = Finder(check_secrets(["super-secret-value"])).find(text)
    assert text[hit.start : hit.end] == covered


@pytest.mark.parametrize(
    ("encoded", "covered"),
    [
        # printf 'super-secret-value' with 0, 1 and 2 bytes before it, and 0 and 1 behind it, through base32
        ("ON2XAZLSFVZWKY3SMV2C25TBNR2WK===", "ON2XAZLSFVZWKY3SMV2C25TBNR2WK==="),
        ("ON2XAZLSFVZWKY3SMV2C25TBNR2WK6Q=", "ON2XAZLSFVZWKY3SMV2C25TBNR2WK"),
        ("MFZXK4DFOIWXGZLDOJSXILLWMFWHKZI=", "FZXK4DFOIWXGZLDOJSXILLWMFWHKZI="),
        ("MFZXK4DFOIWXGZLDOJSXILLWMFWHKZL2", "FZXK4DFOIWXGZLDOJSXILLWMFWHKZL"),
        ("MFRHG5LQMVZC243FMNZGK5BNOZQWY5LF", "HG5LQMVZC243FMNZGK5BNOZQWY5LF"),
        ("MFRHG5LQMVZC243FMNZGK5BNOZQWY5LFPI======", "HG5LQMVZC243FMNZGK5BNOZQWY5LF"),
    ],
)
def test_base32_is_found_at_every_alignment(encoded: str, covered: str) -> None:
    """As base64 is; of five alignments these are three."""
    text = f'{{"basic":"{encoded}"}}'
    (hit,) = Finder(check_secrets(["super-secret-value"])).find(text)
    assert text[hit.start : hit.end] == covered


@pytest.mark.parametrize("written", ["ab\\123cd-7", "ab\\\\123cd-7", "ab\\\\\\\\123cd-7"])
def test_a_value_that_holds_an_octal_escape_itself_is_found(written: str) -> None:
    """Escaped as often as it may be: an octal escape has a single backslash."""
    (hit, *_) = Finder(check_secrets(["ab\\123cd-7"])).find(f"a {written} z")
    assert (hit.start, hit.end) == (2, 2 + len(written))


def test_both_alphabets_of_base64_are_known() -> None:
    """RFC 4648 sections 4 and 5."""
    finder = Finder(check_secrets(["\u00fb\u00ff\u00fe\u00ff\u00fb\u00ff"]))  # C3BB C3BF C3BE C3BF C3BB C3BF
    assert len(finder.find("w7vDv8O+w7/Du8O/")) == 1
    assert len(finder.find("w7vDv8O-w7_Du8O_")) == 1


def test_longer_values_come_first() -> None:
    """So that a secret that contains another is replaced whole."""
    assert [each.value for each in check_secrets(["token", "token-and-more", "token"])] == ["token-and-more", "token"]


def test_blanks_around_a_secret_are_no_part_of_it() -> None:
    """As a file or a variable has them; what is left is what counts as too short."""
    assert [each.value for each in check_secrets([" token\n", "token"])] == ["token"]
    assert [each.value for each in check_secrets(["four"])] == ["four"]
    with pytest.raises(ValueError, match="fewer than 4 characters"):
        check_secrets(["xyz \n"])


def test_a_stand_in_is_never_searched() -> None:
    """Even for a secret that is a word in it."""
    assert Finder(check_secrets(["secret", "REDACTED"])).find("a secret-REDACTED-0001 b") == []
    (hit,) = Finder(check_secrets(["secret"])).find("secret secret-REDACTED-0001")
    assert (hit.start, hit.end) == (0, 6)


def test_an_escape_goes_as_a_whole() -> None:
    """A value that begins with the second character of an escape takes the backslash along, so JSON stays JSON."""
    (hit, *_) = Finder(check_secrets(["nsecret-1"])).find('{"a":"x\\nsecret-1"}')
    assert '{"a":"x\\nsecret-1"}'[hit.start : hit.end] == "\\nsecret-1"


def test_nothing_known_finds_nothing() -> None:
    """And costs nothing."""
    assert Finder(()).find("anything") == []


def test_what_is_not_there_is_not_found() -> None:
    """Not in words, ids or payloads."""
    finder = Finder(check_secrets([SECRET, "super-secret-value"]))
    assert finder.find("the quick brown fox %41%42 \\u0041 chatcmpl-AbCdEf " + "QUJDREVG" * 50 + " 00ff" * 50) == []


def test_a_secret_too_short_to_be_one_is_refused_without_showing_it() -> None:
    """Three characters would be found by accident; the message does not hold them."""
    with pytest.raises(ValueError, match="fewer than 4 characters") as caught:
        check_secrets(["xyz"])
    assert "xyz" not in str(caught.value)


def test_a_known_value_does_not_show() -> None:
    """Nor a hit of it."""
    assert "hidden" not in repr(Known("hidden-value")) + repr(Finder([Known("hidden-value")]).find("hidden-value"))
