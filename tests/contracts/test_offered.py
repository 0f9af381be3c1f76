"""What a run takes before events are made of it: the same verdict as judging event by event, at every chunking.

An `interrupt` that never fires turns the offering off, so the same bytes are read both ways.
"""

from __future__ import annotations

import itertools
import random

import pytest

from recorder.contracts import chat_text, read

PLAIN = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}'
FINISH = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
USAGE = '{"object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":3}}'
TOOLS = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[]},"finish_reason":null}]}'


def stream(*values: str, end: str = "\n") -> bytes:
    return "".join(f"data: {value}{end}{end}" for value in values).encode()


GOOD = (PLAIN % "one ", PLAIN % "二👩‍🚀", PLAIN % r"\ud83d", PLAIN % r"\ude80", PLAIN % "", FINISH, USAGE, "[DONE]")
STREAMS = {
    "LF": stream(*GOOD),
    "CRLF": stream(*GOOD, end="\r\n"),
    "CR": stream(*GOOD, end="\r"),
    "both": stream(*GOOD[:3]) + stream(*GOOD[3:], end="\r\n"),
    "after the end": stream(*GOOD) + stream(TOOLS, PLAIN % "more") + b"\xff",
    "comments": stream(*GOOD[:2]) + b": ping\n\n" + stream(*GOOD[2:]),
    "ids": stream(*GOOD[:2]) + b"id: 7\n" + stream(*GOOD[2:]),
    "named": stream(*GOOD[:2]) + b"event: message\n" + stream(*GOOD[2:]),
    "another name": stream(*GOOD[:2]) + b"event: ping\n" + stream(*GOOD[2:]),
    "bad UTF-8 in a value": stream(*GOOD[:2]) + stream(PLAIN % "x").replace(b"x", b"\xe4\xb8") + stream(*GOOD[2:]),
    "bad UTF-8 after bad JSON": stream(PLAIN % "a", "{") + b"\xff",
    "bad JSON": stream(PLAIN % "a", PLAIN % "b", '{"choices":[', *GOOD),
    "tools": stream(PLAIN % "a", TOOLS, *GOOD),
    "after a finish": stream(PLAIN % "a", FINISH, PLAIN % "b", "[DONE]"),
    "no end": stream(*GOOD[:-1]),
    "cut in a block": stream(*GOOD)[:-1],
    "a line in a value": stream(PLAIN % "a", '{"object":"chat.completion.chunk",\ndata: "choices":[]}', *GOOD),
    "deep": stream(PLAIN % "a", '{"a":' + "[" * 70 + "]" * 70 + ',"choices":[]}', *GOOD),
    "long": stream(*[PLAIN % f"word {number} " for number in range(900)], FINISH, "[DONE]"),
}
CONTRACTS = {
    "openai": chat_text(),
    "node": chat_text("cometapi-node"),
    "dotnet": chat_text("cometapi-dotnet"),
    "flowbar": chat_text("flowbar"),
    "little output": chat_text(max_output=9),
    "few events": chat_text(max_events=4),
    "short lines": chat_text(max_line=120),
}


def partitions(body: bytes) -> list[list[bytes]]:
    rng = random.Random(len(body))
    found = [[body], [body[at : at + 1] for at in range(len(body))] if len(body) < 5000 else [body]]
    found.append(body.replace(b"\n\n", b"\n\n\0").split(b"\0"))
    found.append(body.replace(b"\r\n\r\n", b"\r\n\r\n\0").split(b"\0"))
    for parts in (2, 5, 20):
        cuts = sorted({int(rng.random() * len(body)) for _ in range(parts)})
        edges = [0, *cuts, len(body)]
        found.append([body[start:end] for start, end in itertools.pairwise(edges)])
    return found


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("name", STREAMS)
def test_the_same_verdict_as_event_by_event(name: str, contract: str) -> None:
    for chunks in partitions(STREAMS[name]):
        slow = read(iter(chunks), CONTRACTS[contract], interrupt=lambda: None)
        quick = read(iter(chunks), CONTRACTS[contract])
        assert quick == slow
        if not quick.ok:
            assert quick.partial == slow.partial


def test_what_it_comes_to() -> None:
    verdict = read([STREAMS["LF"]], chat_text())
    assert (verdict.ok, verdict.text, verdict.events) == (True, "one 二👩‍🚀🚀", 8)
    assert verdict.bytes_read == len(STREAMS["LF"])
    assert read([STREAMS["LF"]], chat_text(max_events=7)).code == "event_count_limit"  # type: ignore[union-attr]
    rejected = read([STREAMS["after a finish"]], chat_text())
    assert (rejected.code, rejected.at_event, rejected.partial.text) == ("choice_after_finish", 3, "a")  # type: ignore[union-attr]
