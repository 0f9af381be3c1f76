"""Secrets where nobody would put them: nested, coded twice, in halves of characters, behind what hides the framing.

What the replacing code can write back is replaced, everything else is refused: nothing of it is ever stored.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable, Iterable
from urllib.parse import quote

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Recording, Request, Response
from recorder.sanitize import Sanitizer

KEY = "Zq7Rt2LmPx09KpWv31"
QUOTED = 'sk-Pl4nted/"key"+314159'
EMOJI = "pä\U0001f511ss-wörd-31\U0001f6429"
DONE = b"data: [DONE]\n\n"


def chat(text: str) -> bytes:
    return b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode()


def whole(text: str) -> bytes:
    return chat(f"so: {text} is it") + DONE


def characters(text: str) -> bytes:
    return b"".join(map(chat, text)) + DONE


def cassette(body: bytes, request: Request | None = None, headers: Headers | None = None) -> Cassette:
    head = headers or Headers({"content-type": "text/event-stream"})
    return Cassette((Interaction(request or Request("POST", "https://a.example/v1"), Response(200, head, body)),))


def is_refused_or_gone(dirty: Cassette, sanitizer: Sanitizer) -> str:
    """What happens on saving; the scan sees the secret before, and cleaning twice is cleaning once."""
    assert sanitizer.scan(dirty)
    knowing = sanitizer.knowing(dirty)
    clean = knowing.clean_known(dirty).cassette
    if knowing.scan_known(clean):
        return "refused"
    assert clean != dirty
    assert sanitizer.apply(clean) == clean
    return "replaced"


def b64(text: str | bytes) -> str:
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def escapes(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def nested(text: str, depth: int) -> str:
    for _ in range(depth):
        text = json.dumps({"k": text})
    return text


REPLACED: dict[str, tuple[str, str]] = {
    # name: the secret, how it is written
    "JSON in JSON, 3 deep": (QUOTED, nested(QUOTED, 3)),
    "JSON in JSON, 5 deep": (QUOTED, nested(QUOTED, 5)),
    "JSON in JSON, 8 deep": (QUOTED, nested(QUOTED, 8)),
    "escapes in JSON, 5 deep": (KEY, nested(f'{{"k":"{escapes(KEY)}"}}', 5)),
    "percent signs of percent signs": (KEY, percent(KEY).replace("%", "%2525")),
    "percent signs, five times": (QUOTED, quote(quote(quote(quote(quote(QUOTED)))))),
    "decimal references": (KEY, "".join(f"&#{ord(char)};" for char in KEY)),
    "hexadecimal references": (QUOTED, "".join(f"&#x{ord(char):X};" for char in QUOTED)),
    "named references": (QUOTED, QUOTED.replace('"', "&quot;")),
    "escapes of JavaScript": (KEY, "".join(f"\\u{{{ord(char):x}}}" for char in KEY)),
    "escapes of Python": (KEY, "".join(f"\\U{ord(char):08x}" for char in KEY)),
    "base64 in lines": (KEY, "\n".join([b64(f"it is {KEY}!")[:20], b64(f"it is {KEY}!")[20:]])),
    "percent signs in base64": (KEY, quote(b64(f"??{KEY}>>"), safe="")),
    "characters beyond the first plane": (EMOJI, EMOJI),
    "the same, escaped": (EMOJI, json.dumps({"k": EMOJI})),
    "the same, in percent signs": (EMOJI, percent(EMOJI)),
    "with blanks around it": (f"  {KEY}\n", KEY),
}


@pytest.mark.parametrize("spread", [whole, characters])
@pytest.mark.parametrize("name", REPLACED)
def test_what_can_be_written_back_is_replaced(name: str, spread: Callable[[str], bytes]) -> None:
    """In one event, and in one character an event."""
    secret, written = REPLACED[name]
    assert is_refused_or_gone(cassette(spread(written)), Sanitizer.default([secret])) == "replaced"


REFUSED = {
    "base64 of base64": b64(b64(KEY)),
    "base64 of base64, not aligned": b64("x" + b64("yy" + KEY) + "z"),
    "base64 of base64 of base64": b64(b64(b64(KEY))),
    "base64 of base64 in a text beyond ASCII": b64(f"k\u00e4y {b64(KEY)}"),
    "base64 of hexadecimal digits with colons": b64(KEY.encode().hex(":")),
    "base64 of hexadecimal digits": b64(KEY.encode().hex()),
    "hexadecimal digits of base64": b64(KEY).encode().hex(),
    "base64 of percent signs": b64(percent(KEY)),
    "base64 of escapes": b64(escapes(KEY)),
    "base64 of gzip": b64(gzip.compress(KEY.encode())),
    "base64 of zlib": b64(zlib.compress(KEY.encode(), 6)),
    "hexadecimal digits of gzip": gzip.compress(KEY.encode()).hex(),
    "base64 of UTF-16": b64(KEY.encode("utf-16-le")),
    "base64 of UTF-16 that cannot be UTF-8": b64(f"\u00ff{KEY}".encode("utf-16-le")),
    "hexadecimal digits of UTF-16": KEY.encode("utf-16-be").hex(),
    "base64 with blanks in it": " ".join(b64(f"it is {KEY}")[at : at + 8] for at in range(0, 32, 8)),
    "hexadecimal digits with colons": KEY.encode().hex(":"),
    "hexadecimal numbers": " ".join(f"0x{ord(char):02x}" for char in KEY),
    "between NUL characters": "\0".join(KEY),
}


@pytest.mark.parametrize("spread", [whole, characters])
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_back_is_refused(name: str, spread: Callable[[str], bytes]) -> None:
    """Codings within codings."""
    assert is_refused_or_gone(cassette(spread(REFUSED[name])), Sanitizer.default([KEY])) == "refused"


def event(value: object) -> bytes:
    return b"data: %s\n\n" % json.dumps(value).encode()


def each(say: Callable[[str], bytes], pieces: Iterable[str] = KEY) -> bytes:
    return b"".join(map(say, pieces)) + DONE


THIRDS = (KEY[:7], KEY[7:12], KEY[12:])
BODIES = {
    "halves of surrogate pairs": b"".join(
        b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % unit
        for unit in (b"p\\u00e4", b"\\ud83d", b"\\udd11", b"ss-w\\u00f6rd-31", b"\\ud83d", b"\\ude42", b"9")
    ),
    "lists of bytes": each(lambda char: event({"logprobs": {"content": [{"bytes": list(char.encode())}]}}), EMOJI),
    "pieces in base64": each(lambda piece: event({"type": "x.delta", "delta": b64(piece)}), THIRDS),
    "pieces in base64 of JSON": each(lambda piece: event({"bytes": b64(json.dumps({"text": piece}))}), THIRDS),
    "pieces in JSON, three deep": each(lambda piece: event({"chunk": nested(piece, 3)}), THIRDS),
    "pieces in base64 of base64": each(lambda piece: event({"delta": b64(b64(piece))}), THIRDS),
    "pieces in a list in JSON": each(lambda piece: event({"chunk": json.dumps([{"a": piece}])}), THIRDS),
    "pieces in JSON in JSON": each(lambda piece: event({"chunk": json.dumps({"text": piece})}), THIRDS),
    "behind HTML": b"<html>\n\n" + each(chat),
    "behind a long first line": b"x" * 1500 + b"\n\n" + each(chat),
    "behind blank lines": b"\n" * 1500 + each(chat),
    "behind what looks compressed": b"\x1f\x8bxxx\n\n" + each(chat),
    "behind JSON": b'{"a":1}\n\n' + each(chat),
    "behind a text line": b"hello\n" + each(lambda char: b'{"m":"%s"}\n' % char.encode()),
    "behind a blank": each(lambda char: b" " + chat(char)),
    "behind a field nobody knows": DONE + each(lambda char: b"error" + chat(char)[4:]),
    "a body in UTF-16": f"data: {KEY}\n\n".encode("utf-16"),
    "JSON in UTF-32": json.dumps({"k": KEY}).encode("utf-32-le"),
    "a second gzip member": gzip.compress(b"data: 1\n\n") + gzip.compress(KEY.encode()),
    "a gzip member behind garbage": gzip.compress(b"data: 1\n\n") + KEY.encode(),
    "every level of zlib": zlib.compress(each(chat), 5),
}


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("name", BODIES)
def test_no_framing_hides_a_secret(name: str, end: bytes) -> None:
    """Whatever the body begins with, and however its pieces are coded."""
    body = BODIES[name] if b"\x00" in BODIES[name] or BODIES[name][:1] == b"\x78" else BODIES[name].replace(b"\n", end)
    assert is_refused_or_gone(cassette(body), Sanitizer.default([KEY, EMOJI]))


def frame(payload: bytes, event_type: bytes = b"chunk") -> bytes:
    """A frame of `application/vnd.amazon.eventstream` with one header."""
    headers = b"\x0b:event-type\x07" + len(event_type).to_bytes(2, "big") + event_type
    prelude = (16 + len(headers) + len(payload)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    message = prelude + zlib.crc32(prelude).to_bytes(4, "big") + headers + payload
    return message + zlib.crc32(message).to_bytes(4, "big")


@pytest.mark.parametrize(
    "payload",
    [
        lambda piece: json.dumps({"contentBlockIndex": 0, "delta": {"text": piece}, "p": "abcd"}).encode(),
        lambda piece: json.dumps({"bytes": b64(json.dumps({"delta": {"text": piece}}))}).encode(),
    ],
)
def test_frames_are_read_and_refused(payload: Callable[[str], bytes]) -> None:
    """They carry checksums, so nothing is replaced in them; what is spread over several is put together."""
    body = b"".join(frame(payload(piece)) for piece in THIRDS)
    assert is_refused_or_gone(cassette(body), Sanitizer.default([KEY])) == "refused"
    assert Sanitizer.default(["another-secret-1"]).scan(cassette(body)) == ()


MAIL = "jane.doe@acme-corp.com"
HELLO = frame(b'{"delta":{"text":"hello"}}')
LAST = frame(b'{"delta":{"text":"%s"},"p":"abcd"}' % THIRDS[2].encode())  # `,"p":"abcd"}` and a checksum: 16 bytes


@pytest.mark.parametrize("cut", range(17))
def test_a_frame_that_was_cut_hides_nothing(cut: int) -> None:
    """The last of those that a known value is spread over, cut anywhere behind its part."""
    body = b"".join(frame(b'{"delta":{"text":"%s"}}' % piece.encode()) for piece in THIRDS[:2]) + LAST
    assert is_refused_or_gone(cassette(body[: len(body) - cut]), Sanitizer.default([KEY])) == "refused"


FRAMES = {
    "a cut frame": HELLO + frame(b'{"delta":{"text":"it is %s, or' % MAIL.encode())[:-5],
    "a first frame that was cut": frame(b'{"delta":{"text":"it is %s, or' % MAIL.encode())[:-5],
    "a header": HELLO + frame(b"{}", MAIL.encode()) + HELLO,
    "a header of a cut frame": HELLO + frame(b"{}", MAIL.encode())[:-6],
    "what is no frame": HELLO + b"\0\0\0\x0f\0\0\0\0" + b'{"delta":{"text":"it is %s"}}' % MAIL.encode(),
    "a frame that says it is too short": HELLO + b"\0\0\0\x10\0\0\0\1" + MAIL.encode() + b"\0" * 16,
    "a payload that is no JSON": HELLO + frame(b"it is " + MAIL.encode()),
}


@pytest.mark.parametrize("name", FRAMES)
def test_what_a_rule_knows_is_refused_anywhere_in_frames(name: str) -> None:
    """In their headers, and where a whole frame does not follow."""
    assert is_refused_or_gone(cassette(FRAMES[name]), Sanitizer.default()) == "refused"


@pytest.mark.parametrize("before", ["", "\ufeff \n", "so: "])
def test_a_frame_is_read_once(before: str) -> None:
    """What stands in front of its JSON does not double what is put together."""
    body = b"".join(frame(f'{before}{{"delta":{{"text":"{piece}"}}}}'.encode()) for piece in THIRDS)
    assert is_refused_or_gone(cassette(body), Sanitizer.default([KEY])) == "refused"


@pytest.mark.parametrize("cut", range(17))
def test_an_event_that_was_cut_hides_nothing(cut: int) -> None:
    """The last of those that a known value is spread over, cut anywhere behind its part."""
    last = b'data: {"delta":{"content":"%s"},"p":"abcdef"}\n\n' % THIRDS[2].encode()  # 16 bytes behind the brace
    body = chat(THIRDS[0]) + chat(THIRDS[1]) + last
    assert is_refused_or_gone(cassette(body[: len(body) - cut]), Sanitizer.default([KEY])) == "replaced"


@pytest.mark.parametrize(
    "facts",
    [
        {"tool": KEY},
        {"recorded": KEY},
        {"wire": {"http": KEY}},
        {"client": {"name": KEY}},
        {"outcome": {"code": KEY}},
        {"imported": {"format": KEY}},
        {"extra": {"x": [KEY]}},
    ],
)
def test_the_facts_of_a_recording_are_cleaned(facts: dict[str, object]) -> None:
    """All of them."""
    response = Response(200, Headers(), b"", recording=Recording(**facts))  # type: ignore[arg-type]
    dirty = Cassette((Interaction(Request("GET", "https://a.example/"), response),))
    assert is_refused_or_gone(dirty, Sanitizer.default([KEY])) == "replaced"


def test_a_name_among_the_facts_of_a_recording_is_refused() -> None:
    """Names are not replaced."""
    response = Response(200, Headers(), b"", recording=Recording(extra={"x": {KEY: 1}}))
    dirty = Cassette((Interaction(Request("GET", "https://a.example/"), response),))
    assert is_refused_or_gone(dirty, Sanitizer.default([KEY])) == "refused"


def test_a_secret_over_two_values_of_a_header_is_refused() -> None:
    """They may be read as one."""
    dirty = cassette(b"", headers=Headers({"location": (KEY[:9], KEY[9:])}))
    assert is_refused_or_gone(dirty, Sanitizer.default([KEY])) == "refused"


ASKED = {
    "x-acme-key": {"headers": {"x-acme-key": KEY}},
    "x-my-token": {"headers": {"X-My-Token": KEY}},
    "x-acme-secret": {"headers": {"x-acme-secret": KEY}},
    "x-auth": {"headers": {"x-auth": f"Bearer {KEY}"}},
    "x-password": {"headers": {"x-password": KEY}},
    "basic": {"headers": {"authorization": f"Basic {b64('me:' + KEY)}"}},
    "query": {"uri": f"https://a.example/v1?k={percent(KEY)}"},
    "user": {"uri": f"https://me:{KEY}@a.example/v1"},
    "headers of a tool": {"body": json.dumps({"tools": [{"headers": {"Authorization": f"Bearer {KEY}"}}]}).encode()},
    "environment of a tool": {"body": json.dumps({"env": {"ACME_API_KEY": KEY}}).encode()},
    "JSON in JSON": {"body": json.dumps({"config": json.dumps({"apiKey": KEY})}).encode()},
    "form": {"body": f"a=1&password={KEY}".encode()},
    "parts of a form": {
        "body": f'--b\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n{KEY}\r\n--b--\r\n'.encode()
    },
}


@pytest.mark.parametrize("spread", [whole, characters])
@pytest.mark.parametrize("name", ASKED)
def test_a_credential_of_the_request_is_known_in_the_answer(name: str, spread: Callable[[str], bytes]) -> None:
    """Without being named by anyone."""
    parts = {"uri": "https://a.example/v1", "headers": {}, "body": b"{}"} | ASKED[name]
    request = Request("POST", str(parts["uri"]), Headers(parts["headers"]), parts["body"])  # type: ignore[arg-type]
    dirty = cassette(spread(KEY), request)
    assert Sanitizer.default().scan(dirty)
    clean = Sanitizer.default().apply(dirty)
    assert Sanitizer.default([KEY]).scan(clean) == ()
    assert KEY.encode() not in clean.interactions[0].response.body + (clean.interactions[0].request.body or b"")


def test_a_short_secret_is_not_found_across_words() -> None:
    """Blanks are left out before base64 and hexadecimal digits are decoded, not before words are compared."""
    clean = cassette(whole("I have read minutes, &c., 100% of 0x61 0x64 and \\u0061"))
    assert Sanitizer.default(["admin"]).scan(clean) == ()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("abcdefghijklmn", "abcdsecret-REDACTED-0001"),  # the longer one begins inside the shorter one
        ("efghijklmnop", "secret-REDACTED-0001op"),  # the shorter one begins inside the longer one
        ("abcdefghijklmnop", "abcdsecret-REDACTED-0001op"),
        ("efghijklmnefghijklmn", "secret-REDACTED-0001secret-REDACTED-0001"),
    ],
)
def test_of_secrets_that_share_characters_the_longest_is_replaced(text: str, clean: str) -> None:
    """What is left of another one is no secret any more."""
    dirty = cassette(f"data: {text}\n\n".encode())
    sanitizer = Sanitizer.default(["abcdefgh", "efghijklmn", "klmnop"])
    assert sanitizer.apply(dirty).interactions[0].response.body == f"data: {clean}\n\n".encode()
