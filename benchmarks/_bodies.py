"""Event streams to measure with, made from seeds so that every run measures the same bytes.

Rule: a body is bytes and nothing else; how it is cut is `cut`'s business. The shapes (event size, names, line endings)
follow recorded provider streams; the words are made up.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

WORDS = [
    "the",
    "a",
    "stream",
    "of",
    "small",
    "pieces",
    "arrives",
    "and",
    "each",
    "one",
    "is",
    "worth",
    "a",
    "word",
    "or",
    "two",
    "before",
    "it",
    "ends",
    "here",
    "again",
]
CJK_WORDS = [
    "流式",
    "输出",
    "每次",
    "只有",
    "几个",
    "字",
    "但是",
    "顺序",
    "不能",
    "乱",
    "日本語",
    "の",
    "文章",
    "も",
    "同じ",
    "です",
    "한국어",
    "문장도",
    "그렇다",
    "👩\u200d🚀",
]


def _words(seed: int, count: int, words: list[str] = WORDS) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(count):
        yield " " + words[int(rng.random() * len(words))]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _chat_chunk(delta: dict[str, object], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _json(
        {
            "id": "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWx",
            "object": "chat.completion.chunk",
            "created": 1790000000,
            "model": "bench-1",
            "choices": [choice],
        }
    )


def _chat(count: int, words: list[str], end: str = "\n") -> bytes:
    chunks = [_chat_chunk({"role": "assistant", "content": ""})]
    chunks += [_chat_chunk({"content": word}) for word in _words(1, count, words)]
    chunks += [_chat_chunk({}, "stop"), "[DONE]"]
    return "".join(f"data: {chunk}{end}{end}" for chunk in chunks).encode()


def chat(count: int = 2000) -> bytes:
    """Chat completion deltas: unnamed, LF, about 190 bytes each, ended by [DONE]."""
    return _chat(count, WORDS)


def chat_crlf(count: int = 2000) -> bytes:
    """The same deltas with CRLF."""
    return _chat(count, WORDS, "\r\n")


def chat_cjk(count: int = 2000) -> bytes:
    """Chat completion deltas whose text is unescaped Chinese, Japanese, Korean and emoji."""
    return _chat(count, CJK_WORDS)


def _short(count: int, end: str = "\n", name: str = "") -> bytes:
    head = f"event: {name}{end}" if name else ""
    texts = (_json({"delta": word}) for word in _words(2, count))
    return "".join(f"{head}data: {text}{end}{end}" for text in texts).encode()


def short(count: int = 4000) -> bytes:
    """The shortest deltas anyone sends: unnamed, LF, about 25 bytes each."""
    return _short(count)


def short_crlf(count: int = 4000) -> bytes:
    """The shortest deltas with CRLF."""
    return _short(count, "\r\n")


def short_named(count: int = 4000) -> bytes:
    """The shortest deltas, each with an `event` line."""
    return _short(count, name="delta")


def anthropic(count: int = 2000) -> bytes:
    """Anthropic messages: every event named, a ping, LF, about 150 bytes each."""
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {"id": "msg_bench", "role": "assistant", "content": [], "usage": {}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
    ]
    for word in _words(3, count):
        delta = {"type": "text_delta", "text": word}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": count}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {_json(event)}\n\n" for event in events).encode()


def responses(count: int = 120) -> bytes:
    """OpenAI Responses: named events of 1 to 6 KB and a terminal event that repeats the whole output."""
    rng = random.Random(4)
    pieces = ["".join(_words(5 + i, int(150 + 850 * rng.random()))) for i in range(count)]
    events: list[dict[str, object]] = [
        {"type": "response.output_text.delta", "sequence_number": i, "item_id": "msg_bench", "delta": piece}
        for i, piece in enumerate(pieces)
    ]
    output = [{"type": "message", "content": [{"type": "output_text", "text": "".join(pieces)}]}]
    events.append({"type": "response.completed", "response": {"id": "resp_bench", "output": output}})
    return "".join(f"event: {event['type']}\ndata: {_json(event)}\n\n" for event in events).encode()


BODIES: dict[str, Callable[[], bytes]] = {
    "short LF": short,
    "short CRLF": short_crlf,
    "short named": short_named,
    "chat LF": chat,
    "chat CRLF": chat_crlf,
    "chat CJK": chat_cjk,
    "anthropic": anthropic,
    "responses": responses,
}

CHUNKINGS = ("whole", "64 KiB", "4 KiB", "event", "16 B", "1 B")
_SIZES = {"64 KiB": 65536, "4 KiB": 4096, "16 B": 16, "1 B": 1}


def cut(body: bytes, chunking: str) -> list[bytes]:
    """The body as chunks: one of `CHUNKINGS`; "event" is one event a chunk.

    Raises:
        KeyError: for any other word.
    """
    if chunking == "whole":
        return [body]
    if chunking == "event":
        blank = b"\r\n\r\n" if b"\r\n\r\n" in body else b"\n\n"
        return [part + blank for part in body.split(blank)[:-1]]
    size = _SIZES[chunking]
    return [body[at : at + size] for at in range(0, len(body), size)]
