"""Is a cassette in order? Digests, chunk sums, shape; whether stock vcrpy reads the same in it; whether a secret is
left; and whether sanitizing would change it.

Rule: a finding says where and what to do, never content. Taking an edited body for the truth is for the user to decide,
and goes the one way to disk.
"""

from __future__ import annotations

import os
from pathlib import Path

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
    cassette = accept_edits(path)
    return [
        *findings,
        *_in_vcrpy(Path(path), cassette),
        *_secrets(os.fspath(path), cassette, sanitizer or Sanitizer.default()),
    ]


def accept(path: str | os.PathLike[str], sanitizer: Sanitizer | None = None) -> None:
    """Take the bodies of the file as they stand for the truth: fresh digests, no chunk list where it does not fit.

    Raises:
        CassetteError: the file cannot be read or written.
        ResidueError: a secret is left; the file was not touched.
    """
    save_cassette(accept_edits(path), path, sanitizer)


def _in_vcrpy(path: Path, cassette: Cassette) -> list[Finding]:
    """What stock vcrpy makes of the file; it reads the text, as its own store and pytest-recording's do."""
    from vcr.serialize import deserialize  # type: ignore[import-untyped,unused-ignore]  # vcrpy has no types
    from vcr.serializers import yamlserializer  # type: ignore[import-untyped,unused-ignore]  # vcrpy has no types

    remedy = "a rewrite mends that: `recorder sanitize` writes it anew"
    try:
        requests, responses, *_ = deserialize(path.read_text("utf-8"), yamlserializer)
        theirs = [
            (request.method, request.uri, response["status"]["code"], response["body"]["string"])
            for request, response in zip(requests, responses, strict=True)
        ]
    except Exception as error:  # whatever vcrpy raises on a file it was not made for; its text may quote the file
        return [Finding("vcrpy", f"{path}: stock vcrpy does not load it ({type(error).__name__}); {remedy}", True)]
    ours = [
        (each.request.method, each.request.uri, each.response.status, each.response.body)
        for each in cassette.interactions
    ]
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            text = f"{path}: stock vcrpy reads another interaction {number} than we do; {remedy}"
            return [Finding("vcrpy", text, True)]
    return []


def _secrets(name: str, cassette: Cassette, sanitizer: Sanitizer) -> list[Finding]:
    found = [
        Finding("residue", f"{name}: {each}; record again or sanitize the file", True)
        for each in sanitizer.scan(cassette)
    ]
    if not found and sanitizer.apply(cassette) != cassette:
        found.append(Finding("unsanitized", f"{name}: sanitizing would change it; save it with recorder", True))
    return found
