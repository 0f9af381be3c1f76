"""The LF chat in a content coding: compressed on the wire, flushed with every piece, so that each can be read at once.

Rule: a coding nobody installed is an answer that says so, not a failure of the server.
"""

from __future__ import annotations

from dataclasses import replace

from recorder.coding import CodingError, encoder
from recorder.provider._chat import CHAT_SCENARIOS
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import BuiltScenario, Piece, Scenario, document

CODINGS = ("gzip", "deflate", "br", "zstd")


def coded(plain: Scenario, coding: str) -> Scenario:
    """`plain` compressed: as many pieces, each complete for a decoder that has those before it.

    Args:
        plain: a scenario whose body ends completely.
        coding: one of `CODINGS`.

    Raises:
        CodingError: the coding's package is not installed.
    """
    made = encoder(coding)
    data = [made.encode(piece.data) for piece in plain.pieces]
    data[-1] += made.finish()
    pieces = tuple(Piece(piece.delay_s, one) for piece, one in zip(plain.pieces, data, strict=True))
    return replace(plain, headers=(*plain.headers, ("content-encoding", coding)), pieces=pieces)


def _built(coding: str) -> BuiltScenario:
    name = f"chat-{coding}"

    def build(request: SeenRequest) -> Scenario:
        try:
            return replace(coded(CHAT_SCENARIOS[0], coding), name=name)
        except CodingError as error:
            return document(name, 501, "text/plain", str(error).encode())

    return BuiltScenario(name, build)


CODED_SCENARIOS = tuple(_built(coding) for coding in CODINGS)
