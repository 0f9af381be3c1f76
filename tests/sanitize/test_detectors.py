"""What the patterns find, they find in every place and way in which a message can say it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import DEFAULT_RULES, Rule, Sanitizer


def chat(text: str) -> bytes:
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode()


def arguments(text: str) -> bytes:
    call = {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": call}]}).encode()


def line(text: str) -> bytes:
    return text.replace("\n", " ").encode()


PLACES: dict[str, Callable[[str], dict[str, object]]] = {
    "a comment": lambda text: {"body": b": %s\n\ndata: 1\n\n" % line(text)},
    "an event id": lambda text: {"body": b"id: %s\ndata: 1\n\n" % line(text)},
    "an unknown field": lambda text: {"body": b"note: %s\ndata: 1\n\n" % line(text)},
    "data that is no JSON": lambda text: {"body": b"data: %s\n\n" % line(text)},
    "JSON in JSON": lambda text: {"body": chat(json.dumps({"a": json.dumps({"b": text})}))},
    "arguments, a character an event": lambda text: {"body": b"".join(map(arguments, json.dumps({"a": text})))},
    "bytes of tokens": lambda text: {
        "body": b'data: {"logprobs":[%s]}\n\n'
        % b",".join(b'{"token":"x","bytes":%s}' % json.dumps(list(char.encode())).encode() for char in text)
    },
    "escapes": lambda text: {
        "body": b'data: {"t":"%s"}\n\n' % "".join(f"\\u{ord(char):04x}" for char in text).encode()
    },
    "percent signs": lambda text: {"body": chat("".join(f"%{byte:02X}" for byte in text.encode()))},
    "carriage returns": lambda text: {"body": chat(text).replace(b"\n", b"\r")},
    "an event that is cut off": lambda text: {"body": chat(text)[:-7]},
    "a compressed body": lambda text: {"body": gzip.compress(chat(text))},
    "NDJSON": lambda text: {"body": b"".join(b'{"m":%s}\n' % json.dumps(char).encode() for char in text)},
    "HTML": lambda text: {"body": b"<html><p>%s</p></html>" % text.encode()},
    "a prompt": lambda text: {"request_body": json.dumps({"messages": [{"content": text}]}).encode()},
    "a prompt in parts": lambda text: {
        "request_body": json.dumps({"messages": [{"content": [{"text": char} for char in text]}]}).encode()
    },
    "a header": lambda text: {"headers": Headers({"location": f"/x {text}".replace("\n", " ")})},
    "the reason": lambda text: {"reason": text.replace("\n", " ")},
    "a path": lambda text: {"uri": f"https://a.example/v1/{quote(text, safe='')}"},
}
RULES = [rule for rule in DEFAULT_RULES if isinstance(rule, Rule) and rule.pattern and not rule.paths_only]


def cassette(**said: object) -> Cassette:
    parts = {
        "uri": "https://a.example/v1",
        "headers": Headers(),
        "body": b"",
        "reason": "OK",
        "request_body": b"",
    } | said
    request = Request("POST", str(parts["uri"]), Headers(), parts["request_body"])  # type: ignore[arg-type]
    response = Response(200, parts["headers"], parts["body"], reason=str(parts["reason"]))  # type: ignore[arg-type]
    return Cassette((Interaction(request, response),))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_pattern_finds_its_values_wherever_they_are(rule: Rule) -> None:
    """The scan names it before; afterwards it is gone, the scan is content, and nothing more changes."""
    sanitizer = Sanitizer.default()
    texts = [each.before for each in rule.examples if any(True for _ in rule.find(each.before))]
    for text in [text for text in texts if not text.startswith("{")][:1]:
        ((start, end),) = rule.find(text)
        for name, place in PLACES.items():
            dirty = cassette(**place(text))
            assert sanitizer.scan(dirty), (name, text)
            clean = sanitizer.apply(dirty)
            assert clean != dirty, (name, text)
            assert sanitizer.scan(clean) == (), (name, text)
            assert sanitizer.apply(clean) == clean, (name, text)
            known = Sanitizer(rules=()).with_secrets([text[start:end]])
            assert known.scan(clean) == (), (name, text)
