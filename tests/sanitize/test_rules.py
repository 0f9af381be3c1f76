"""Every rule by its own examples: what it hits, what it leaves, and that the scan notices when it is missing."""

from __future__ import annotations

import json

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import DEFAULT_RULES, Allow, Example, HeaderAction, Rule, Sanitizer

SECRETS = ["sk-planted-3141"]
RULES = {rule.name: rule for rule in DEFAULT_RULES}
HEADERS = {name for rule in DEFAULT_RULES if isinstance(rule, Rule) for name in rule.headers}
EXAMPLES = [(rule.name, example) for rule in DEFAULT_RULES for example in rule.examples]
MISSES = [(rule.name, miss) for rule in DEFAULT_RULES if isinstance(rule, Rule) for miss in rule.misses]


def cassette(text: str, rule: Rule | Allow) -> Cassette:
    """A text where its rule looks for it: a URI, a header, a body, or what a stream says."""
    name, colon, value = text.partition(": ")
    request = Request("POST", "https://api.example.com/v1", Headers(), b"{}")
    response = Response(200, Headers({"content-type": "text/event-stream"}), b"data: 1\n\n")
    if text.startswith("https://") and (isinstance(rule, Allow) or rule.paths_only or rule.name == "uri-parts"):
        request = Request("POST", text, Headers(), b"{}")
    elif colon and isinstance(rule, Allow):
        headers = Headers({name: value})
        if rule.name == "request-headers":
            request = Request("POST", "https://api.example.com/v1", headers, b"{}")
        else:
            response = Response(200, headers, b"data: 1\n\n")
    elif colon and isinstance(rule, Rule) and name in rule.headers:
        request = Request("POST", "https://api.example.com/v1", Headers({name: value}), b"{}")
    elif text.startswith("{"):
        request = Request("POST", "https://api.example.com/v1", Headers(), text.encode())
    else:
        response = Response(200, Headers(), said(text))
    return Cassette((Interaction(request, response),))


def said(text: str) -> bytes:
    """In one event, and over events of one character each."""
    pieces = [text, "\n\n", *text]
    chunks = [json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]}) for piece in pieces]
    return "".join(f"data: {chunk}\n\n" for chunk in chunks).encode()


def told(cas: Cassette, text: str) -> str:
    """What became of the text: the same part of the cassette."""
    before, (after,) = cassette(text, RULES[SHOWN[text]]).interactions[0], cas.interactions
    if before.request.uri != "https://api.example.com/v1":
        return after.request.uri
    for which in ("request", "response"):
        headers = getattr(after, which).headers
        if text.partition(": ")[0] in getattr(before, which).headers:
            return "".join(f"{name}: {value}" for name, values in headers.items() for value in values)
    if before.request.body != b"{}":
        return (after.request.body or b"").decode()
    chunks = [json.loads(line[6:]) for line in after.response.body.decode().splitlines() if line]
    texts = [chunk["choices"][0]["delta"]["content"] for chunk in chunks]
    assert "".join(texts[2:]) == texts[0]  # put together it is what the single event says
    return str(texts[0])


SHOWN = {example.before: name for name, example in EXAMPLES}


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(EXAMPLES)])
def test_an_example_is_what_it_says(name: str, example: Example) -> None:
    """The scan refuses the text and names the rule; sanitized it is as shown, and the scan is content."""
    sanitizer = Sanitizer.default(SECRETS)
    dirty = cassette(example.before, RULES[name])
    assert name in {residue.rule for residue in sanitizer.scan(dirty)} | known_as(name)
    clean = sanitizer.apply(dirty)
    assert told(clean, example.before) == example.after
    assert sanitizer.scan(clean) == ()
    assert sanitizer.apply(clean) == clean


def known_as(name: str) -> set[str]:
    """Credentials in a URI's user part are known values by another rule's name too."""
    return {name} if name == "known-secret" else set()


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{n}" for n, (name, _) in enumerate(EXAMPLES)])
def test_without_the_rule_the_scan_refuses(name: str, example: Example) -> None:
    """Unless another rule covers it: what the scan passes is what all rules leave as it is."""
    full = Sanitizer.default(SECRETS)
    crippled = full.without(name) if name != "known-secret" else Sanitizer.default()
    stored = crippled.apply(cassette(example.before, RULES[name]))
    cleaned = full.apply(stored)
    assert bool(full.scan(stored)) == (
        cleaned.interactions[0].request != stored.interactions[0].request
        or cleaned.interactions[0].response != stored.interactions[0].response
    )


@pytest.mark.parametrize(("name", "miss"), MISSES)
def test_a_miss_is_left_alone(name: str, miss: str) -> None:
    """By this rule: neither replaced nor refused."""
    rule = RULES[name]
    alone = Sanitizer(rules=(rule,))
    clean = cassette(miss, rule)
    assert alone.apply(clean) == clean
    assert alone.scan(clean) == ()


ORDINARY = [
    "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz123",
    "msg_01AbCdEfGhIjKlMnOpQrStUv",
    "resp_68af9c2e4b5081a2b3c4d5e6f7a8b9c0",
    "call_EoxOePr7UBEfx1RG7X2Ok8mG",
    "toolu_01A09q90qw90lq917835lq9",
    "fp_4691090a87",
    "fc_68af9c2e4b5081a2b3c4d5e6",
    "rs_68af9c2e4b5081a2b3c4d5e6f7a8b9c0",
    "c9216b71-fc8a-4107-be45-168630df7a3f",
    "gen-1736921538-AbCdEfGhIjKl",
    "d41d8cd98f00b204e9800998ecf8427e",
    "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "sha256:e3b0c44298fc1c149afbf4c8996fb924",
    "**REDACTED**",
    "[REDACTED]",
    "<filtered>",
    "Sanitized",
    "<OPENAI_API_KEY>",
    "X-API-KEY-X",
    "REDACTED_1",
    "test_openai_api_key",
    "DUMMY",
    "ACCESS_TOKEN",
    "api_key=<OPENAI_API_KEY>",
    "Authorization: Bearer **REDACTED**",
    "gpt-4o-2024-08-06",
    "claude-3-5-sonnet-20241022",
    "text/event-stream; charset=utf-8",
    "2026-11-30T12:00:00Z",
    "Wed, 15 Jan 2025 06:12:19 GMT",
    "The price is $1,234.56 for 10-20 items.",
    "1.5e-10",
    "v1.2.3",
    "10.5 km",
    "a@b",
    "const x = items.map(i => i.id); // 0x1f",
    "for i in range(10): print(i)",
    "C:\\Windows\\System32",
    "/usr/local/bin",
    "https://example.com/path?page=2&sort=asc#top",
    "localhost:8080",
    "http://127.0.0.1:8000/v1",
    "50% of 100%",
    "token by token",
    "secret sauce",
    "the password is hidden",
    "Basic authentication and bearer tokens",
    "org chart",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_no_hit(text: str) -> None:
    """Ids of messages, hashes, placeholders, versions, dates, code: no rule wants them."""
    clean = Cassette(
        (Interaction(Request("POST", "https://api.example.com/v1"), Response(200, Headers(), said(text))),)
    )
    sanitizer = Sanitizer.default()
    assert sanitizer.apply(clean) == clean
    assert sanitizer.scan(clean) == ()


PAYLOAD = (
    "EqQBCgIYAhIkNzY5YWNkZjUtOTk3OS00ZGE0LWE2YjUtYzVhOWQ3YTZiYjVhGgwXvNsk8sk+AIzaSy0123456789abcdefghijklmnopqrstuvw"
    "eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIxMjM0NTY3ODkwIn0ghp0123456789abcdefghijklmnopqrstuvwxyzAKIA/UklGRiQAAABXQVZFZm10IBA"
)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": PAYLOAD + "=="}},
        {"choices": [{"index": 0, "delta": {"audio": {"id": "audio_1", "data": PAYLOAD}}}]},
        {"type": "response.output_item.done", "item": {"type": "reasoning", "encrypted_content": "gAAAAA" + PAYLOAD}},
        {"candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": PAYLOAD}]}}]},
        {
            "bytes": "eyJ0eXBlIjoiY29udGVudF9ibG9ja19kZWx0YSIsImluZGV4IjowLCJkZWx0YSI6eyJ0ZXh0IjoiSGVsbG8ifX0=",
            "p": "abcdef",
        },
        {"type": "response.output_text.delta", "delta": "a", "obfuscation": "xK9mQ2vB7nL4"},
    ],
    ids=["signature", "audio", "encrypted_content", "thoughtSignature", "bytes", "obfuscation"],
)
def test_payloads_are_left_alone(event: object) -> None:
    """Base64 that belongs to the answer, whole and over several events."""
    body = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for _ in range(3))
    clean = Cassette((Interaction(Request("POST", "https://api.example.com/v1"), Response(200, Headers(), body)),))
    sanitizer = Sanitizer.default(SECRETS)
    assert sanitizer.apply(clean) == clean
    assert sanitizer.scan(clean) == ()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "No Spaces", "pattern": "x"}, "use lower case words with hyphens"),
        ({"name": "x"}, "finds nothing: give it a pattern, members or headers"),
        ({"name": "x", "pattern": "("}, "its pattern is not a regular expression"),
        ({"name": "x", "pattern": "a*"}, "its pattern matches the empty text"),
        ({"name": "x", "members": ("$.a[",)}, "is not a JSON path from character 4 on"),
        ({"name": "x", "pattern": "x", "kind": "No"}, "use lower case letters and digits"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(fields: dict[str, object], said: str) -> None:
    """With what would be right."""
    with pytest.raises(ValueError, match=r"rule|JSON path") as caught:
        Rule(**fields)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_an_allowlist_has_one_of_three_names() -> None:
    """Another one would do nothing."""
    with pytest.raises(ValueError, match="one of request-headers, response-headers, query"):
        Allow(name="cookies", names=("a",))


def test_rules_are_added_replaced_and_removed_by_name() -> None:
    """Each gives another sanitizer; the first stays what it was."""
    first = Sanitizer.default()
    rule = Rule(name="employee", pattern=r"EMP-\d{6}", members=("$.badge",))
    more = first.with_rules(rule)
    text = Cassette(
        (
            Interaction(
                Request("POST", "https://a.example/", Headers(), b'{"badge":"b7"}'),
                Response(200, Headers(), b"data: EMP-314159\n\n"),
            ),
        )
    )
    cleaned = more.clean(text)
    assert cleaned.cassette.interactions[0].response.body == b"data: employee-REDACTED-0002\n\n"
    assert cleaned.cassette.interactions[0].request.body == b'{"badge":"employee-REDACTED-0001"}'
    assert cleaned.counts == {"employee": 2}
    assert more.scan(text)
    assert more.without("employee") == first
    assert more.with_rules(rule) == more
    assert first.apply(text) == text
    with pytest.raises(ValueError, match="no rule is called cookies: one of known-secret, "):
        first.without("cookies")


def test_the_fingerprint_tells_rules_apart() -> None:
    """Not the secrets, which it must not depend on."""
    first = Sanitizer.default()
    assert first.fingerprint == Sanitizer.default(["another-secret"]).fingerprint
    others = [first.without("cookie"), first.with_rules(Rule(name="a", pattern="b")), Sanitizer.default(text="shape")]
    assert len({each.fingerprint for each in [first, *others]}) == 4


def test_without_cookie_cookies_stay() -> None:
    """A header that a removed rule was for is not dropped by the allowlist; other headers still are."""
    headers = Headers({"cookie": "a=1", "x-trace": "b"})
    dirty = Cassette((Interaction(Request("GET", "https://a.example/", headers), Response(200)),))
    request = Sanitizer.default().without("cookie").apply(dirty).interactions[0].request
    assert dict(request.headers) == {"cookie": ("a=1",)}


def test_headers_and_parameters_can_be_allowed() -> None:
    """In addition to those on the lists."""
    headers = Headers({"user-agent": "me/1", "x-trace": "b"})
    dirty = Cassette((Interaction(Request("GET", "https://a.example/?page=2&key=1", headers), Response(200, headers)),))
    sanitizer = Sanitizer.default().allowing(
        request_headers=["User-Agent"], response_headers=["x-trace"], query=["page"]
    )
    (clean,) = sanitizer.apply(dirty).interactions
    assert clean.request.uri == "https://a.example/?page=2"
    assert (list(clean.request.headers), list(clean.response.headers)) == (["user-agent"], ["x-trace"])
    assert sanitizer.scan(Cassette((clean,))) == ()


def test_a_user_rule_may_run_over_the_end_of_a_text() -> None:
    """Each text is searched for itself then."""
    greedy = Rule(name="greedy", pattern=r"ID:[^;]+", kind="id")
    body = b'data: {"a":"ID:one","b":"two ID:three"}\n\n'
    dirty = Cassette((Interaction(Request("GET", "https://a.example/"), Response(200, Headers(), body)),))
    sanitizer = Sanitizer.default().with_rules(greedy)
    clean = sanitizer.apply(dirty)
    assert clean.interactions[0].response.body == b'data: {"a":"id-REDACTED-0001","b":"two id-REDACTED-0002"}\n\n'
    assert sanitizer.scan(clean) == ()


def test_a_header_rule_may_drop_redact_or_replace() -> None:
    """As it says."""
    rules = [Rule(name=f"x-{action}", headers=(f"x-{action}",), header_action=action) for action in HeaderAction]
    headers = Headers({f"x-{action}": "value-1" for action in HeaderAction})
    dirty = Cassette((Interaction(Request("GET", "https://a.example/", headers), Response(200)),))
    request = Sanitizer.default().with_rules(*rules).apply(dirty).interactions[0].request
    assert dict(request.headers) == {"x-redact": ("REDACTED",), "x-stand-in": ("xstandin-REDACTED-0001",)}
