"""HTTP/1.x heads and framings out of bytes, each case worked out by hand from RFC 9112."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from recorder.cassette import Headers
from recorder.cassette.importers._http import Framing, framing, head_at, response_head

CHUNKED = (("transfer-encoding", "chunked"),)


@dataclass(frozen=True)
class Case:
    """A body, and where its content stands."""

    id: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    framing: Framing
    dots: bool = False


FRAMINGS = [
    Case("no framing", (), b"abc", Framing([(0, 3)], None)),
    Case("no body", (), b"", Framing([], None)),
    Case("its length", (("content-length", "3"),), b"abc", Framing([(0, 3)], True)),
    Case("shorter than its length", (("content-length", "4"),), b"abc", Framing([(0, 3)], False)),
    Case("longer than its length", (("content-length", "2"),), b"abc", Framing([(0, 3)], True)),
    Case("a length of 19 digits", (("content-length", "0000000000000000003"),), b"abc", Framing([(0, 3)], True)),
    Case("a length of 20 digits", (("content-length", "00000000000000000003"),), b"abc", Framing([(0, 3)], None)),
    Case("a length that is negative", (("content-length", "-3"),), b"abc", Framing([(0, 3)], None)),
    Case("a length in other digits", (("content-length", "\u0663"),), b"abc", Framing([(0, 3)], None)),
    Case("one chunk", CHUNKED, b"3\r\nabc\r\n0\r\n\r\n", Framing([(3, 6)], True)),
    Case("two chunks", CHUNKED, b"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", Framing([(3, 4), (9, 11)], True)),
    Case("no chunk", CHUNKED, b"0\r\n\r\n", Framing([], True)),
    Case("in capitals", (("Transfer-Encoding", "Chunked"),), b"3\r\nabc\r\n0\r\n\r\n", Framing([(3, 6)], True)),
    Case("after a coding", (("transfer-encoding", "gzip, chunked"),), b"1\r\na\r\n0\r\n\r\n", Framing([(3, 4)], True)),
    Case("beside a length", (("content-length", "9"), *CHUNKED), b"1\r\na\r\n0\r\n\r\n", Framing([(3, 4)], True)),
    Case("with an extension", CHUNKED, b"3 ;x=y\r\nabc\r\n0\r\n\r\n", Framing([(8, 11)], True)),
    Case("a size in hexadecimal", CHUNKED, b"0A\r\n0123456789\r\n0\r\n\r\n", Framing([(4, 14)], True)),
    Case("cut off in a chunk", CHUNKED, b"5\r\nabc", Framing([(3, 6)], False)),
    Case("cut off behind a size", CHUNKED, b"5\r\n", Framing([], False)),
    Case("cut off at the end of a chunk", CHUNKED, b"3\r\nabc", Framing([(3, 6)], False)),
    Case("cut off in its line end", CHUNKED, b"3\r\nabc\r", Framing([(3, 6)], False)),
    Case("cut off behind a chunk", CHUNKED, b"3\r\nabc\r\n", Framing([(3, 6)], False)),
    Case("cut off in a size", CHUNKED, b"3\r\nabc\r\n5", Framing([(3, 6)], False)),
    Case("cut off in the line end of a size", CHUNKED, b"3\r\nabc\r\n5\r", Framing([(3, 6)], False)),
    Case("a size that is none", CHUNKED, b"3\r\nabc\r\nxyz", Framing([(3, 6)], False, 8)),
    Case("a chunk that is longer, by two", CHUNKED, b"3\r\nabcde", Framing([(3, 6)], False, 6)),
    Case("a chunk that is longer, by three", CHUNKED, b"3\r\nabcdef", Framing([(3, 6)], False, 6)),
    Case("undone by the tool", CHUNKED, b"data: 1\n\n", Framing([(0, 9)], None)),
    Case("with dots for line ends", CHUNKED, b"3..abc..0....", Framing([(3, 6)], True), dots=True),
    Case("with dots in a broken place", CHUNKED, b"3..abc.x0....", Framing([(3, 6)], False, 6), dots=True),
    Case("dots are no line ends", CHUNKED, b"3..abc..0....", Framing([(0, 13)], None)),
    Case("nor between chunks", CHUNKED, b"3\r\nabc..0\r\n\r\n", Framing([(3, 6)], False, 6)),
]


@pytest.mark.parametrize("case", FRAMINGS, ids=lambda case: case.id)
def test_where_the_content_stands(case: Case) -> None:
    """Whole, cut off at every kind of place, and broken."""
    assert framing(Headers(case.headers), case.body, dots=case.dots) == case.framing


@pytest.mark.parametrize(
    ("data", "end", "status"),
    [
        (b"HTTP/1.1 200 OK\r\na: 1\r\n\r\nbody", 25, (200, "OK", "1.1")),
        (b"HTTP/1.0 404 Not Found\n\n", 24, (404, "Not Found", "1")),
        (b"HTTP/2 204\n\n", 12, (204, "", "2")),
        (b"HTTP/2.0 200 \r\n\r\n", 17, (200, "", "2")),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 44, (200, "OK", "1.1")),
        (b"HTTP/1.1 200 OK\n\nHTTP/1.1 200 OK\n", 17, (200, "OK", "1.1")),
        (b"HTTP/1.1 200 OK\n\nHTTP/1.1 is a protocol\n\n", 17, (200, "OK", "1.1")),
    ],
)
def test_the_head_of_a_response(data: bytes, end: int, status: tuple[int, str, str]) -> None:
    """The final one; a body that begins as a head is none."""
    head = response_head(data)
    assert head is not None
    assert (head.end, head.status()) == (end, status)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        b"HTTP/1.1 2000\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_no_head_of_a_response(data: bytes) -> None:
    """It does not end, or has no status line."""
    assert response_head(data) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"POST /v1/chat?a=b HTTP/1.1", ("POST", "/v1/chat?a=b", "1.1")),
        (b"get https://a.example/ HTTP/2.0", ("GET", "https://a.example/", "2")),
        (b"GET /", ("GET", "/", "")),
        (b" GET / ", ("GET", "/", "")),
        (b"GET", None),
        (b"GET / HTTP/1.1 x", None),
        (b"G/T / HTTP/1.1", None),
    ],
)
def test_the_first_line_of_a_request(line: bytes, said: tuple[str, str, str] | None) -> None:
    """Method, target, version; or it is none."""
    head = head_at(line + b"\r\n\r\n")
    assert head is not None
    assert head.request() == said


def test_the_headers_of_a_head() -> None:
    """Blanks around them go, what is no header is passed over, and what is not UTF-8 is Latin-1."""
    data = b"GET / HTTP/1.1\r\n folded\r\nA :  1 \r\nnone\r\n: empty\r\nb:\xe9:2\r\na : 3\r\n\r\n"
    head = head_at(data)
    assert head is not None
    assert head.headers == Headers([("A", "1"), ("b", "\u00e9:2"), ("a", "3")])


def test_a_head_has_a_limit() -> None:
    """A mebibyte, the empty line included; a head that begins elsewhere has its own."""
    longest = b"HTTP/1.1 200 OK\r\na: " + b"x" * (1024 * 1024 - 24) + b"\r\n\r\n"
    assert len(longest) == 1024 * 1024
    assert head_at(longest) is not None
    assert head_at(b"0123" + longest, 4) is not None
    assert head_at(longest.replace(b"a: x", b"a: xx")) is None
