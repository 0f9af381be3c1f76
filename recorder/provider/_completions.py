"""The legacy Completions of OpenAI: text in place of deltas, the same marker at the end."""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import OPENAI
from recorder.provider._scenario import Scenario


def _block(text: str, finish: str | None = None) -> bytes:
    choice: dict[str, Any] = {"text": text, "index": 0, "logprobs": None, "finish_reason": finish}
    head = {"id": "cmpl-loopback-0006", "object": "text_completion", "created": 1764500000, "model": "loopback-1"}
    return block({**head, "choices": [choice]})


_BLOCKS = (_block("Hello "), _block("from a completion: ñ 👋."), _block("", "stop"), block("[DONE]"))

COMPLETIONS_SCENARIOS = (Scenario("completions", headers=OPENAI, pieces=pieces(_BLOCKS, (("ñ 👋", -2),))),)
