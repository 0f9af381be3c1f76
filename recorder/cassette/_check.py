"""Check a cassette file without using it, and take an edit for the truth: what `recorder verify` is made of.

Rule: a finding says where, what is wrong and what to do, never content. Errors fail a verification; notes do not.
Not known here: secrets, exit codes, printing.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from recorder.cassette._codec import MAX_BYTES, edited_message, read_file
from recorder.cassette._model import Cassette
from recorder.cassette._write import BODY_INDENT, write_cassette
from recorder.errors import CassetteError

_OURS = re.compile(rb"(?:(?:#.*)?\n)*version: 1\ninteractions:\n- request:\n")
_LAST_BODY = re.compile(rb"\n    body:\n      string: \|[0-9]?[+-]?\n")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about a cassette file.

    Attributes:
        code: `unreadable`, `edited`, `cut_off`, `not_kept`, `no_chunks` or `layout`.
        message: `path:line: what; what to do`.
        is_error: whether it fails a verification.
    """

    code: str
    message: str
    is_error: bool

    def __str__(self) -> str:
        return self.message


def check_cassette(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> list[Finding]:
    """Everything there is to say about a file: digests, chunk sums, shape (errors); what a rewrite changes (notes).

    Args:
        path: the file.
        max_bytes: a longer file is an error.

    Returns:
        The findings, errors first; none for a file of ours in order.
    """
    from recorder.cassette._parse import parse  # brings PyYAML

    name = os.fspath(path)
    try:
        data = read_file(path, max_bytes)
        parsed = parse(data, name, max_bytes)
    except CassetteError as error:
        return [Finding("unreadable", str(error), True)]
    cassette = parsed.cassette
    findings = [Finding("edited", edited_message(name, line), True) for line in parsed.edited]
    if _ends_in_a_body(data):
        findings.append(Finding("cut_off", cut_off_message(name), False))
    findings += [
        Finding("not_kept", f"{name}: {place} is lost when we rewrite it", False) for place in cassette.not_kept
    ]
    unknown = sum(interaction.response.chunks is None for interaction in cassette.interactions) - len(parsed.edited)
    if unknown:
        text = f"{name}: the chunks of {unknown} of {len(cassette.interactions)} responses are unknown"
        findings.append(Finding("no_chunks", text, False))
    if not findings and write_cassette(cassette, ascii=cassette.ascii) != data:
        findings.append(Finding("layout", f"{name}: not in our layout; a rewrite changes the form only", False))
    return findings


def is_cut_off(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a cassette that can be read may have lost its end: one of our layout that ends inside a response body.

    We write `recorder:` behind every body, and `version:` first, where vcrpy and its kind write it last.

    Raises:
        CassetteError: the file cannot be read.
    """
    return _ends_in_a_body(read_file(path, max_bytes))


def cut_off_message(name: str) -> str:
    """What is said about a file that may have lost its end."""
    return (
        f"{name}: may be cut off at its end: the last body has no `recorder:` behind it, which we always write; take "
        "the whole file from where it was copied, or record again"
    )


def _ends_in_a_body(data: bytes) -> bool:
    if _OURS.match(data) is None:
        return False
    start = data.rfind(b"\n    body:\n      string: |")
    head = _LAST_BODY.match(data, start) if start >= 0 else None
    return head is not None and all(
        line.startswith(b" " * BODY_INDENT) or not line.strip() for line in data[head.end() :].split(b"\n")
    )


def accept_edits(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Cassette:
    """The cassette in a file, its bodies taken as they stand: saved again, it has fresh digests.

    Chunk lists that do not fit an edited body are dropped; everything else stays. No warning is given.

    Raises:
        CassetteError: the file cannot be read, or is wrong in another way.
    """
    from recorder.cassette._parse import parse  # brings PyYAML

    return parse(read_file(path, max_bytes), os.fspath(path), max_bytes, accept=True).cassette
