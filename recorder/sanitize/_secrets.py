"""Known secrets: the written forms of one, and their replacement inside bytes that are cut into chunks.

Rule: a secret is looked for in the forms in which it travels; every form has one replacement. What this code cannot
replace (a secret spread over several events) the residue scan must find and refuse.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from urllib.parse import quote

from recorder.cassette import Chunk

SHORTEST = 4


def check_secrets(secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets, longest first, without repetition.

    Raises:
        ValueError: one is so short that it would be found by accident.
    """
    unique = sorted(set(secrets), key=lambda secret: (-len(secret), secret))
    if any(len(secret) < SHORTEST for secret in unique):
        raise ValueError(
            f"a known secret has fewer than {SHORTEST} characters and would be found everywhere: pass the whole value"
        )
    return tuple(unique)


def written_forms(secret: str) -> list[bytes]:
    """The byte strings in which `secret` may stand in a request or a body."""
    raw = secret.encode()
    percent = quote(secret, safe="")
    forms = [
        raw,
        json.dumps(secret)[1:-1].encode(),
        json.dumps(secret, ensure_ascii=False)[1:-1].replace("/", "\\/").encode(),
        percent.encode(),
        re.sub("%[0-9A-F]{2}", lambda m: m.group().lower(), percent).encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
    ]
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        forms += _aligned(raw, encode)
    return sorted({form for form in forms if len(form) >= SHORTEST}, key=len, reverse=True)


def _aligned(raw: bytes, encode: object) -> list[bytes]:
    """Base64 of `raw` at each of its three alignments in a longer text, less the characters its neighbours share."""
    found = []
    for before in range(3):
        text: bytes = encode(b"\0" * before + raw)  # type: ignore[operator]
        first = (0, 2, 3)[before]
        last = len(text.rstrip(b"=")) - (1 if (before + len(raw)) % 3 else 0)
        found.append(text[first:last])
    return found


class Replacer:
    """Replaces every written form of the secrets by one stand-in, and moves chunk boundaries along.

    Args:
        secrets: as `check_secrets` gives them.
        stand_in: what is written instead.
    """

    def __init__(self, secrets: Sequence[str], stand_in: str) -> None:
        forms = sorted({form for secret in secrets for form in written_forms(secret)}, key=len, reverse=True)
        self._pattern = re.compile(b"|".join(map(re.escape, forms))) if forms else None
        self._stand_in = stand_in.encode()

    def text(self, value: str) -> tuple[str, int]:
        """`value` without the secrets, and the number of replacements."""
        data, count = self.data(value.encode("utf-8", "surrogateescape"))
        return (data.decode("utf-8", "surrogateescape"), count) if count else (value, 0)

    def data(self, value: bytes) -> tuple[bytes, int]:
        """The same for bytes."""
        return self._pattern.subn(self._stand_in, value) if self._pattern else (value, 0)

    def chunked(self, body: bytes, chunks: tuple[Chunk, ...]) -> tuple[bytes, tuple[Chunk, ...], int]:
        """The same for a body in chunks. A boundary inside a secret stays as far inside the stand-in, or at its end."""
        hits = [match.span() for match in self._pattern.finditer(body)] if self._pattern else []
        if not hits:
            return body, chunks, 0
        ends = _moved(list(accumulate(chunk.size for chunk in chunks)), hits, len(self._stand_in))
        return self.data(body)[0], _rebuilt(chunks, ends), len(hits)


def _moved(ends: Sequence[int], hits: Sequence[tuple[int, int]], width: int) -> list[int]:
    moved, shift, index = [], 0, 0
    for end in ends:
        while index < len(hits) and hits[index][1] <= end:
            shift += width - (hits[index][1] - hits[index][0])
            index += 1
        inside = index < len(hits) and hits[index][0] < end
        moved.append(hits[index][0] + shift + min(end - hits[index][0], width) if inside else end + shift)
    return moved


def _rebuilt(chunks: Sequence[Chunk], ends: Sequence[int]) -> tuple[Chunk, ...]:
    """The chunks with new ends; one that became empty lends its delay to the next."""
    built: list[Chunk] = []
    start, waited = 0, 0.0
    for chunk, end in zip(chunks, ends, strict=True):
        waited += chunk.delay_s
        if end > start:
            built.append(Chunk(waited, end - start))
            start, waited = end, 0.0
    return tuple(built)
