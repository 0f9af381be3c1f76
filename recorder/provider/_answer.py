"""Sending one scenario over a connection, piece by piece, and ending it as it says.

Rule: one piece, one write; the ends are a table. HTTP is written here by hand because half of the ends are what a
library that writes HTTP refuses to do. It does not know why this scenario was chosen.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus

from recorder.adapters.loopback import ClientLeft, Peer
from recorder.provider._gate import Hold
from recorder.provider._ledger import Entry
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import HEADLESS, End, Scenario

REPEAT_FLOOR_S = 0.001  # an endless answer is never a busy loop, whatever the pace


class Framing(Enum):
    """Where the body ends, RFC 9112, 6.3."""

    CHUNKED = "chunked"
    LENGTH = "length"
    CLOSE = "close"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Answer:
    """One scenario on its way to one client.

    Args:
        peer: the client.
        request: what it asked.
        scenario: what it gets.
        entry: where it is noted.
        keep_alive: whether the connection may live on after a complete answer.
        pace: factor on every delay.
        gate: where to wait, or None.
    """

    peer: Peer
    request: SeenRequest
    scenario: Scenario
    entry: Entry
    keep_alive: bool
    pace: float
    gate: Hold | None = None

    async def send(self) -> bool:
        """Send it all and note the end.

        Returns:
            Whether the connection may carry another request.
        """
        try:
            await self._pause(self.scenario.head_delay_s)
            if self.scenario.end not in HEADLESS:
                await self._head_and_pieces()
            await self._pause(self.scenario.end_delay_s)
            return await _ENDS[self.scenario.end](self)
        except ClientLeft:
            self.entry.end("client_left")
            return False
        except BaseException:
            self.entry.end("stopped")
            raise

    @property
    def framing(self) -> Framing:
        """How this body is delimited."""
        scenario = self.scenario
        if self.request.method == "HEAD" or scenario.status in (204, 304):
            return Framing.NONE
        if scenario.content_length is not None:
            return Framing.LENGTH
        return Framing.CLOSE if scenario.end is End.EOF or self.request.http_version == "1.0" else Framing.CHUNKED

    @property
    def keeps(self) -> bool:
        """Whether the head promises another answer on this connection."""
        return self.keep_alive and self.framing is not Framing.CLOSE

    async def _head_and_pieces(self) -> None:
        self.entry.head(self.scenario.status)
        await self.peer.send(self._head())
        await self._gate(0)
        if self.framing is not Framing.NONE:
            for number, piece in enumerate(self.scenario.pieces, 1):
                await self._pause(piece.delay_s)
                await self.piece(piece.data)
                await self._gate(number)

    def _head(self) -> bytes:
        status = self.scenario.status
        reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in self.scenario.headers)]
        if self.framing is Framing.CHUNKED:
            lines.append("transfer-encoding: chunked")
        if not self.keeps:
            lines.append("connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def piece(self, data: bytes) -> None:
        """Note and send one piece."""
        self.entry.piece(data, time.monotonic())
        chunked = self.framing is Framing.CHUNKED
        await self.peer.send(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)

    async def _pause(self, seconds: float) -> None:
        await self.peer.pause(seconds * self.pace)

    async def _gate(self, number: int) -> None:
        if self.gate is not None and self.gate.after == number:
            await self.peer.until(self.gate.stand())


async def _complete(answer: Answer) -> bool:
    if answer.framing is Framing.CHUNKED:
        await answer.peer.send(b"0\r\n\r\n")
    answer.entry.end("complete")
    return answer.keeps or await _closed_orderly(answer)


async def _eof(answer: Answer) -> bool:
    answer.entry.end("eof")
    return await _closed_orderly(answer)


async def _incomplete(answer: Answer) -> bool:
    answer.peer.wire.cut()
    answer.entry.end("incomplete")
    await answer.peer.linger()
    return False


async def _reset(answer: Answer) -> bool:
    await answer.peer.settle()
    await answer.peer.reset()
    answer.entry.end(answer.scenario.end.value)
    return False


async def _refuse_head(answer: Answer) -> bool:
    answer.entry.end("refuse-head")
    return await _closed_orderly(answer)


async def _stall(answer: Answer) -> bool:
    await answer.peer.departure()
    raise ClientLeft


async def _repeat(answer: Answer) -> bool:
    piece = answer.scenario.pieces[-1]
    while True:
        await answer.peer.pause(max(piece.delay_s * answer.pace, REPEAT_FLOOR_S))
        await answer.piece(piece.data)


async def _closed_orderly(answer: Answer) -> bool:
    await answer.peer.wire.finish()
    await answer.peer.linger()
    return False


_ENDS: dict[End, Callable[[Answer], Awaitable[bool]]] = {
    End.COMPLETE: _complete,
    End.EOF: _eof,
    End.INCOMPLETE: _incomplete,
    End.RESET: _reset,
    End.STALL: _stall,
    End.REPEAT: _repeat,
    End.REFUSE_HEAD: _refuse_head,
    End.RESET_HEAD: _reset,
    End.STALL_HEAD: _stall,
}
