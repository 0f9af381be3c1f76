"""A tool call over MCP's Streamable HTTP: CR LF, a comment, two progress notifications, then the response."""

from __future__ import annotations

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import MCP
from recorder.provider._scenario import Scenario


def _message(**members: object) -> bytes:
    return block({"jsonrpc": "2.0", **members}, "message", "\r\n")


def _progress(done: int) -> bytes:
    return _message(
        method="notifications/progress", params={"progressToken": "loopback-1", "progress": done, "total": 2}
    )


_RESULT = {"content": [{"type": "text", "text": "22 °C in Zürich ☀"}], "isError": False}
_BLOCKS = (b": ping - synthetic\r\n\r\n", _progress(1), _progress(2), _message(id=7, result=_RESULT))

MCP_SCENARIOS = (Scenario("mcp", headers=MCP, pieces=pieces(_BLOCKS, (("22 °", -1), ('"isError":false}}\r\n', -1)))),)
