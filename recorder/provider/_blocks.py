"""Event stream blocks from JSON values, and the pieces they are sent in.

Rule: the same values give the same bytes in every run; a piece ends with each block and wherever a cut says. It does
not know dialects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Any

from recorder.provider._scenario import Piece

STEP_S = 0.03
Cut = tuple[str, int]


def compact(value: Any) -> str:
    """JSON without blanks, characters raw."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def block(data: Any, name: str | None = None, line_end: str = "\n") -> bytes:
    """One block.

    Args:
        data: a JSON value, or a text that stands as it is.
        name: the event's name, for a line before the data.
        line_end: LF or CR LF.
    """
    lines = [f"event: {name}"] if name else []
    lines.append("data: " + (data if isinstance(data, str) else compact(data)))
    return "".join(line + line_end for line in [*lines, ""]).encode()


def pieces(blocks: Iterable[bytes], cuts: Iterable[Cut] = ()) -> tuple[Piece, ...]:
    """Blocks as pieces, 30 ms apart.

    Args:
        blocks: each ends a piece; join two to have them in one.
        cuts: where else a piece ends: so many bytes into a text that stands once in the body, or before its end.

    Raises:
        ValueError: the text of a cut does not stand once in the body.
    """
    parts = tuple(blocks)
    body = b"".join(parts)
    places = {0, *accumulate(len(part) for part in parts), *(_place(body, *cut) for cut in cuts)}
    return tuple(Piece(STEP_S, body[start:end]) for start, end in pairwise(sorted(places)))


def _place(body: bytes, text: str, n: int) -> int:
    found = text.encode()
    if body.count(found) != 1:
        raise ValueError(f"a cut's text stands {body.count(found)} times in the body: give one that stands once")
    return body.index(found) + (n if n >= 0 else len(found) + n)
