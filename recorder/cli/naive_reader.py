"""A reader as many code bases have it. It passes on one clean fixture, and it is wrong.

It decodes each chunk by itself, takes a chunk for whole lines, and the end of the bytes for the end of the answer.
The demo runs it beside a reader that does none of these; try it with `recorder replay ... --reader`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

PREFIX = "data: "


def read(chunks: Iterable[bytes]) -> dict[str, Any]:
    """The text and usage of a chat stream, if nothing unusual happens.

    Args:
        chunks: the body.

    Returns:
        `text` and `usage`.
    """
    text, usage = "", None
    for chunk in chunks:
        for line in chunk.decode("utf-8").split("\n"):
            payload = line.removeprefix(PREFIX).strip()
            if not line.startswith(PREFIX) or payload == "[DONE]":
                continue
            data = json.loads(payload)
            usage = data.get("usage") or usage
            for choice in data["choices"]:
                text += choice["delta"].get("content") or ""
    return {"text": text, "usage": usage}
