"""The conditions on what a pattern found, each at both sides of its border, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recorder.sanitize import _checks

CASES: list[tuple[Callable[[str], bool], list[str], list[str]]] = [
    (_checks.has_digit, ["a1", "1a"], ["11", "a", ""]),
    (_checks.holds_digit, ["a1", "11"], ["a", ""]),
    (_checks.is_hardware, ["00:1b:44:11:3a:b7"], ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "FF:FF:FF:FF:FF:FF"]),
    (_checks.is_mixed, ["aB1"], ["ab1", "AB1", "aBc", ""]),
    # eight characters that differ have three bits each; with two alike it is 6 * 3/8 + 2 * 2/8 = 2.75
    (_checks.is_random, ["abcdefg1"], ["abcdef11", "abcdefgh", "12345678", ""]),
    (_checks.is_password, ["hunter2", "passwords"], ["pass", "PASSWORD", "secret"]),
    # "a:b", "a:bc" without its padding; "ab", a control character, no base64
    (_checks.is_basic, ["YTpi", "YTpiYw"], ["YWI=", "YToA", "YTp!", "YT!pi", "\u00e9"]),
    (
        _checks.is_address,
        ["10.1.2.30", "1.2.3.40", "192.168.0.1", "2001:db8::1", "fe80::1:2"],
        [
            "127.0.0.1", "0.0.0.0", "0.1.2.30", "224.0.0.10", "255.255.255.255", "255.1.2.30", "10.0.0.0", "8.8.8.8",
            "8.8.4.4", "9.9.9.9", "1.0.0.1", "1.1.1.1", "1.2.3.4", "999.1.2.30", "10.1.2", "::", "::1", "fe80::1",
            "ff02::1:2",
        ],
    ),
    (_checks.is_person, ["jane", "j1"], ["root", "Root", "1234", ""]),
    (_checks.is_mail, ["a@b.example", "gita@github.com"], ["icon@2x.png", "icon@2x.PNG", "git@github.com"]),
    (
        _checks.is_phone,
        ["12345678", "123456789012345", "+49 (30) 123-45", "12312312"],
        ["1234567", "1234567890123456", "11111111", "12121212", "phone"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("check", "yes", "no"), CASES, ids=[check.__name__ for check, _, _ in CASES])
def test_what_a_check_lets_pass(check: Callable[[str], bool], yes: list[str], no: list[str]) -> None:
    """And what not."""
    assert [value for value in yes if not check(value)] == []
    assert [value for value in no if check(value)] == []
