"""OpenAI's Responses: named events that repeat their name as `type`, numbered, with the whole answer in the last."""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import OPENAI
from recorder.provider._scenario import Scenario

_TEXTS = ("Hello ", "from a response. ", "再见 👋")
_ITEM = "msg_loopback0001"


def _response(status: str, output: list[Any], usage: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "id": "resp_loopback0001",
        "object": "response",
        "created_at": 1764500000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "loopback-1",
        "output": output,
        "usage": usage,
    }


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "annotations": [], "logprobs": [], "text": text}


def _item(status: str, content: list[Any]) -> dict[str, Any]:
    return {"id": _ITEM, "type": "message", "status": status, "role": "assistant", "content": content}


def _events() -> list[dict[str, Any]]:
    place = {"item_id": _ITEM, "output_index": 0, "content_index": 0}
    text = "".join(_TEXTS)
    done = _item("completed", [_part(text)])
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 21,
    }
    return [
        {"type": "response.created", "response": _response("in_progress", [])},
        {"type": "response.in_progress", "response": _response("in_progress", [])},
        {"type": "response.output_item.added", "output_index": 0, "item": _item("in_progress", [])},
        {"type": "response.content_part.added", **place, "part": _part("")},
        *(
            {"type": "response.output_text.delta", **place, "delta": delta, "logprobs": [], "obfuscation": "x" * 8}
            for delta in _TEXTS
        ),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": _part(text)},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": _response("completed", [done], usage)},
    ]


_BLOCKS = [
    block({"type": each["type"], "sequence_number": number} | each, each["type"])
    for number, each in enumerate(_events())
]
_CUTS = (('"delta":"再', -2), ("event: response.completed", 20))  # inside a code point and an event's name

RESPONSES_SCENARIOS = (Scenario("responses", headers=OPENAI, pieces=pieces(_BLOCKS, _CUTS)),)
