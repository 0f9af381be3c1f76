"""The chat family: one OpenAI-shaped completion, all of it synthetic, with LF and with CRLF, and cut where it hurts.

Rule: the same bytes, boundaries and delays in every run. The text is chosen for the faults it finds: several scripts,
a family emoji joined by U+200D, a raw U+2028 (a line end to `str.splitlines`, not to an event stream), JSON escapes,
"[DONE]" as a word.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from recorder.provider._heads import OPENAI
from recorder.provider._scenario import Piece, Scenario

HEARTBEAT = ": loopback heartbeat"
DELTAS = (
    "Hello, reader. ",
    "你好，世界。",
    "مرحبا بالعالم. नमस्ते दुनिया। ",
    "One line\u2028or two? ",
    "A family: 👨\u200d👩\u200d👧\u200d👦. ",
    'A "quote", a \\ and a\nnew line. ',
    "The word [DONE] ends nothing. ",
    "再见 👋",
)
USAGE = {"prompt_tokens": 11, "completion_tokens": 64, "total_tokens": 75}

# A cut (block, text, n) falls n bytes into `text`, which stands once in that block; with "" it falls n bytes into the
# line end and blank line that close the block. Blocks are counted from 0, the heartbeat included.
Cut = tuple[int, str, int]
_CUTS: tuple[Cut, ...] = (
    (0, "heartbeat", 5),  # inside a comment
    (1, "data: {", 2),  # inside a field name
    (2, "Hello", 4),  # inside an event
    (3, "你", 1),  # inside a code point of three bytes
    (3, "世", 2),
    (4, "ر", 1),  # of two
    (4, "न", 2),
    (5, "\u2028", 1),  # inside the line separator
    (6, "👨", 2),  # inside a code point of four
    (6, "\u200d👩", 3),  # between a joiner and what it joins
    (7, "\\n", 1),  # inside a JSON escape
    (9, "👋", 3),
    (11, "data: {", 5),  # between the colon and the blank
    (12, "[DONE]", 3),  # inside the terminal marker
)
_LF_CUTS: tuple[Cut, ...] = ((2, "", 1), (7, "", 2), (8, "", 1), (10, "", 1))  # between the two LFs; between two events
_CRLF_CUTS: tuple[Cut, ...] = (
    (2, "", 1),
    (7, "", 4),
    (8, "", 3),
    (10, "", 2),
)  # between CR and LF, both; between the two pairs
_DELAYS_MS = (20, 60, 35, 50, 45, 30, 60, 40, 55)  # taken round and round; 0.81 s in all


def chunk_line(delta: dict[str, Any] | None, finish: str | None = None, usage: dict[str, int] | None = None) -> str:
    """One `data` line with a chat completion chunk; without a delta the list of choices is empty."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    chunk = {
        "id": "chatcmpl-loopback-0001",
        "object": "chat.completion.chunk",
        "created": 1764500000,
        "model": "loopback-1",
        "choices": choices,
        "usage": usage,
    }
    return "data: " + json.dumps(chunk, ensure_ascii=False, separators=(",", ":"))


DONE_LINE = "data: [DONE]"
ROLE_LINE = chunk_line({"role": "assistant", "content": "", "refusal": None})
CHAT_LINES = (
    HEARTBEAT,
    ROLE_LINE,
    *(chunk_line({"content": text}) for text in DELTAS),
    chunk_line({}, finish="stop"),
    chunk_line(None, usage=USAGE),
    DONE_LINE,
)


def blocks(lines: tuple[str, ...], line_end: str = "\n") -> bytes:
    """One block for each line."""
    return "".join(line + line_end * 2 for line in lines).encode()


def cut_pieces(lines: tuple[str, ...], line_end: str, cuts: tuple[Cut, ...]) -> tuple[Piece, ...]:
    """The blocks of `lines` as pieces that end at `cuts`."""
    body = blocks(lines, line_end)
    starts = [len(blocks(lines[:block], line_end)) for block in range(len(lines))]
    offsets = sorted(starts[block] + _offset(lines[block].encode(), text.encode(), n) for block, text, n in cuts)
    bounds = list(pairwise([0, *offsets, len(body)]))
    return tuple(
        Piece(_DELAYS_MS[number % len(_DELAYS_MS)] / 1000, body[start:end])
        for number, (start, end) in enumerate(bounds)
    )


def _offset(line: bytes, text: bytes, n: int) -> int:
    return (line.index(text) if text else len(line)) + n


CHAT_SCENARIOS = (
    Scenario("chat-lf", headers=OPENAI, pieces=cut_pieces(CHAT_LINES, "\n", _CUTS + _LF_CUTS)),
    Scenario("chat-crlf", headers=OPENAI, pieces=cut_pieces(CHAT_LINES, "\r\n", _CUTS + _CRLF_CUTS)),
)
