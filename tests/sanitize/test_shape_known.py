"""`text="shape"` and known values: of one in a text or a prompt nothing can be seen but how many bytes it took."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.contracts import chat, read
from recorder.sanitize import Sanitizer, sanitized

SECRET = "sk-aB3/c1.2"
DONE = b"data: [DONE]\n\n"


def event(value: object) -> bytes:
    return b"data: %s\n\n" % json.dumps(value).encode()


def said(*pieces: str) -> bytes:
    return b"".join(event({"choices": [{"index": 0, "delta": {"content": piece}}]}) for piece in pieces)


def called(*pieces: str) -> bytes:
    deltas = [{"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": piece}}]} for piece in pieces]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    last = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    return b"".join(event({"choices": [choice]}) for choice in [*choices, last]) + DONE


def cassette(body: bytes, request: bytes = b"{}", sent: str = "application/json") -> Cassette:
    asked = Request("POST", "https://api.example.com/v1", Headers({"content-type": sent}), request)
    return Cassette((Interaction(asked, Response(200, Headers({"content-type": "text/event-stream"}), body)),))


def shaper(*secrets: str) -> Sanitizer:
    return Sanitizer.default(secrets, text="shape")


def stored(dirty: Cassette, *secrets: str) -> Interaction:
    """What is stored: clean to the scan, and the same when it is sanitized again."""
    sanitizer = shaper(*secrets)
    clean = sanitized(dirty, sanitizer)
    assert sanitizer.clean(clean).cassette == clean
    assert sanitizer.clean(clean).counts == {}
    return clean.interactions[0]


def answer(body: bytes, *secrets: str) -> bytes:
    after = stored(cassette(body), *secrets).response.body
    assert len(after) == len(body)
    return after


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


WRITTEN = {
    # what stands in front of a known value and its shape, how the value is written, and what stands behind it
    "plain": ("So ", "Xx ", "sk-aB3/c1.2", "?", "?"),
    "JSON in JSON": ('{"a":"', '{"x":"', r"sk-aB3\/c1.2", '"}', '"}'),
    "escaped": ("", "", r"\u0073k-a\u00423/c1.2", "!", "!"),
    "percent": ("", "", "%73k%2DaB3%2Fc1.2", " %20", " %11"),
    "base64": ("", "", base64.b64encode(SECRET.encode()).decode(), " 2", " 1"),
    "hexadecimal": ("0x", "1x", SECRET.encode().hex(), " Q", " X"),
    "references": ("a", "x", "&#115;k-aB3&#x2f;c1.2", "", ""),
}


def filled(written: str) -> str:
    """As many letters as it has bytes in a JSON string."""
    return "x" * len(json.dumps(written)[1:-1])


@pytest.mark.parametrize("name", WRITTEN)
def test_every_byte_of_a_known_value_is_the_same_letter(name: str) -> None:
    """However it is written; what stands beside it keeps its shape."""
    front, front_shape, written, back, back_shape = WRITTEN[name]
    assert answer(said(front + written + back), SECRET) == said(front_shape + filled(written) + back_shape)
    pieces = [*front_shape, *map(filled, written), *back_shape]
    assert answer(said(*front, *written, *back), SECRET) == said(*pieces)


def test_a_prompt_and_a_credential() -> None:
    """The credential of the request is known without being named."""
    request = Request(
        "POST",
        "https://a.example/",
        Headers({"authorization": f"Bearer {SECRET}"}),
        b'{"input":"is it %s?"}' % SECRET.encode(),
    )
    clean = shaper().apply(Cassette((Interaction(request, Response(200, Headers(), said(SECRET))),)))
    assert clean.interactions[0].request.body == b'{"input":"xx xx xxxxxxxxxxx?"}'
    assert clean.interactions[0].response.body == said("xxxxxxxxxxx")


def test_what_is_structure_has_a_stand_in() -> None:
    """It is not shaped, hence the value's length does not matter there; text beside it has no stand-in."""
    body = event({"id": f"a.{SECRET}", "text": SECRET})
    assert stored(cassette(body), SECRET).response.body == event({"id": "a.secret-REDACTED-0001", "text": "x" * 11})


def test_no_half_of_a_known_value_is_left_in_structure() -> None:
    """The first piece looks like an id and would stay, the second is content: it has a blank."""
    body = event({"id": "sk-planted"}) + event({"id": "-key 314"})
    assert answer(body, "sk-planted-key 314") == event({"id": "x" * 10}) + event({"id": "x" * 8})


def test_a_known_value_in_a_list_of_bytes() -> None:
    """As many digits as before, in an order that does not tell letters from digits."""
    body = event({"logprobs": [{"token": "k-4z", "bytes": [107, 45, 52, 122]}, {"token": "b!", "bytes": [98, 33]}]})
    assert answer(body, "k-4zb") == event(
        {"logprobs": [{"token": "xxxx", "bytes": [120, 120, 88, 88]}, {"token": "x!", "bytes": [88, 33]}]}
    )


def test_numbers() -> None:
    """Numbers that say something stay numbers; those of the structure are stand-ins, as ever."""
    body = event({"created": 31415926, "args": {"pin": 31415926, "n": -7.5}})
    assert stored(cassette(body), "31415926").response.body == event(
        {"created": 1, "args": {"pin": 11111111, "n": -1.1}}
    )


@pytest.mark.parametrize("text", ["keep", "shape"])
@pytest.mark.parametrize("pieces", [['{"pin": 31415926, "a": ["x"]}'], list('{"pin": 31415926, "a": [-31415926.5]}')])
def test_arguments_stay_json_when_a_number_in_them_is_known(pieces: list[str], text: str) -> None:
    """A number is replaced by a number, so that the verdict stays."""
    body = called(*pieces)
    sanitizer = Sanitizer.default(["31415926"]).with_text(text)  # type: ignore[arg-type]
    clean = sanitized(cassette(body), sanitizer)
    assert sanitizer.apply(clean) == clean
    verdict = read([clean.interactions[0].response.body], chat())
    assert read([body], chat()).ok
    assert verdict.ok
    assert all(isinstance(value, int | list) for value in json.loads(verdict.tool_calls[0].arguments).values())
    assert "31415926" not in verdict.tool_calls[0].arguments


SHAPES = ["1111", "xxxx", "XXXX", "x1-x1", "Xx xx", "\u6587\u6587\u6587\u6587", "\u00f8x11", "11111111"]


@pytest.mark.parametrize("secret", SHAPES)
def test_a_known_value_that_is_a_shape_says_nothing_in_a_text(secret: str) -> None:
    """It cannot be told from other texts there, so they are not littered with stand-ins and no byte moves."""
    body = said("Words of 2026, ", secret, " more 31415926 Wo rd", " \u4f60\u597d\u4f60\u597d a1-b2 \u00e9a12") + DONE
    request = json.dumps({"input": f"is it {secret}?"}, ensure_ascii=False).encode()
    after = stored(cassette(body, request), secret)
    assert len(after.response.body) == len(body)
    assert after.response.body == answer(body)
    assert (after.request.body or b"").decode() == json.dumps({"input": f"xx xx {secret}?"}, ensure_ascii=False)


@pytest.mark.parametrize("secret", ["1111", "xxxx", "11111111"])
def test_a_known_value_that_is_a_shape_is_no_structure_and_no_head(secret: str) -> None:
    """Where nothing is shaped it does say something."""
    request = Request("POST", f"https://a.example/{secret}", Headers({"accept-language": f"de {secret}"}), b"{}")
    body = event({"id": f"a-{secret}", "text": f"Oh {secret}"}) + b": c\nid: %s\n\n" % secret.encode()
    dirty = Cassette((Interaction(request, Response(200, Headers(), body, reason=secret)),))
    places = {residue.place for residue in shaper(secret).scan(dirty) if residue.rule == "known-secret"}
    assert {"interaction 1, request uri", "interaction 1, response reason", "interaction 1, response event 1"} <= places
    clean = sanitized(dirty, shaper(secret)).interactions[0]
    assert clean.request.uri == "https://a.example/secret-REDACTED-0001"
    assert clean.request.headers["accept-language"] == ("de secret-REDACTED-0001",)
    assert clean.response.body == (
        event({"id": "a-secret-REDACTED-0001", "text": f"Xx {secret}"}) + b": c\nid: secret-REDACTED-0001\n\n"
    )


def test_a_known_value_of_symbols_is_no_shape() -> None:
    """Symbols stand for themselves, so they would be left."""
    assert answer(said("so: -+-+ -+-+"), "-+-+") == said("xx: xxxx xxxx")


PLACES: dict[str, Callable[[bytes], bytes]] = {
    "a marker": lambda value: b"data: [%s]\n\n" % value,
    "no JSON": lambda value: b"data: it is %s\n\n" % value,
    "no field": lambda value: b'what: {"a":"%s"} %s\n\n' % (value, value),
    "broken JSON": lambda value: b'data: {"a":"%s", %s, "b\n\n' % (value, value),
    "several lines": lambda value: b'data: {"text":\ndata: "%s"}\n\n' % value,
    "a name in arguments": lambda value: said(f'{{"{value.decode()}":1}}'),
    "a page": lambda value: b"<p>%s</p>" % value,
    "an emoji beside it": lambda value: said(f"\U0001f511{value.decode()}\u00e9"),
}


@pytest.mark.parametrize("name", PLACES)
def test_two_values_of_one_length_cannot_be_told_apart(name: str) -> None:
    """Whatever they are made of: what is stored is the same."""
    one, two = b"SK_3-ABC12.x/4", b"PASSWORDOFMINE"
    if name == "a marker":
        one = b"SK_ABC_DE_FGHI"
    first, second = (stored(cassette(PLACES[name](value)), value.decode()).response.body for value in (one, two))
    assert first == second
    assert len(first) == len(PLACES[name](one))


letters = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters='"\\&%'), min_size=8, max_size=24
)
ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "escaped": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "percent": lambda text: "".join(f"%{ord(char):02X}" for char in text),
    "base64": b64,
    "hexadecimal": lambda text: text.encode().hex(),
    "references": lambda text: "".join(f"&#x{ord(char):02x};" for char in text),
}


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(letters, letters, st.sampled_from(sorted(ENCODINGS)), st.lists(st.integers(1, 150), max_size=6), st.booleans())
def test_nothing_but_the_length_shows(one: str, two: str, encoding: str, cuts: list[int], in_arguments: bool) -> None:
    """Any two values of as many characters, in any encoding, over any pieces."""
    length = min(len(one), len(two))
    bodies = []
    for secret in (f"#{one[:length]}~", f"#{two[:length]}~"):
        written = ENCODINGS[encoding](secret)
        at = [0, *sorted({cut for cut in cuts if cut < len(written)}), len(written)]
        pieces = [written[low:high] for low, high in pairwise(at)]
        body = called('{"to":"', *pieces, '"}') if in_arguments else said("so: ", *pieces, " is it")
        bodies.append(answer(body, secret))
    assert bodies[0] == bodies[1]


FORMS = {
    "application/x-www-form-urlencoded": (
        b"prompt=Say+hi%C3%A9&n=2&Tell me=a1&hello&b=sk-aB3%2Fc1.2",
        b"prompt=Xxx+xx%C3%B8&n=1&Xxxx xx=x1&xxxxx&b=xxxxxxxxxxxxx",
    ),
    "multipart/form-data; boundary=Bb": (
        b'--Bb\r\nContent-Disposition: form-data; name="a"\r\n\r\nHi\r\n--you\r\nContent-x: 2\r\nsk-aB3/c1.2\r\n--Bb--',
        b'--Bb\r\nContent-Disposition: form-data; name="a"\r\n\r\nXx\r\n--xxx\r\nXxxxxxx-x: 1\r\nxxxxxxxxxxx\r\n--Bb--',
    ),
}


@pytest.mark.parametrize("sent", FORMS)
def test_forms_are_shaped_and_stored(sent: str) -> None:
    """Their names stay, what is no field is content; the scan knows which is which."""
    before, after = FORMS[sent]
    assert stored(cassette(b"data: 1\n\n", before, sent), SECRET).request.body == after
    left = Sanitizer.default([SECRET]).apply(cassette(b"data: 1\n\n", before, sent))
    assert "text-shape in interaction 1, request body" in map(str, shaper().scan(left))


@pytest.mark.parametrize(
    ("body", "request_body", "sent"),
    [
        (event({"password": "h\u00fcnter"}), b"{}", "application/json"),
        (event({"password": "!?!?"}), b"{}", "application/json"),
        (called(*'{"password":"h\u00fcnter"}'), b'{"tools":[{"password":1}]}', "application/json"),
        (b"data: 1\n\n", b"a=1&password=h%C3%BCnter", "application/x-www-form-urlencoded"),
    ],
)
def test_a_member_that_a_rule_means_is_shaped_once(body: bytes, request_body: bytes, sent: str) -> None:
    """No stand-in that would be shaped the next time."""
    assert b"REDACTED" not in stored(cassette(body, request_body, sent)).response.body
