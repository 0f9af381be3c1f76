"""`edit=multiline`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from recorder.contracts import Contract
from recorder.plans._splices import Splice, Splices
from recorder.plans._structure import Block, data_of, own_line_end, structure, value_start
from recorder.plans._values import Bare

_STRING_OR_COMMA = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|,')


class MultiLine(Bare):
    r"""Data that is a JSON object or array comes in several data lines, cut after the commas outside its strings.

    The line feeds that join them again stand where JSON allows white space. Other data stays.

    data: {"a":1,"b":","}\n\n  ->  data: {"a":1,\ndata: "b":","}\n\n
    data: [DONE]\n\n           ->  the same
    """

    __slots__ = ()

    form = "multiline"

    def splices(self, body: bytes, contract: Contract | None) -> Splices:
        between = own_line_end(body) + b"data: "
        found = (event for event in structure(body).events if _is_json(data_of(body, event)))
        return [Splice(at, at, between) for event in found for at in _cuts(body, event)]


def _cuts(body: bytes, event: Block) -> Iterator[int]:
    """After each comma that something follows in its line."""
    for line in event.data:
        for match in _STRING_OR_COMMA.finditer(body, value_start(body, line), line.end):
            if match[0] == b"," and match.end() < line.end:
                yield match.end()


def _is_json(data: bytes) -> bool:
    """Whether it is an object or an array; the numbers in it do not matter."""
    if not data.lstrip(b" \t\n").startswith((b"{", b"[")):
        return False
    try:
        json.loads(data.decode("utf-8", "replace"), parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True
