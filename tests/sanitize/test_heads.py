"""URIs and headers: what stays, what goes, and that nothing is too strange to be cleaned."""

from __future__ import annotations

import gzip

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import Sanitizer, fits, is_stand_in
from recorder.sanitize._stand_ins import StandIns
from recorder.sanitize._uri import Uri

SANITIZER = Sanitizer.default(["planted-secret-1"])


def asked(uri: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> Request:
    """The clean request; the scan is content with it."""
    dirty = Cassette((Interaction(Request("POST", uri, Headers(headers or {}), body), Response(200)),))
    clean = SANITIZER.apply(dirty)
    assert SANITIZER.scan(clean) == ()
    assert SANITIZER.apply(clean) == clean
    return clean.interactions[0].request


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("https://api.example.com/v1/chat?alt=sse&api-version=2", "https://api.example.com/v1/chat?alt=sse&api-version=2"),
        ("https://me@api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("https://api.example.com/v1?key=a&alt=s%2Fe&key=b#x", "https://api.example.com/v1?alt=s%2Fe"),
        ("https://api.example.com/v1?key=a", "https://api.example.com/v1"),
        ("https://api.example.com/v1?", "https://api.example.com/v1?"),
        ("https://planted-secret-1.example.com/a", "https://secret-REDACTED-0001.example.com/a"),
        ("https://a.example/%70lanted-secret-1/x", "https://a.example/secret-REDACTED-0001/x"),
        ("https://a.example/users/jane/files", "https://a.example/users/id-REDACTED-0001/files"),
        ("https://a.example/mail/jane.doe@example.com", "https://a.example/mail/email-REDACTED-0001"),
        ("http://10.1.2.3:8000/v1/chat", "http://10.1.2.3:8000/v1/chat"),  # the host stays, or nothing would match
        ("http://[::1/v1?key=abc", "http://[::1/v1"),
        ("no uri at all", "no uri at all"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_uri_keeps_what_may_be_stored(uri: str, expected: str) -> None:
    """Scheme, host, path and allowed parameters, in their spelling."""
    assert asked(uri).uri == expected


def test_a_uri_in_parts_is_the_uri() -> None:
    """Whatever it is."""
    for uri in ("https://u:p@h:1/p/q?a=1&b#f", "//h/p", "mailto:a@b", "?q", "#f", "a b\nc", "https://h"):
        assert str(Uri.parse(uri)) == uri


@pytest.mark.parametrize(
    ("header", "echoed"),
    [
        ("Bearer a-credential-1", "a-credential-1"),
        ("api_key mob-3141592653", "mob-3141592653"),
        ("Basic amFuZTpwYTU1d29yZC0x", "pa55word-1"),  # jane:pa55word-1
        ("AWS4-HMAC-SHA256 Credential=AKIDPLANTED12345/20260101/eu/s3, SignedHeaders=host, Signature=0123456789abcdef",
         "AKIDPLANTED12345"),
        ('Digest username="jane-doe-1", response="6629fae49393a053"', "6629fae49393a053"),
        ("a-credential-without-a-scheme", "a-credential-without-a-scheme"),
    ],
)  # fmt: skip
def test_a_credential_is_known_in_all_its_parts(header: str, echoed: str) -> None:
    """RFC 9110 section 11.4: with and without its scheme, and the values of its parameters."""
    request = asked("https://a.example/", {"Authorization": header}, f"I sent {echoed} to you".encode())
    assert dict(request.headers) == {"authorization": ("REDACTED",)}
    assert request.body == b"I sent secret-REDACTED-0001 to you"


@pytest.mark.parametrize(
    "value", ["**REDACTED**", "<filtered>", "DUMMY", "Bearer ollama", "Bearer lm-studio", "Bearer x"]
)
def test_a_placeholder_is_no_secret(value: str) -> None:
    """Its words stay where they are."""
    word = value.rpartition(" ")[2]
    request = asked("https://a.example/", {"authorization": value}, f"say {word} and lm-studio".encode())
    assert request.body == f"say {word} and lm-studio".encode()


def test_values_of_headers_that_stay_are_cleaned() -> None:
    """Each value by itself."""
    request = asked("https://a.example/", {"Accept-Language": "de planted-secret-1", "Mcp-Session-Id": "s-1"})
    assert dict(request.headers) == {
        "accept-language": ("de secret-REDACTED-0001",),
        "mcp-session-id": ("session-REDACTED-0001",),
    }


@pytest.mark.parametrize("value", ["dummy", "session-REDACTED-0007"])
def test_what_is_no_identifier_any_more_stays(value: str) -> None:
    """A placeholder, and the stand-in of an earlier time."""
    assert dict(asked("https://a.example/", {"Mcp-Session-Id": value}).headers) == {"mcp-session-id": (value,)}


PLAIN, CODED = b"data: 1\n\n", gzip.compress(b"data: 1\n\n", mtime=0)
ABOUT_THE_BODY = (("Vary", "a"), ("Content-Length", "9"), ("Content-Encoding", "gzip"), ("X-Mine", "b"))


@pytest.mark.parametrize(
    ("without", "body", "kept", "counts"),
    [
        ((), CODED, (("vary", "a"),), {"response-headers": 3}),
        ((), PLAIN, (("vary", "a"),), {"response-headers": 3}),
        ((), b"\xff\xfe", (("content-encoding", "gzip"), ("vary", "a")), {"response-headers": 2}),
        (("response-headers",), CODED, (("vary", "a"), ("x-mine", "b")), {"response-headers": 2}),
        (
            ("response-headers",),
            b"\xff\xfe",
            (("vary", "a"), ("content-length", "9"), ("content-encoding", "gzip"), ("x-mine", "b")),
            {},
        ),
    ],
    ids=["undone", "not there", "not to be undone", "no allowlist", "no allowlist, not to be undone"],
)
def test_headers_about_a_coding(
    without: tuple[str, ...], body: bytes, kept: tuple[tuple[str, str], ...], counts: dict[str, int]
) -> None:
    """They go where it was undone, and its name stays where it could not be; an allowlist puts headers in order."""
    response = Response(200, Headers(ABOUT_THE_BODY), body)
    dirty = Cassette((Interaction(Request("GET", "https://a.example/"), response),))
    done = SANITIZER.without(*without).clean(dirty)
    assert tuple(done.cassette.interactions[0].response.headers.items()) == tuple(
        [(name, (value,)) for name, value in kept]
    )
    assert done.counts == counts


def test_a_body_in_no_coding_keeps_its_length() -> None:
    """Where no allowlist drops it."""
    response = Response(200, Headers({"content-length": "9", "transfer-encoding": "chunked"}), PLAIN)
    dirty = Cassette((Interaction(Request("GET", "https://a.example/"), response),))
    clean = SANITIZER.without("response-headers").apply(dirty).interactions[0].response
    assert dict(clean.headers) == {"content-length": ("9",), "transfer-encoding": ("chunked",)}


@pytest.mark.parametrize(
    ("uri", "headers", "counts"),
    [
        ("https://a.example/", {"x-a": "1", "x-b": "2", "accept": "c"}, {"request-headers": 2}),
        ("https://a.example/", {"cookie": "theme=dark"}, {"cookie": 1}),
        ("https://a.example/", {"authorization": "REDACTED"}, {}),
        ("https://a.example/?alt=1&b=2&c=3", {}, {"query": 2}),
        ("https://me@a.example/", {}, {"uri-parts": 1}),
        ("https://me@a.example/#x", {}, {"uri-parts": 2}),
    ],
)
def test_what_is_counted(uri: str, headers: dict[str, str], counts: dict[str, int]) -> None:
    """Each header, parameter and part that goes, under the rule that decides."""
    dirty = Cassette((Interaction(Request("GET", uri, Headers(headers)), Response(200)),))
    assert SANITIZER.clean(dirty).counts == counts


def test_a_rule_that_is_removed_leaves_its_headers() -> None:
    """Who removes it wants them stored, so the allowlist does not drop them; and no part of a URI goes."""
    request = Request("GET", "https://me@a.example/#x", Headers({"Cookie": "theme=dark", "x-a": "1"}))
    dirty = Cassette((Interaction(request, Response(200)),))
    clean = SANITIZER.without("cookie", "uri-parts").apply(dirty).interactions[0].request
    assert (clean.uri, dict(clean.headers)) == ("https://me@a.example/#x", {"cookie": ("theme=dark",)})


def test_a_secret_with_blanks_is_found_in_a_form() -> None:
    """Where a plus sign stands for each of them, or three characters do."""
    sanitizer = Sanitizer.default(["correct horse battery"])
    body = b"a=correct+horse+battery&b=correct%20horse%20battery&c=correct+horse%20battery"
    dirty = Cassette((Interaction(Request("POST", "https://a.example/", Headers(), body), Response(200)),))
    clean = sanitizer.apply(dirty)
    assert clean.interactions[0].request.body is not None
    assert clean.interactions[0].request.body.startswith(b"a=secret-REDACTED-0001&b=secret-REDACTED-0001&c=")


def test_stand_ins_are_known_as_such() -> None:
    """By the matching of requests, where they equal any value."""
    assert is_stand_in("org-REDACTED-0001")
    assert is_stand_in("REDACTED")
    assert not any(
        map(is_stand_in, ("org-REDACTED-1", "Org-REDACTED-0001", "x org-REDACTED-0001", "org-REDACTED-00012", ""))
    )


@pytest.mark.parametrize(
    ("stored", "live", "fit"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("REDACTED", "Bearer x", True),
        ("REDACTED", "", False),
        ("org-REDACTED-0001", "acme", True),
        ("org-REDACTED-0001", "", False),
        ("/accounts/id-REDACTED-0001/ai/id-REDACTED-0002", "/accounts/38bc/ai/x", True),
        ("/accounts/id-REDACTED-0001/ai/id-REDACTED-0002", "/accounts/id-REDACTED-0009/ai/id-REDACTED-0001", True),
        ("/accounts/id-REDACTED-0001/ai", "/accounts//ai", False),
        ("/accounts/id-REDACTED-0001/ai", "/accounts/38bc/run", False),
        ("/accounts/id-REDACTED-0001/ai", "/projects/38bc/ai", False),
        ("I am email-REDACTED-0001.", "I am jane@example.com.", True),
        ("I am email-REDACTED-0001.", "I am .", False),
        ("email-REDACTED-0001email-REDACTED-0001", "ab", True),
        ("I am email-REDACTED-0001", "I am jane@example.com, who are you?", False),  # another question
        ("email-REDACTED-0001 wrote", "jane@example.com and joe@example.com wrote", False),
        ("path-REDACTED-0001 or email-REDACTED-0001", "/home/jane or jane@example.com", True),
        ("path-REDACTED-0001 or email-REDACTED-0001", "/home/jane doe or jane@example.com", False),
        ("id-REDACTED-0001/ai/id-REDACTED-0002", "38bc", False),
        ("id-REDACTED-0001/ai/id-REDACTED-0002", "3/ai/", False),
        ("name-REDACTED-0001", "Jane Doe", True),
        ("say secret-REDACTED-0001 now", "say open sesame now", True),  # named by the user, so of any form
    ],
)
def test_a_stand_in_fits_any_value(stored: str, live: str, fit: bool) -> None:
    """In a header, a path or a text; what is around it must be the same."""
    assert fits(stored, live) is fit


def test_numbers_go_on_behind_the_highest() -> None:
    """For each kind, also where one is glued to other text, and beyond four digits."""
    names = StandIns(["a org-REDACTED-0007 b org-REDACTED-0003", "Zm9vkey-REDACTED-0002", "x-REDACTED-9999"])
    assert [names.of("org", "a"), names.of("org", "b"), names.of("org", "a")] == [
        "org-REDACTED-0008", "org-REDACTED-0009", "org-REDACTED-0008",
    ]  # fmt: skip
    assert (names.of("key", "c"), names.of("x", "d"), names.of("new", "e")) == (
        "key-REDACTED-0003", "x-REDACTED-10000", "new-REDACTED-0001",
    )  # fmt: skip
