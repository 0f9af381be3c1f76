"""Further conditions on a value that a pattern found: what tells a secret from a word, a hash or an address of no one.

Rule: each is a small pure function over the value.
"""

from __future__ import annotations

import base64
import ipaddress
from collections import Counter
from math import log2

_NOBODY = frozenset(
    {
        "app", "appuser", "circleci", "coder", "default", "gitpod", "guest", "home", "jovyan", "me", "name", "node",
        "public", "root", "runner", "sandbox", "shared", "travis", "ubuntu", "user", "username", "vagrant", "vscode",
        "you", "yourname", "your_name", "your-name", "yourusername", "<name>", "$user", "${user}", "%username%",
    }
)  # fmt: skip
"""Home directories that say nothing about a person."""

_NOT_A_DOMAIN = frozenset({"css", "gif", "ico", "jpeg", "jpg", "js", "pdf", "png", "py", "svg", "ts", "webp"})


def has_digit(value: str) -> bool:
    """At least one digit, and not only digits."""
    return any(map(str.isdigit, value)) and not value.isdigit()


def holds_digit(value: str) -> bool:
    """At least one digit."""
    return any(map(str.isdigit, value))


def is_hardware(value: str) -> bool:
    """The address of a network card: not all zeros, not the broadcast address."""
    return value.strip("0:fF") != ""


def is_mixed(value: str) -> bool:
    """Upper and lower case letters and digits: no hash, which has one case, and no word."""
    return any(map(str.isupper, value)) and any(map(str.islower, value)) and any(map(str.isdigit, value))


def is_random(value: str) -> bool:
    """Letters and digits, with at least 3 bits of entropy a character: no word, no name with a number."""
    if not has_digit(value):
        return False
    counts = Counter(value)
    return sum(-n / len(value) * log2(n / len(value)) for n in counts.values()) >= 3.0


def is_password(value: str) -> bool:
    """Not one of the words that stand for a password in a manual."""
    return value.lower() not in ("pass", "passwd", "password", "pwd", "secret")


def is_basic(value: str) -> bool:
    """Base64 of `user:password` (RFC 7617)."""
    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except ValueError:
        return False
    return ":" in text and text.isprintable()


def is_address(value: str) -> bool:
    """An IP address of some machine: not of this one, of none or of all, no network, no version.

    Public resolvers (8.8.8.8) are written as versions are: of single digits.
    """
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    if address.is_loopback or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        return len([group for group in value.split(":") if group]) >= 3
    octets = value.split(".")
    if octets[0] in ("0", "255") or octets[1:] == ["0", "0", "0"]:
        return False
    return any(len(octet) > 1 for octet in octets)


def is_person(value: str) -> bool:
    """A user name that is somebody's."""
    return value.lower() not in _NOBODY and any(map(str.isalpha, value))


def is_mail(value: str) -> bool:
    """An address at a domain: not an image for a dense display, not the user of a repository's URL."""
    local, _, domain = value.rpartition("@")
    return domain.rpartition(".")[2].lower() not in _NOT_A_DOMAIN and local != "git"


def is_phone(value: str) -> bool:
    """8 to 15 digits (ITU-T E.164), not all the same."""
    digits = [char for char in value if char.isdigit()]
    return 8 <= len(digits) <= 15 and len(set(digits)) > 2
