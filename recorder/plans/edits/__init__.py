"""`edit=`: what is changed in the text before it is cut, and at last how it is encoded. One file a value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from recorder.errors import PlanError
from recorder.plans._values import REMEMBERED, parsed
from recorder.plans.edits._bom import Bom
from recorder.plans.edits._comments import Comments
from recorder.plans.edits._cr import Cr
from recorder.plans.edits._crlf import CrLf
from recorder.plans.edits._drop import Drop
from recorder.plans.edits._dup import Dup
from recorder.plans.edits._encoding import Br, Deflate, Encoding, Gzip, Zstd
from recorder.plans.edits._flip import Flip
from recorder.plans.edits._insert import Insert, percent_encoded
from recorder.plans.edits._lf import Lf
from recorder.plans.edits._multiline import MultiLine
from recorder.plans.edits._nospace import NoSpace
from recorder.plans.edits._protocol import Edit
from recorder.plans.edits._utf8 import Utf8

EDITS: dict[str, type[Edit]] = {
    "lf": Lf,
    "crlf": CrLf,
    "cr": Cr,
    "bom": Bom,
    "nospace": NoSpace,
    "multiline": MultiLine,
    "comments": Comments,
    "drop": Drop,
    "dup": Dup,
    "flip": Flip,
    "utf8": Utf8,
    "insert": Insert,
    "gzip": Gzip,
    "br": Br,
    "zstd": Zstd,
    "deflate": Deflate,
}

__all__ = ["EDITS", "Edit", "check_edits", "edit", "encoding_of", "percent_encoded"]


@lru_cache(maxsize=REMEMBERED)
def edit(text: str) -> Edit:
    """The edit that `text` writes.

    Raises:
        PlanError: it is not a value of `edit=`.
    """
    return parsed("edit", text, EDITS)


def check_edits(texts: Sequence[str]) -> None:
    """Raises:
    PlanError: one of `texts` is not a value of `edit=`, or something follows an encoding.
    """
    for number, text in enumerate(texts, 1):
        if isinstance(edit(text), Encoding) and number < len(texts):
            raise PlanError(f"edit={','.join(texts)}: {text} comes last, and there is at most one encoding")


def encoding_of(texts: Sequence[str]) -> str | None:
    """The encoding that valid `texts` end with, None without one."""
    return texts[-1] if texts and isinstance(edit(texts[-1]), Encoding) else None
