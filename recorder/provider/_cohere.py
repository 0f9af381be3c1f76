"""Cohere's chat, version 2: named events, over with `message-end`, and an unnamed `[DONE]` after it."""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import COHERE
from recorder.provider._scenario import Scenario

_TEXTS = ("Hello ", "from a chat: ", "שלום 👋.")


def _block(kind: str, **members: Any) -> bytes:
    return block({"type": kind, **members}, kind)


def _message(content: Any) -> dict[str, Any]:
    return {"message": {"content": content}}


_START = {"message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}}
_USAGE = {"billed_units": {"input_tokens": 4, "output_tokens": 12}, "tokens": {"input_tokens": 9, "output_tokens": 12}}
_BLOCKS = (
    block({"id": "loopback-0005", "type": "message-start", "delta": _START}, "message-start"),
    _block("content-start", index=0, delta=_message({"type": "text", "text": ""})),
    *(_block("content-delta", index=0, delta=_message({"text": text})) for text in _TEXTS),
    _block("content-end", index=0),
    _block("message-end", delta={"finish_reason": "COMPLETE", "usage": _USAGE}),
    block("[DONE]"),
)

COHERE_SCENARIOS = (
    Scenario("cohere", headers=COHERE, pieces=pieces(_BLOCKS, (("של", 1), ("event: message-end", -3)))),
)
