"""Is a cassette in order? Digests, chunk sums, shape; whether a secret is left; and whether sanitizing would change it.

Rule: a finding says where and what to do, never content. Taking an edited body for the truth is for the user to decide,
and goes the one way to disk.
"""

from __future__ import annotations

import os

from recorder.cassette import Cassette, Finding, accept_edits, check_cassette
from recorder.sanitize import Sanitizer, save_cassette


def verify(path: str | os.PathLike[str], sanitizer: Sanitizer | None = None) -> list[Finding]:
    """Everything there is to say about the file.

    Args:
        path: the cassette.
        sanitizer: what secrets to look for; `Sanitizer.default()` unless given.

    Returns:
        The findings; one with `is_error` means the file is not in order. None for a file that is.
    """
    findings = check_cassette(path)
    if any(each.code == "unreadable" for each in findings):
        return findings
    return findings + _secrets(os.fspath(path), accept_edits(path), sanitizer or Sanitizer.default())


def accept(path: str | os.PathLike[str], sanitizer: Sanitizer | None = None) -> None:
    """Take the bodies of the file as they stand for the truth: fresh digests, no chunk list where it does not fit.

    Raises:
        CassetteError: the file cannot be read or written.
        ResidueError: a secret is left; the file was not touched.
    """
    save_cassette(accept_edits(path), path, sanitizer)


def _secrets(name: str, cassette: Cassette, sanitizer: Sanitizer) -> list[Finding]:
    found = [
        Finding("residue", f"{name}: {each}; record again or sanitize the file", True)
        for each in sanitizer.scan(cassette)
    ]
    if not found and sanitizer.apply(cassette) != cassette:
        found.append(Finding("unsanitized", f"{name}: sanitizing would change it; save it with recorder", True))
    return found
