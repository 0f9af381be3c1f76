"""The residue scan finds, by decoding, what the replacing code may have missed; and names only the place."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from urllib.parse import quote

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import HeaderAction, Residue, Rule, Sanitizer

SECRET = "sk-planted-3141592653589793"


def cassette(body: bytes = b"", uri: str = "https://api.example.com/v1", **parts: object) -> Cassette:
    request = Request("POST", uri, Headers(parts.get("request_headers", {})), parts.get("request_body"))  # type: ignore[arg-type]
    response = Response(200, Headers(parts.get("response_headers", {})), body, reason=str(parts.get("reason", "OK")))  # type: ignore[arg-type]
    return Cassette((Interaction(request, response),))


def event(content: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": content}}]}).encode() + b"\n\n"


ENCODINGS = {
    "plain": SECRET,
    "percent, every character": "".join(f"%{ord(char):02x}" for char in SECRET),
    "percent": quote(SECRET),
    "unicode escapes, every character": "".join(f"\\u{ord(char):04x}" for char in SECRET),
    "unicode escapes, mixed": "sk\\u002dplanted\\u002D3141592653589793",
    "escapes of Python, some": "sk\\x2dplanted\\x2D3141592653589793",
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64, one before": base64.b64encode(b"x" + SECRET.encode()).decode(),
    "base64, two before": base64.b64encode(b"xy" + SECRET.encode()).decode(),
    "base64 before one digit": base64.b64encode(SECRET.encode()).decode() + "Q",
    "base64 of bytes that are no text": base64.b64encode(b"\xff\xfe" + SECRET.encode()).decode(),
    "base64 without padding": base64.b64encode(b"xy" + SECRET.encode()).decode().rstrip("="),
    **{f"base32, {count} before": base64.b32encode(b"q" * count + SECRET.encode()).decode() for count in range(6)},
    "base32 behind a digit": "A" + base64.b32encode(SECRET.encode()).decode().rstrip("="),
    "base32 in parts": " ".join(
        base64.b32encode(SECRET.encode() + b"zzz").decode()[at : at + 8] for at in range(0, 48, 8)
    ),
    "base32 of base64": base64.b32encode(base64.b64encode(SECRET.encode())).decode(),
    "octal": "".join(f"\\{ord(char):03o}" for char in SECRET),
    "octal, some": "sk\\055planted-3141592653589793",
    "hex": SECRET.encode().hex(),
    "hex, upper": SECRET.encode().hex().upper(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_is_seen_in_a_body(encoding: str) -> None:
    """In the response body, whatever the form."""
    found = Sanitizer.default([SECRET]).scan(cassette(f"data: a {ENCODINGS[encoding]} z\n\n".encode()))
    assert Residue("known-secret", "interaction 1, response event 1") in found


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", " \t\n", "\n  \t", "\n\n \r\n"])
def test_a_line_break_hides_nothing(end: str) -> None:
    """Nor the blanks on both sides of it."""
    found = Sanitizer.default([SECRET]).scan(cassette(event(f"a {SECRET[:9]}{end}{SECRET[9:]} z")))
    assert Residue("known-secret", "interaction 1, response event 1") in found


@pytest.mark.parametrize("written", ["k3y!", "6b337921", "6B337921", "azN5IQ", "eGszeSE", "eHhrM3kh", "\\u006b3y!"])
def test_the_shortest_secret_is_seen(written: str) -> None:
    """Four characters, in eight digits of base 16, or in six of base 64 behind none, one and two bytes."""
    found = Sanitizer.default(["k3y!"]).scan(cassette(f"data: a {written} z\n\n".encode()))
    assert Residue("known-secret", "interaction 1, response event 1") in found


def test_an_escape_may_stand_for_the_last_code_point_and_for_none_behind_it() -> None:
    """Unicode ends at U+10FFFF; what is higher stands for nothing, and is no reason to fail."""
    sanitizer = Sanitizer.default(["key-\U0010ffff-314159"])
    for written in ("key-\\u{10ffff}-314159", "key-\\U0010FFFF-314159"):
        assert sanitizer.scan(cassette(f"data: {written}\n\n".encode()))
    assert sanitizer.scan(cassette(b"data: \\u{110000} \\UFFFFFFFF &#x110000; &#9999999;\n\n")) == ()


@pytest.mark.parametrize("before", ["", "Q", "QR", "QRS"])
def test_base64_is_seen_behind_any_number_of_digits(before: str) -> None:
    """The digits before it shift what follows; nothing else is there that would shift it back."""
    body = f"data: {before}{base64.b64encode(SECRET.encode()).decode()}\n\n".encode()
    assert Sanitizer.default([SECRET]).scan(cassette(body))


@pytest.mark.parametrize("before", ["", "x", "xy"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_both_alphabets_of_base64_are_read(encode: Callable[[bytes], bytes], before: str) -> None:
    """RFC 4648 sections 4 and 5: what the last two digits are."""
    secret = "k>>>>>>>>3y???????31415"
    body = b"data: %s\n\n" % encode(f"{before}{secret}".encode())
    assert Sanitizer.default([secret]).scan(cassette(body))


@pytest.mark.parametrize(
    "between", [" ", ", ", ":", ";", "|", '","', "','", ") (", "] [", "> <", "-", " 0x", "\t", "\\r\\n"]
)
def test_hexadecimal_digits_are_seen_whatever_parts_them(between: str) -> None:
    """Two digits a byte, as dumps and lists of numbers have them."""
    body = f"data: {between.join(f'{ord(char):02x}' for char in SECRET)}\n\n".encode()
    assert Sanitizer.default([SECRET]).scan(cassette(body))


ESCAPED = {  # what a character of the secret may be written as, in a line that is no JSON
    "/": ["\\/", "\\u002f", "%2f", "&#47;", "&#x2F;"],
    "'": ["\\'", "&apos;", "&#X27;"],
    '"': ['\\"', "&quot;"],
    "\\": ["\\\\", "\\\\\\\\", "\\134"],
    "\u00e9": ["\\303\\251", "\\351", "\\xe9"],
    "\\123": ["\\\\123", "\\\\\\\\123"],
    "\t": ["\\t", "\\u{9}", "&#9;"],
    "\n": ["\\n", "\\x0a"],
    "\r": ["\\r", "\\x0D"],
    "\b": ["\\b"],
    "\f": ["\\f"],
    "&": ["&amp;", "&amp;amp;"],
    "<": ["&lt;"],
    ">": ["&gt;"],
    "\U00010000": ["\\ud800\\udc00", "\\U00010000", "&#65536;"],
    "\U00100000": ["\\udbc0\\udc00", "\\u{100000}", "&#1048576;", "&#x100000;"],
    "\U0010fffd": ["\\udbff\\udffd", "&#1114109;", "%F4%8F%BF%BD"],
}


@pytest.mark.parametrize(("said", "written"), [(said, each) for said in ESCAPED for each in ESCAPED[said]], ids=ascii)
def test_every_escape_is_undone(said: str, written: str) -> None:
    """One character of the secret is written as an escape, the others as they are."""
    found = Sanitizer.default([f"k3y{said}31415"]).scan(cassette(f"data: k3y{written}31415\n\n".encode()))
    assert Residue("known-secret", "interaction 1, response event 1") in found


PACKED = {
    "gzip": base64.b64encode(gzip.compress(SECRET.encode())).decode(),
    **{f"zlib, {level}": base64.b64encode(zlib.compress(SECRET.encode(), level)).decode() for level in (1, 2, 6, 9)},
}


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("before", ["", "/", "see /v1/files/"])
def test_what_is_compressed_is_seen_behind_a_slash(packed: str, before: str) -> None:
    """The slash is a digit of base64 too, and would shift what follows."""
    found = Sanitizer.default([SECRET]).scan(cassette(f"data: {before}{PACKED[packed]} z\n\n".encode()))
    assert Residue("known-secret", "interaction 1, response event 1") in found


def test_what_only_looks_compressed_hides_nothing_behind_it() -> None:
    """The first run begins as zlib does, and breaks off."""
    body = f"data: eJz{'/' * 37} {PACKED['zlib, 6']}\n\n"
    assert Residue("known-secret", "interaction 1, response event 1") in Sanitizer.default([SECRET]).scan(
        cassette(body.encode())
    )


@pytest.mark.parametrize(
    "part", [*PACKED.values(), base64.b64encode(base64.b64encode(SECRET.encode())).decode()], ids=[*PACKED, "twice"]
)
def test_a_part_of_a_path_is_decoded_by_itself(part: str) -> None:
    """Whatever stands around it, percent-encoded or not."""
    for written in (part.rstrip("="), quote(part, safe="")):
        found = Sanitizer.default([SECRET]).scan(cassette(uri=f"https://api.example.com/v1/{written}/x"))
        assert Residue("known-secret", "interaction 1, request uri") in found


PLACES = {
    "request uri": {"uri": f"https://api.example.com/{SECRET}"},
    "request body": {"request_body": SECRET.encode()},
    "request header x-trace": {"request_headers": {"x-trace": SECRET}},
    "a request header name": {"request_headers": {SECRET: "1"}},
    "response header x-echo": {"response_headers": {"x-echo": f"got {SECRET}"}},
    "response reason": {"reason": SECRET},
}


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_looked_at(place: str) -> None:
    """And is named, the value is not."""
    found = Sanitizer.default([SECRET]).scan(cassette(**PLACES[place]))  # type: ignore[arg-type]
    assert f"interaction 1, {place}" in [each.place for each in found]
    assert SECRET not in repr(found) + "".join(map(str, found))


@pytest.mark.parametrize("cut", range(1, len(SECRET)))
def test_a_secret_over_two_events_is_put_together(cut: int) -> None:
    """Text is joined at its JSON path before it is searched."""
    found = Sanitizer.default([SECRET]).scan(cassette(event(SECRET[:cut]) + event("") + event(SECRET[cut:])))
    assert Residue("known-secret", "interaction 1, response events 1 to 3, content put together") in found


def test_a_secret_over_every_character_is_put_together() -> None:
    """One character an event."""
    found = Sanitizer.default([SECRET]).scan(cassette(b"".join(map(event, SECRET))))
    assert {each.place for each in found} == {
        "interaction 1, response events 1 to 27, content put together",
        "interaction 1, response events 1 to 27, text put together",  # by its path, which is not shown
    }


def test_a_secret_over_two_data_lines_or_raw_events_is_put_together() -> None:
    """Not only JSON carries text."""
    body = f"data: x{SECRET[:9]}\n\ndata: {SECRET[9:]}x\n\n".encode()
    found = Sanitizer.default([SECRET]).scan(cassette(body))
    assert {each.place for each in found} == {"interaction 1, response events 1 to 2, text put together"}


@pytest.mark.parametrize(
    "text",
    [
        r"grep -E '(a)\1\2' C:\101\102\new \377\400 \08 \128",
        "HELLO WORLDS ABCDEFGHIJKLMNOPQRSTUVWXYZ234567 JBSWY3DPEHPK3PXP",
        "A" * 4000,
        base64.b32encode(bytes(range(256))).decode(),
    ],
)
def test_what_looks_like_digits_or_escapes_is_no_residue(text: str) -> None:
    """It is decoded, and says nothing that is known."""
    dirty = cassette(event(text))
    sanitizer = Sanitizer.default([SECRET, "four", "AAAB"])
    assert sanitizer.scan(dirty) == ()
    assert sanitizer.apply(dirty) == dirty


def test_a_clean_cassette_has_no_residue() -> None:
    """Binary bytes, deep nesting and broken JSON are no reason to fail."""
    body = b"data: " + b"[" * 5000 + b"\n\ndata: {\n\n\xff\xfe\x00data: abcde%\n\n" + b"A" * 4097
    assert Sanitizer.default([SECRET]).scan(cassette(body)) == ()


def test_a_method_is_looked_at() -> None:
    """It is whatever the caller wrote."""
    dirty = Cassette((Interaction(Request(SECRET, "https://api.example.com/v1"), Response(200)),))
    assert Sanitizer.default([SECRET]).scan(dirty) == (Residue("known-secret", "interaction 1, request method"),)


@pytest.mark.parametrize(
    ("secret", "written"),
    [
        ("correct horse battery", "correct+horse+battery"),  # in a form
        ("k3y-one\nk3y-two", "k3y-onek3y-two"),  # over data lines, put together
        ("k3y-one\r\nk3y-two", "k3y-onek3y-two"),
    ],
)
def test_a_secret_with_blanks_or_line_breaks_is_seen_without_them(secret: str, written: str) -> None:
    """As a form or several lines of data have it."""
    assert Sanitizer.default([secret]).scan(cassette(f"data: {written}\n\n".encode()))


@pytest.mark.parametrize("uri", ["https://me:pa55word@a.example/", "https://me@a.example/", "https://a.example/#top"])
def test_parts_of_a_uri_that_are_never_stored_are_seen(uri: str) -> None:
    """A user, a password, a fragment, each by itself."""
    assert Sanitizer.default().scan(cassette(uri=uri)) == (Residue("uri-parts", "interaction 1, request uri"),)


def test_an_id_in_a_path_is_seen() -> None:
    """By the rule for paths alone."""
    found = Sanitizer.default().scan(cassette(uri="https://api.example.com/v4/accounts/38bc1f7f0948/ai/run"))
    assert found == (Residue("uri-ids", "interaction 1, request uri"),)


@pytest.mark.parametrize("query", ["k=", "K=1", "stream=true&k=1", "k"])
def test_a_parameter_off_the_list_is_seen(query: str) -> None:
    """With a value or without one; case does not matter for those on the list."""
    assert Residue("query", "interaction 1, request uri") in Sanitizer.default().scan(
        cassette(uri=f"https://a.example/?{query}")
    )
    assert Sanitizer.default().scan(cassette(uri="https://a.example/?Stream=true")) == ()


@pytest.mark.parametrize(
    "written", ["jane.doe@acme-corp.com", "jane.doe%40acme-corp.com", "jane.doe\\u0040acme-corp.com"]
)
def test_what_rules_know_is_seen_behind_escapes(written: str) -> None:
    """In a line that is no JSON."""
    assert Residue("email", "interaction 1, response event 1") in Sanitizer.default().scan(
        cassette(f"data: write to {written} now\n\n".encode())
    )


def test_a_known_word_of_a_stand_in_is_no_residue() -> None:
    """Else what was replaced would be refused."""
    sanitizer = Sanitizer.default(["secret", "REDACTED"])
    assert sanitizer.scan(cassette(b"data: a secret-REDACTED-0001 b\n\n")) == ()
    assert sanitizer.scan(cassette(b"data: a secret-REDACTED b\n\n"))


@pytest.mark.parametrize("line", [b": %s\n", b":%s\n", b"%s\n", b"id: %s\n", b"event: %s\n"])
def test_a_secret_over_lines_without_data_is_put_together(line: bytes) -> None:
    """Comments, lines that are no field, names and ids, with an event between them."""
    body = line % SECRET[:9].encode() + b"data: 1\n\n" + line % SECRET[9:].encode() + b"data: 2\n\n"
    assert Sanitizer.default([SECRET]).scan(cassette(body))


SPREAD: dict[str, Callable[[int, str], object]] = {  # the n-th event that says a piece
    "strings": lambda number, piece: piece,
    "broken strings": lambda number, piece: f'"{piece}',
    "one place in lists that grow": lambda number, piece: {"x": {"t": "-"}, "l": [0] * number + [{"t": piece}]},
    "the first of two": lambda number, piece: {"l": [{"t": piece}, {"t": "-"}]},
    "other places, one name": lambda number, piece: {f"p{number}": {"t": piece}, "x": {"y": "-"}},
    "other ids": lambda number, piece: {"id": f"i-{number}", "t": piece},
    "other names": lambda number, piece: {f"t{number}": piece},
}


@pytest.mark.parametrize("spread", SPREAD)
def test_a_secret_is_put_together_by_every_measure(spread: str) -> None:
    """Whichever of place, name and position the pieces have in common, with other text between them."""
    said = [SPREAD[spread](number, piece) for number, piece in enumerate((SECRET[:7], SECRET[7:15], SECRET[15:]))]
    lines = [each if isinstance(each, str) and each[0] == '"' else json.dumps(each) for each in said]
    assert Sanitizer.default([SECRET]).scan(cassette("".join(f"data: {line}\n\n" for line in lines).encode()))


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0)])
def test_a_secret_over_events_and_a_line_that_is_none_is_put_together(order: tuple[int, int, int]) -> None:
    """Wherever the line stands: a blank in front of `data` is enough to make one."""
    pieces = (SECRET[:8], SECRET[8:15], SECRET[15:])
    body = b"".join(b" " * (order[at] == 0) + event(piece) for at, piece in enumerate(pieces))
    assert Sanitizer.default([SECRET]).scan(cassette(b": a\n\n" + body)) != ()


def test_what_rules_know_is_put_together_for_each_choice() -> None:
    """What another choice says in between is no part of it."""
    said = [(0, "write to jane.doe@ac"), (1, "zz zz"), (0, "me-corp.com now"), (1, "zz")]
    lines = [json.dumps({"choices": [{"index": index, "delta": {"content": text}}]}) for index, text in said]
    found = Sanitizer.default().scan(cassette("".join(f"data: {line}\n\n" for line in lines).encode()))
    assert found == (Residue("email", "interaction 1, response events 1 to 3, content put together"),)


def test_what_rules_know_is_seen_in_a_comment() -> None:
    """Whichever reader passes it over."""
    found = Sanitizer.default().scan(cassette(b":write to jane.doe@acme-corp.com\n\ndata: 1\n\n"))
    assert found == (Residue("email", "interaction 1, a comment of the response body"),)


PIN = b'{"pin":"p-1"}'


@pytest.mark.parametrize(
    "body",
    [
        b" data: " + PIN,
        b"\tdata: " + PIN + b"\n\n",
        b"hello\ndata: " + PIN,
        b"hello\rdata: " + PIN,
        b"hello\r\n \t" + PIN,
        b"hello\n" + PIN,
        b"hello\r" + PIN,
        b"hello\n[" + PIN + b"]",
        b"hello\n[[" + PIN + b"]]",
        b'hello\n["a",' + PIN + b"]",
        b'{"a":1}\rdata: ' + PIN,
        b'{"a":1}\ndata: ' + PIN,
        b'{"a":1}\n' + PIN,
        b"[1]\n\ndata:" + PIN,
        b"\xef\xbb\xbf" + PIN,
        b"\xef\xbb\xbfdata: " + PIN,
        b"data: 1\n\nerror: " + PIN,
        b"data: 1\n\nerror [" + PIN + b"]",
        b"data: 1\n\ndata: " + PIN,  # a reader discards it
        b"data: 1\n\ndata:\ndata: " + PIN + b"\n\n",
        b'data: {"pin" \n\n\ndata: {"x":1, "pin" : "p-1',
        b'data: {"x":"{\\"pin\\":\\"p-1\\"}"}\n\n',
        b'data: {"x":" [1] {\\"pin\\":1234567}"}\n\n',
    ],
)
def test_a_member_is_seen_behind_what_hides_the_framing(body: bytes) -> None:
    """By its name alone: no rule knows the value."""
    sanitizer = Sanitizer(rules=(Rule(name="badge", members=("pin",)),))
    assert {each.rule for each in sanitizer.scan(cassette(body))} == {"badge"}
    assert sanitizer.scan(cassette(body.replace(b"pin", b"nip"))) == ()


def part(head: str, value: str = "p-1") -> bytes:
    return f"--b\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n--b--\r\n".encode()


@pytest.mark.parametrize(
    ("body", "is_seen"),
    [
        (b"pin=p-1&x=1", True),
        (b"x=1&pin=p-1\n", True),
        (b"pin=p 1", False),  # prose, not a form
        (b"pin=a{b", False),
        (b":pin=p-1&x=1", False),  # a comment of an event stream
        (part('name="pin"'), True),
        (part("name=pin"), True),
        (part("name=pin; x=1"), True),
        (part('name="pin"; filename="a.txt"'), False),  # a file, which is not a value
        (part('name="pin"', " "), False),
    ],
)
def test_a_member_of_a_form_is_seen(body: bytes, is_seen: bool) -> None:
    """In both ways in which forms are sent."""
    sanitizer = Sanitizer(rules=(Rule(name="badge", members=("pin",)),))
    assert {each.rule for each in sanitizer.scan(cassette(request_body=body))} == ({"badge"} if is_seen else set())


def test_each_value_of_a_header_is_looked_at_by_itself() -> None:
    """Put together with the one before, it is no key any more."""
    dirty = cassette(response_headers={"location": ("x", "AKIAPL4NT3DPL4NT3DPL")})
    assert Sanitizer.default().scan(dirty) == (Residue("aws-key", "interaction 1, response header location"),)


def test_a_coding_that_is_named_and_not_there_is_seen() -> None:
    """The body is plain, so the header is not true."""
    dirty = cassette(b"data: 1\n\n", response_headers={"content-encoding": "gzip"})
    place = "interaction 1, response header content-encoding"
    assert Sanitizer.default().scan(dirty) == (Residue("response-headers", place),)


def test_a_header_whose_rule_was_taken_out_may_stay() -> None:
    """No list of what may be stored names it, nor needs to."""
    dirty = cassette(response_headers={"set-cookie": "theme=dark"})
    assert Sanitizer.default().scan(dirty) == (Residue("cookie", "interaction 1, response header set-cookie"),)
    assert Sanitizer.default().without("cookie").scan(dirty) == ()


def test_the_first_rule_for_a_header_decides() -> None:
    """As it does when values are replaced."""
    first = Rule(name="first", headers=("x-a",))
    second = Rule(name="second", headers=("x-a",), header_action=HeaderAction.DROP)
    dirty = cassette(response_headers={"x-a": "first-REDACTED-0001"})
    assert Sanitizer(rules=(first, second)).scan(dirty) == ()
    assert Sanitizer(rules=(second, first)).scan(dirty) == (Residue("second", "interaction 1, response header x-a"),)


def test_the_requests_own_credentials_are_known() -> None:
    """A key in the authorization header is searched for without being named."""
    dirty = cassette(event(SECRET), request_headers={"Authorization": f"Bearer {SECRET}"})
    places = [each.place for each in Sanitizer.default().scan(dirty)]
    assert "interaction 1, response body" in places


@pytest.mark.parametrize("field", ["event", "id"])
def test_a_secret_over_names_and_ids_of_events_is_seen(field: str) -> None:
    """Each event has a part of it, the same one twice in a row as well."""
    parts = ["sk-planted-", "77", "77", "3141592653"]
    body = "".join(f"{field}: {part}\n{event('x').decode()}" for part in parts)
    found = Sanitizer.default(["".join(parts)]).scan(cassette(body.encode()))
    assert Residue("known-secret", "interaction 1, response events 1 to 4, text put together") in found
