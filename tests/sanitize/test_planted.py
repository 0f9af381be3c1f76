"""A secret planted in every place, encoding, split and dialect: nobody can read it in what would be stored."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import unquote_to_bytes

import pytest

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Request, Response, dump_cassette, parse_cassette
from recorder.sanitize import Sanitizer
from recorder.sse import Event, EventStreamParser

# -- five dialects by hand, with a hole for a piece of text ------------------------------------------------------------

SECRET = 'sk-Pl4nted/"key"+314159'


def _every(form: str) -> str:
    return "".join(form % ord(char) for char in SECRET)


ENCODINGS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    # name: how it is written, and how a reader who suspects it would read it
    "plain": (SECRET, str.encode),
    "json": ('sk-Pl4nted\\/\\"key\\"+314159', lambda text: json_text(text)),
    "unicode": (_every("\\u%04x"), lambda text: json_text(text)),
    "unicode-mixed": ('sk\\u002dPl4\\u006Eted/\\"k\\u0065y\\"+314159', lambda text: json_text(text)),
    "percent": (_every("%%%02X"), lambda text: unquote_to_bytes(text)),
    "percent-mixed": ("s%6b-Pl4nted%2f%22key%22%2B31415%39", lambda text: unquote_to_bytes(text)),
    "base64": ("c2stUGw0bnRlZC8ia2V5IiszMTQxNTk=", lambda text: from_base64(text)),
    "base64-inside": ("eHNrLVBsNG50ZWQvImtleSIrMzE0MTU5eg==", lambda text: from_base64(text)),
    "base64url": ("eHlzay1QbDRudGVkLyJrZXkiKzMxNDE1OQ", lambda text: from_base64(text)),
    "base32": ("ONVS2UDMGRXHIZLEF4RGWZLZEIVTGMJUGE2TS===", lambda text: from_base32(text)),
    "base32-inside": ("PBZWWLKQNQ2G45DFMQXSE23FPERCWMZRGQYTKOL2", lambda text: from_base32(text)),
    "octal": (_every("\\%03o"), lambda text: from_octal(text)),
    "octal-mixed": ('s\\153-Pl4nted/\\042key"+31415\\071', lambda text: from_octal(text)),
    "hex": ("736B2D506c346e7465642f226b6579222b333134313539", lambda text: from_hex(text)),
}


def json_text(text: str) -> bytes:
    return str(json.loads(f'"{text}"')).encode()


def from_base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def from_base32(text: str) -> bytes:
    return base64.b32decode(text + "=" * (-len(text) % 8))


def from_octal(text: str) -> bytes:
    return re.sub(rb"\\([0-3][0-7]{2})", lambda match: bytes([int(match[1], 8)]), text.encode())


def from_hex(text: str) -> bytes:
    return bytes.fromhex(text)


def split(text: str, how: str) -> list[str]:
    if how == "whole":
        return [text]
    if how == "halves":
        return [text[: len(text) // 2], text[len(text) // 2 :]]
    return list(text)


SPLITS = ("whole", "halves", "characters")
DIALECTS = ("chat", "responses", "messages", "gemini", "cohere")


def _named(event: dict[str, object]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), json.dumps(event).encode())


def _data(event: dict[str, object], end: bytes = b"\n") -> bytes:
    return b"data: %s%s%s" % (json.dumps(event, separators=(",", ":")).encode(), end, end)


def _chat(delta: dict[str, object], index: int = 0, **more: object) -> bytes:
    return _data({"id": "chatcmpl-1", "choices": [{"index": index, "delta": delta}], **more})


def _gemini(part: dict[str, object], index: int = 0, **more: object) -> bytes:
    candidate = {"content": {"parts": [part], "role": "model"}, "index": index}
    return _data({"candidates": [candidate], **more}, b"\r\n")


def say_text(dialect: str, piece: str, index: int = 0) -> bytes:
    """An event with a piece of generated text of the choice, item or block `index`."""
    if dialect == "chat":
        return _chat({"content": piece}, index)
    if dialect == "responses":
        return _named({"type": "response.output_text.delta", "item_id": f"msg_{index}", "output_index": index,
                       "content_index": 0, "delta": piece, "sequence_number": len(piece)})  # fmt: skip
    if dialect == "messages":
        return _named(
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}
        ).replace(b"}}\n\n", b"}            }\n\n")
    if dialect == "gemini":
        return _gemini({"text": piece}, index)
    return _named({"type": "content-delta", "index": index, "delta": {"message": {"content": {"text": piece}}}})


def say_arguments(dialect: str, piece: str) -> bytes:
    """An event with a piece of a tool call's arguments."""
    if dialect == "chat":
        return _chat({"tool_calls": [{"index": 1, "function": {"arguments": piece}}]})
    if dialect == "responses":
        return _named({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1,
                       "delta": piece})  # fmt: skip
    if dialect == "messages":
        return _named({"type": "content_block_delta", "index": 1,
                       "delta": {"type": "input_json_delta", "partial_json": piece}})  # fmt: skip
    if dialect == "gemini":
        return _gemini({"functionCall": {"name": "f", "partialArgs": piece}})
    return _named({"type": "tool-call-delta", "index": 0,
                   "delta": {"message": {"tool_calls": {"function": {"arguments": piece}}}}})  # fmt: skip


def say_reasoning(dialect: str, piece: str) -> bytes:
    """An event with a piece of reasoning."""
    if dialect == "chat":
        return _chat({"reasoning_content": piece})
    if dialect == "responses":
        return _named({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0,
                       "summary_index": 0, "delta": piece})  # fmt: skip
    if dialect == "messages":
        return _named({"type": "content_block_delta", "index": 0,
                       "delta": {"type": "thinking_delta", "thinking": piece}})  # fmt: skip
    if dialect == "gemini":
        return _gemini({"text": piece, "thought": True})
    return _named({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}})


def say_unknown(dialect: str, piece: str) -> bytes:
    """An event of the dialect with a member that nobody knows."""
    if dialect == "chat":
        return _chat({}, vendor={"notes": [piece]})
    if dialect == "gemini":
        return _gemini({}, vendor={"notes": [piece]})
    return _named({"type": "ping", "vendor": {"notes": [piece]}})


def begin(dialect: str) -> bytes:
    """How a stream of the dialect begins."""
    if dialect == "chat":
        return _chat({"role": "assistant", "content": ""})
    if dialect == "gemini":
        return _gemini({"text": "So: "})
    return _named(
        {"type": {"responses": "response.created", "messages": "message_start"}.get(dialect, "message-start")}
    )


def finish(dialect: str) -> bytes:
    """How it ends."""
    if dialect == "chat":
        return b"data: [DONE]\n\n"
    if dialect == "gemini":
        return _gemini({"text": ""})
    return _named({"type": {"responses": "response.completed", "messages": "message_stop"}.get(dialect, "message-end")})


# -- the tests ----------------------------------------------------------------------------------------------------

SANITIZER = Sanitizer.default([SECRET])


def events(body: bytes) -> list[Event]:
    return EventStreamParser().feed(body)


def stream(dialect: str, middle: bytes) -> bytes:
    return begin(dialect) + middle + finish(dialect)


def text(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(say_text(dialect, piece) for piece in pieces)


def interleaved(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(say_text(dialect, piece) + say_text(dialect, "zz", 1) for piece in pieces)


def argument(dialect: str, pieces: list[str]) -> bytes:
    """JSON in JSON: what a string holds is escaped once more, and then cut."""
    inner = [json.dumps("".join(pieces))[1:-1]] if len(pieces) == 1 else [json.dumps(piece)[1:-1] for piece in pieces]
    return b"".join(say_arguments(dialect, piece) for piece in ['{"to":"', *inner, '"}'])


def argument_name(dialect: str, pieces: list[str]) -> bytes:
    inner = [json.dumps(piece)[1:-1] for piece in pieces]
    return b"".join(say_arguments(dialect, piece) for piece in ['{"', *inner, '": [1, null]}'])


def reasoning(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(say_reasoning(dialect, piece) for piece in pieces)


def unknown(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(say_unknown(dialect, piece) for piece in pieces)


def event_ids(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(b"id: %s\n" % piece.encode() + say_text(dialect, "x") for piece in pieces)


def comments(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(b": %s\n\n" % piece.encode() for piece in pieces)


def raw_events(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(b"data:%s\r\n\r\n" % piece.encode() for piece in pieces)


def data_lines(dialect: str, pieces: list[str]) -> bytes:
    return b"".join(b"data: %s\n" % piece.encode() for piece in pieces) + b"\n"


STREAM_PLACES: dict[str, Callable[[str, list[str]], bytes]] = {
    each.__name__: each
    for each in (
        text,
        interleaved,
        argument,
        argument_name,
        reasoning,
        unknown,
        event_ids,
        comments,
        raw_events,
        data_lines,
    )
}


def parts(pieces: list[str]) -> object:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": piece} for piece in pieces]}]}


def history(pieces: list[str]) -> object:
    return {"messages": [{"role": "assistant", "content": piece} for piece in pieces]}


REQUEST_PLACES: dict[str, Callable[[list[str]], object]] = {"parts": parts, "history": history}


def cut(body: bytes) -> tuple[Chunk, ...]:
    """Chunks that end nowhere in particular."""
    ends = [*range(37, len(body), 37), len(body)]
    return tuple(Chunk(0.001, end - before) for before, end in pairwise([0, *ends]))


def interaction(body: bytes, request: bytes = b"{}") -> Interaction:
    head = Headers({"content-type": "text/event-stream"})
    asked = Request("POST", "https://api.example.com/v1", Headers(), request)
    return Interaction(asked, Response(200, head, body, cut(body)))


def strings(body: bytes) -> list[str]:
    """Everything the fields of the stream say in order: strings by member name, other data, ids and comments."""
    found: dict[str, list[str]] = {}

    def collect(value: object, name: str) -> None:
        if isinstance(value, dict):
            for key, member in value.items():
                found.setdefault("names", []).append(key)
                collect(member, key)
        elif isinstance(value, list):
            for member in value:
                collect(member, name)
        elif isinstance(value, str):
            found.setdefault(name, []).append(value)

    said: list[str] = []
    for event in EventStreamParser(on_comment=lambda comment: said.append(comment)).feed(body):
        if event.data.startswith("{"):
            collect(json.loads(event.data), "")
        else:
            found.setdefault("data", []).append(event.data.replace("\n", "").removesuffix("[DONE]"))
    found["ids"] = [line[4:] for line in body.decode().splitlines() if line.startswith("id: ")]
    found["comments"] = [each.strip() for each in said]
    return ["".join(each) for each in found.values()] + [each for parts in found.values() for each in parts]


def readable(texts: list[str], decode: Callable[[str], bytes]) -> bool:
    """Whether someone who suspects this encoding finds the secret in any stretch of any text, once JSON is undone."""
    wanted = SECRET.encode()
    for each in texts:
        candidates = [each]
        with contextlib.suppress(ValueError, AttributeError):
            candidates += [str(value) for pair in json.loads(each).items() for value in pair]
        for candidate in candidates:
            for stretch in (candidate, *candidate.split()):
                try:
                    if wanted in decode(stretch):
                        return True
                except ValueError:
                    continue
    return False


def stored(dirty: Cassette) -> Cassette:
    """What a reader of the file gets."""
    return parse_cassette(dump_cassette(SANITIZER.apply(dirty)))


CASES = [(name, how) for name in ENCODINGS for how in SPLITS]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("place", STREAM_PLACES)
def test_nothing_in_the_stream_can_be_read(place: str, dialect: str) -> None:
    """14 encodings, 3 splits: events, JSON, line ends and chunks stay, the secret does not; the scan sees it before."""
    pieces = [split(ENCODINGS[name][0], how) for name, how in CASES]
    dirty = Cassette(tuple(interaction(stream(dialect, STREAM_PLACES[place](dialect, each))) for each in pieces))
    seen = {residue.place.partition(",")[0] for residue in SANITIZER.scan(dirty)}
    assert seen == {f"interaction {number}" for number in range(1, len(CASES) + 1)}
    clean = stored(dirty)
    assert SANITIZER.scan(clean) == ()
    assert SANITIZER.apply(clean) == clean
    for (name, how), before, after in zip(CASES, dirty.interactions, clean.interactions, strict=True):
        written, decode = ENCODINGS[name]
        can_be_read = place != "interleaved" and not (place == "argument_name" and how != "whole")
        assert readable(strings(before.response.body), decode) or not can_be_read, (name, how)
        assert not readable(strings(after.response.body), decode), (name, how)
        assert written.encode() not in after.response.body
        assert b"secret-REDACTED-0001" in after.response.body
        framing_stays(before.response, after.response)


def framing_stays(before: Response, after: Response) -> None:
    """The same events, each still JSON if it was, the same line ends, no more chunks."""
    told, tells = events(before.body), events(after.body)
    assert [event.type for event in tells] == [event.type for event in told]
    assert [event.data[:1] == "{" for event in tells] == [event.data[:1] == "{" for event in told]
    assert all(json.loads(event.data) for event in tells if event.data[:1] == "{")
    assert after.body.count(b"\r\n") == before.body.count(b"\r\n")
    assert after.body.count(b"}            }") == before.body.count(b"}            }")
    assert before.chunks is not None
    assert after.chunks is not None
    assert len(after.chunks) <= len(before.chunks)


@pytest.mark.parametrize("place", REQUEST_PLACES)
def test_nothing_in_the_request_can_be_read(place: str) -> None:
    """The same for what was asked: 14 encodings, 3 splits over the parts of a prompt and over messages."""
    bodies = [json.dumps(REQUEST_PLACES[place](split(ENCODINGS[name][0], how))).encode() for name, how in CASES]
    dirty = Cassette(tuple(interaction(b"data: 1\n\n", body) for body in bodies))
    seen = {residue.place.partition(",")[0] for residue in SANITIZER.scan(dirty)}
    assert seen == {f"interaction {number}" for number in range(1, len(CASES) + 1)}
    clean = stored(dirty)
    assert SANITIZER.scan(clean) == ()
    for (name, _), after in zip(CASES, clean.interactions, strict=True):
        said = after.request.body or b""
        assert not readable(strings(b"data: %s\n\n" % said), ENCODINGS[name][1]), name
        json.loads(said)


HEADS: dict[str, Callable[[str], dict[str, str]]] = {
    "uri path": lambda written: {"uri": f"https://api.example.com/v1/{written}/x"},
    "uri query": lambda written: {"uri": f"https://api.example.com/v1?alt={written}"},
    "request header": lambda written: {"request": written},
    "response header": lambda written: {"response": written},
    "reason": lambda written: {"reason": written},
}


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("place", HEADS)
def test_nothing_in_a_head_can_be_read(place: str, name: str) -> None:
    """A URI that stays, and headers that are on the lists."""
    written, decode = ENCODINGS[name]
    said = {"uri": "https://api.example.com/v1", "request": "a", "response": "b", "reason": "OK"} | HEADS[place](
        written
    )
    request = Request("POST", said["uri"], Headers({"accept-language": f"de {said['request']} x"}), b"{}")
    response = Response(200, Headers({"location": f"/a {said['response']} y"}), b"data: 1\n\n", reason=said["reason"])
    dirty = Cassette((Interaction(request, response),))
    assert SANITIZER.scan(dirty)
    clean = SANITIZER.apply(dirty)
    assert SANITIZER.scan(clean) == ()
    after = clean.interactions[0]
    texts = [after.request.uri, *after.request.uri.split("/"), after.response.reason]
    texts += [
        text
        for headers in (after.request.headers, after.response.headers)
        for text in headers.values()
        for text in text
    ]
    assert not readable(texts, decode)
    assert sum("secret-REDACTED-0001" in text for text in texts) >= 1
