"""Anthropic's Messages: named events, a ping among them, JSON padded with blanks before its last brace."""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import block, compact, pieces
from recorder.provider._heads import ANTHROPIC
from recorder.provider._scenario import Scenario

_MESSAGE: dict[str, Any] = {
    "model": "loopback-1",
    "id": "msg_loopback0002",
    "type": "message",
    "role": "assistant",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "cache_read_input_tokens": 0, "output_tokens": 1},
}
_TEXTS = ("Hello ", "from a message: ", "naïve, 日本, 👋.")


def _block(kind: str, padding: int = 0, **members: Any) -> bytes:
    written = compact({"type": kind, **members})
    return block(f"{written[:-1]}{' ' * padding}}}", kind)


def _delta(text: str, padding: int) -> bytes:
    return _block("content_block_delta", padding, index=0, delta={"type": "text_delta", "text": text})


_BLOCKS = (
    _block("message_start", 3, message=_MESSAGE),
    _block("content_block_start", 9, index=0, content_block={"type": "text", "text": ""}),
    block('{"type": "ping"}', "ping"),
    *(_delta(text, padding) for text, padding in zip(_TEXTS, (0, 7, 12), strict=True)),
    _block("content_block_stop", 4, index=0),
    _block("message_delta", 1, delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 12}),
    _block("message_stop", 14),
)

ANTHROPIC_SCENARIOS = (
    Scenario("anthropic", headers=ANTHROPIC, pieces=pieces(_BLOCKS, (("日本, 👋", -2), ("event: message_delta", -3)))),
)
