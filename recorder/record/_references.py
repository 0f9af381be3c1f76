"""Credentials are named, never written out: `$NAME` in a header or URL stands for the environment variable.

Rule: what looks like a key on a command line is refused before anything is sent, since other processes and the shell's
history have it already. Nothing of it is repeated.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import quote

from recorder.errors import ConfigurationError
from recorder.sanitize import DEFAULT_RULES, Rule

_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_CREDENTIAL_HEADER = re.compile(r"authorization|cookie|credential|key|password|secret|token", re.IGNORECASE)
_CREDENTIAL_QUERY = re.compile(
    r"[?&](?:[\w-]*key|[\w-]*token|auth|code|sig|signature|password)=([^&#]+)", re.IGNORECASE
)
_KINDS = ("key", "token", "jwt", "secret", "signature", "pem")
_REMEDY = "revoke it if it is real, then export NAME=... and write $NAME (in single quotes), or use --auth-env NAME"


def check_no_literals(texts: Iterable[str], headers: Iterable[tuple[str, str]]) -> None:
    """Look for keys that are written out.

    Args:
        texts: everything that came from the command line.
        headers: names and values as written.

    Raises:
        ConfigurationError: there is one.
    """
    for name, value in headers:
        if _CREDENTIAL_HEADER.search(name) and name.lower() != "idempotency-key" and "$" not in value:
            raise ConfigurationError(f"the header {name} holds its value literally: {_REMEDY}")
    for text in texts:
        found = [match[1] for match in _CREDENTIAL_QUERY.finditer(text) if "$" not in match[1]]
        by_form = any(True for rule in _rules() for _ in rule.find(text))
        if found or by_form:
            raise ConfigurationError(f"a key is written on the command line: {_REMEDY}")


def filled_in(text: str, *, in_url: bool = False) -> tuple[str, list[str]]:
    """The text with the values of the variables it names, and these values.

    Raises:
        ConfigurationError: a variable is not set.
    """
    values: list[str] = []

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        found = os.environ.get(name, "").strip()
        if not found:
            raise ConfigurationError(f"the environment variable {name} is not set: export {name}=... with the key")
        values.append(found)
        return quote(found, safe="") if in_url else found

    return _REFERENCE.sub(value, text), values


def _rules() -> Iterable[Rule]:
    return (rule for rule in DEFAULT_RULES if isinstance(rule, Rule) and rule.pattern and rule.kind in _KINDS)
