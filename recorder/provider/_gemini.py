"""Gemini's streamGenerateContent with alt=sse: CR LF, blanks in the JSON, usage on every chunk, no terminal event."""

from __future__ import annotations

import json
from typing import Any

from recorder.provider._blocks import block, pieces
from recorder.provider._heads import GEMINI
from recorder.provider._scenario import Scenario


def _block(text: str, tokens: int, finish: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}], "role": "model"}}
    if finish:
        candidate["finishReason"] = finish
    chunk = {
        "candidates": [{**candidate, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 9,
            "candidatesTokenCount": tokens,
            "totalTokenCount": 9 + tokens,
        },
        "modelVersion": "loopback-1",
        "responseId": "loopback-0004",
    }
    return block(json.dumps(chunk, ensure_ascii=False, separators=(",", ": ")), line_end="\r\n")


_BLOCKS = (_block("Hello ", 2), _block("from a candidate: 你好. ", 8), _block("Bye 👋", 12, "STOP"))

# between CR and LF of the second block, and inside the emoji
_CUTS = (('11},"modelVersion": "loopback-1","responseId": "loopback-0004"}\r\n', -1), ("Bye 👋", -2))

GEMINI_SCENARIOS = (Scenario("gemini", headers=GEMINI, pieces=pieces(_BLOCKS, _CUTS)),)
