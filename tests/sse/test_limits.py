"""Every limit at its last amount that passes and one more, in every unit; code and place are worked out by hand.

Each stream runs whole, byte by byte, in pairs and in two parts at every place, with the shortcuts and without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder.sse import EventStreamParser, Limit


@dataclass(frozen=True, slots=True)
class Case:
    """A stream under limits; the fault is (code, offset), `data` what was dispatched before it."""

    id: str
    stream: bytes
    options: dict[str, Any] = field(default_factory=dict)
    fault: tuple[str, int] | None = None
    data: tuple[str, ...] = ()


def line(n: int, unit: Any = "bytes", counts: Any = "lines") -> dict[str, Any]:
    return {"max_line": Limit(n, unit, counts=counts)}


def event(n: int, unit: Any = "bytes", per_line: int = 0) -> dict[str, Any]:
    return {"max_event": Limit(n, unit, per_line)}


def name(n: int, unit: Any = "bytes") -> dict[str, Any]:
    return {"max_event_name": Limit(n, unit)}


STRICT = {"utf8": "strict"}
BOM = b"\xef\xbb\xbf"
# One character of each size in bytes: 1 + 2 + 3 + 4 bytes, 4 code points, 5 UTF-16 units.
SIZES = "aé中😀".encode()
DATA_SIZES = b"data: " + SIZES + b"\n\n"  # a at 6, é at 7, 中 at 9, 😀 at 12; the line is 16 bytes long

LINES = [
    Case("line-int-means-bytes", b"data: abc\n\n", {"max_line": 9}, None, ("abc",)),
    Case("line-int-over", b"data: abc\n\n", {"max_line": 8}, ("line_limit", 8)),
    Case("line-bytes", DATA_SIZES, line(16), None, ("aé中😀",)),
    Case("line-bytes-over-in-four", DATA_SIZES, line(15), ("line_limit", 15)),
    Case("line-bytes-over-at-start-of-four", DATA_SIZES, line(12), ("line_limit", 12)),
    Case("line-bytes-over-in-three", DATA_SIZES, line(10), ("line_limit", 10)),
    Case("line-bytes-over-in-two", DATA_SIZES, line(8), ("line_limit", 8)),
    Case("line-code-points", DATA_SIZES, line(10, "code_points"), None, ("aé中😀",)),
    Case("line-code-points-over-four", DATA_SIZES, line(9, "code_points"), ("line_limit", 12)),
    Case("line-code-points-over-three", DATA_SIZES, line(8, "code_points"), ("line_limit", 9)),
    Case("line-code-points-over-two", DATA_SIZES, line(7, "code_points"), ("line_limit", 7)),
    Case("line-code-points-over-one", DATA_SIZES, line(6, "code_points"), ("line_limit", 6)),
    Case("line-utf16", DATA_SIZES, line(11, "utf16"), None, ("aé中😀",)),
    Case("line-utf16-over-by-half-a-pair", DATA_SIZES, line(10, "utf16"), ("line_limit", 12)),
    Case("line-utf16-over-by-a-pair", DATA_SIZES, line(9, "utf16"), ("line_limit", 12)),
    Case("line-utf16-over-three", DATA_SIZES, line(8, "utf16"), ("line_limit", 9)),
    Case("line-zero", b"\n\r\r\n\n", line(0)),
    Case("line-zero-over", b"\n\nd", line(0), ("line_limit", 2)),
    Case("line-zero-mark-alone", BOM + b"\n\r\n", line(0)),
    Case("line-terminators-not-counted", b"data: abc\r\n\r\ndata: abc\r\r", line(9), None, ("abc", "abc")),
    Case("line-second-line", b"data: abc\ndata: abcd\n\n", line(9), ("line_limit", 19)),
    Case("line-comment", b":234567\ndata: abc\n\n", line(9), None, ("abc",)),
    Case("line-comment-over", b"data: abc\n\n:123456789\n", line(9), ("line_limit", 20), ("abc",)),
    Case("line-unknown-over", b"foo: abcde\n", line(9), ("line_limit", 9)),
    Case("line-id-over", b"id: abcdef\n", line(9), ("line_limit", 9)),
    Case("line-retry-over", b"retry: 555\n", line(9), ("line_limit", 9)),
    Case("line-unfinished", b"data: abc\n\ndata: abcd", line(9), ("line_limit", 20), ("abc",)),
    Case("line-unfinished-passes", b"data: abc", line(9)),
    Case("line-after-cr", b"data: abc\rdata: abcd\r\r", line(9), ("line_limit", 19)),
    Case("line-after-crlf", b"data: abc\r\ndata: abcd\r\n", line(9), ("line_limit", 20)),
    Case("line-mark-not-counted", BOM + b"data: abc\n\n", line(9), None, ("abc",)),
    Case("line-mark-not-counted-over", BOM + b"data: abcd\n\n", line(9), ("line_limit", 12)),
    Case("line-mark-not-counted-code-points", BOM + b"data: abcd\n\n", line(9, "code_points"), ("line_limit", 12)),
    Case("line-second-mark-counted", BOM + BOM + b"x\n", line(3), ("line_limit", 6)),
    Case("line-later-mark-counted", b"\n" + BOM + b"x\n", line(2), ("line_limit", 3)),
    Case("line-no-mark-after-all", b"\xef\xbb\x80\n", line(1), ("line_limit", 1)),
    Case("line-no-mark-after-all-zero", b"\xefa\n", line(0), ("line_limit", 0)),
    Case("line-no-mark-before-the-end", b"\xef\xbb", line(1), ("line_limit", 1)),
    Case("line-no-mark-before-the-end-passes", b"\xef\xbb", line(2)),
    Case("line-replaced-bytes", b"data: \xf0\x9f\x98x\n\n", line(10), None, ("\ufffdx",)),
    Case("line-replaced-bytes-over", b"data: \xf0\x9f\x98x\n\n", line(9), ("line_limit", 9)),
    Case("line-replaced-code-points", b"data: \xf0\x9f\x98x\n\n", line(8, "code_points"), None, ("\ufffdx",)),
    Case("line-replaced-code-points-over", b"data: \xf0\x9f\x98x\n\n", line(7, "code_points"), ("line_limit", 9)),
    Case("line-replaced-over-itself", b"data: \xf0\x9f\x98x\n\n", line(6, "utf16"), ("line_limit", 6)),
    Case("line-replaced-by-the-end", b"data: \xf0\x9f\x98", line(6, "utf16"), ("line_limit", 6)),
    Case("line-replaced-by-the-end-passes", b"data: \xf0\x9f\x98", line(7, "utf16")),
    Case("line-replaced-by-the-line-end", b"data: \xe4\xb8\n\n", line(6, "code_points"), ("line_limit", 6)),
    Case("line-replaced-one-for-each", b"data: \xc0\xaf\n\n", line(7, "code_points"), ("line_limit", 7)),
    Case("line-incomplete-counts-bytes", b"data: \xf0\x9f", line(7), ("line_limit", 7)),
    Case("line-incomplete-waits-as-code-point", b"data: \xf0\x9f\x98\x80", line(6, "code_points"), ("line_limit", 6)),
]

COUNTED_FIELDS = [
    Case("fields-comment-free", b":123456789\ndata: abc\n\n", line(9, counts="fields"), None, ("abc",)),
    Case("fields-unknown-free", b"foo: 123456\nfoobarbazqux\ndata: abc\n\n", line(9, counts="fields"), None, ("abc",)),
    Case("fields-space-led-free", b" data: 1234567\ndata: abc\n\n", line(9, counts="fields"), None, ("abc",)),
    Case("fields-data", b"data: abcd\n\n", line(9, counts="fields"), ("line_limit", 9)),
    Case("fields-event", b"event: abc\n\n", line(9, counts="fields"), ("line_limit", 9)),
    Case("fields-id", b"id: abcdef\n\n", line(9, counts="fields"), ("line_limit", 9)),
    Case("fields-retry", b"retry: abc\n\n", line(9, counts="fields"), ("line_limit", 9)),
    Case("fields-bare", b"data\n\n", line(4, counts="fields"), None, ("",)),
    Case("fields-bare-over", b"data\n\n", line(3, counts="fields"), ("line_limit", 3)),
    Case("fields-prefix-counts", b"dat", line(2, counts="fields"), ("line_limit", 2)),
    Case("fields-prefix-counts-though-it-would-turn", b"datx\n", line(2, counts="fields"), ("line_limit", 2)),
    Case("fields-prefix-clears-in-time", b"datx and so on\n", line(3, counts="fields")),
    Case("fields-longer-name", b"database and so on\n", line(4, counts="fields")),
    Case("fields-longer-name-too-late", b"database and so on\n", line(3, counts="fields"), ("line_limit", 3)),
    Case("fields-colon-is-over", b"data:", line(4, counts="fields"), ("line_limit", 4)),
    Case("fields-prefix-with-colon-is-free", b"dat: 123456789\n", line(3, counts="fields")),
    Case("fields-space-before-colon-is-free", b"data : 1234\n", line(4, counts="fields")),
    Case("fields-prefix-of-event", b"event", line(4, counts="fields"), ("line_limit", 4)),
    Case("fields-prefix-of-retry", b"retr", line(3, counts="fields"), ("line_limit", 3)),
    Case("fields-prefix-of-id", b"i", line(0, counts="fields"), ("line_limit", 0)),
    Case("fields-no-prefix-with-none-left", b"x\n:\n \n", line(0, counts="fields")),
    Case("fields-first-byte-of-a-character-clears", b"data\xc3\xa9 and so on\n", line(4, counts="fields")),
    Case("fields-ill-formed-clears", b"data\xff: 1234\n", line(4, counts="fields")),
    Case("fields-mark-not-counted", BOM + b"data: abc\n\n", line(9, counts="fields"), None, ("abc",)),
    Case("fields-mark-not-counted-over", BOM + b"data: abcd\n\n", line(9, counts="fields"), ("line_limit", 12)),
    Case("fields-second-mark-makes-it-unknown", BOM + BOM + b"data: abcd\n\n", line(9, counts="fields")),
    Case("fields-broken-mark-makes-it-unknown", b"\xef\xbbdata: abcd\n\n", line(0, counts="fields")),
    Case("fields-utf16", DATA_SIZES, line(11, "utf16", "fields"), None, ("aé中😀",)),
    Case("fields-utf16-over", DATA_SIZES, line(10, "utf16", "fields"), ("line_limit", 12)),
    Case("fields-code-points-over", DATA_SIZES, line(9, "code_points", "fields"), ("line_limit", 12)),
    Case("fields-comment-then-over", b":123456789\ndata: abcd\n\n", line(9, counts="fields"), ("line_limit", 20)),
]

COUNTED_RAW = [
    Case("raw-without-mark", b"data: abc\n\n", line(9, counts="raw"), None, ("abc",)),
    Case("raw-with-mark", BOM + b"data: abc\n\n", line(12, counts="raw"), None, ("abc",)),
    Case("raw-with-mark-over", BOM + b"data: abc\n\n", line(11, counts="raw"), ("line_limit", 11)),
    Case("raw-second-line-has-no-mark", BOM + b"data: a\ndata: abcdef\n\n", line(11, counts="raw"), ("line_limit", 22)),
    Case("raw-mark-over-at-once", BOM, line(2, counts="raw"), ("line_limit", 2)),
    Case("raw-incomplete-mark-over", b"\xef", line(0, counts="raw"), ("line_limit", 0)),
    Case("raw-mark-code-point", BOM + b"data: abc\n\n", line(10, "code_points", "raw"), None, ("abc",)),
    Case("raw-mark-code-point-over", BOM + b"data: abc\n\n", line(9, "code_points", "raw"), ("line_limit", 11)),
    Case("raw-mark-utf16-over", BOM + b"data: abc\n\n", line(9, "utf16", "raw"), ("line_limit", 11)),
    Case("raw-mark-is-one-over-zero", BOM, line(0, "utf16", "raw"), ("line_limit", 0)),
    Case("raw-comments-counted", b":12345678\n:123456789\n", line(9, counts="raw"), ("line_limit", 19)),
]

EVENTS = [
    Case("event-int-means-bytes", b"data: abc\n\n", {"max_event": 3}, None, ("abc",)),
    Case("event-int-over", b"data: abc\n\n", {"max_event": 2}, ("event_size_limit", 8)),
    Case("event-bytes", DATA_SIZES, event(10), None, ("aé中😀",)),
    Case("event-bytes-over", DATA_SIZES, event(9), ("event_size_limit", 15)),
    Case("event-bytes-over-three", DATA_SIZES, event(5), ("event_size_limit", 11)),
    Case("event-bytes-incomplete", b"data: \xf0\x9f", event(1), ("event_size_limit", 7)),
    Case("event-code-points", DATA_SIZES, event(4, "code_points"), None, ("aé中😀",)),
    Case("event-code-points-over", DATA_SIZES, event(3, "code_points"), ("event_size_limit", 12)),
    Case("event-code-points-over-three", DATA_SIZES, event(2, "code_points"), ("event_size_limit", 9)),
    Case("event-utf16", DATA_SIZES, event(5, "utf16"), None, ("aé中😀",)),
    Case("event-utf16-over", DATA_SIZES, event(4, "utf16"), ("event_size_limit", 12)),
    Case("event-utf16-over-three", DATA_SIZES, event(2, "utf16"), ("event_size_limit", 9)),
    Case("event-space-free", b"data: abc\ndata:\n\n", event(4), None, ("abc\n",)),
    Case("event-second-space-counts", b"data:  abc\n\n", event(3), ("event_size_limit", 9)),
    Case("event-no-space", b"data:abc\n\n", event(2), ("event_size_limit", 7)),
    Case("event-separator", b"data: a\ndata: b\n\n", event(3), None, ("a\nb",)),
    Case("event-separator-then-value", b"data: a\ndata: b\n\n", event(2), ("event_size_limit", 14)),
    Case("event-separator-over", b"data: a\ndata: b\n\n", event(1), ("event_size_limit", 12)),
    Case("event-separator-of-bare-line", b"data: a\ndata\n\n", event(1), ("event_size_limit", 12)),
    Case("event-separator-of-bare-line-cr", b"data: a\rdata\r\r", event(1), ("event_size_limit", 12)),
    Case("event-separator-of-bare-line-crlf", b"data: a\r\ndata\r\n\r\n", event(1), ("event_size_limit", 13)),
    Case("event-bare-line-unfinished", b"data: a\ndata", event(1)),
    Case("event-bare-line-is-another-field", b"data: a\ndatas: bcd\n\n", event(1), None, ("a",)),
    Case("event-zero", b"data:\n\ndata\n\ndata: \n\n", event(0), None, ("", "", "")),
    Case("event-zero-over", b"data:\n\ndata: a\n\n", event(0), ("event_size_limit", 13), ("",)),
    Case("event-zero-two-empty", b"data:\ndata:\n\n", event(0), ("event_size_limit", 10)),
    Case("event-three-empty", b"data\ndata\ndata\n\n", event(2), None, ("\n\n",)),
    Case("event-three-empty-over", b"data\ndata\ndata\n\n", event(1), ("event_size_limit", 14)),
    Case("event-each-its-own", b"data: abc\n\ndata: def\n\n", event(3), None, ("abc", "def")),
    Case("event-second-over", b"data: abc\n\ndata: defg\n\n", event(3), ("event_size_limit", 20), ("abc",)),
    Case("event-other-fields-free", b"event: abcd\nid: efgh\n:ijkl\nretry: 5555\nfoo: mnop\ndata: abc\n\n",
         event(3), None, ("abc",)),
    Case("event-comment-between", b"data: a\n:long comment\ndata: bc\n\n", event(3), ("event_size_limit", 29)),
    Case("event-unfinished", b"data: abc\n\ndata: defg", event(3), ("event_size_limit", 20), ("abc",)),
    Case("event-unfinished-passes", b"data: abc", event(3)),
    Case("event-mark-in-value-counts", b"data: " + BOM + b"\n\n", event(2), ("event_size_limit", 8)),
    Case("event-replaced-bytes", b"data: \xf0\x9f\x98\n\n", event(3), None, ("\ufffd",)),
    Case("event-replaced-bytes-over", b"data: \xf0\x9f\x98\n\n", event(2), ("event_size_limit", 8)),
    Case("event-replaced-code-points", b"data: \xf0\x9f\x98a\n\n", event(1, "code_points"), ("event_size_limit", 9)),
    Case("event-replaced-over-itself", b"data: \xf0\x9f\x98\n\n", event(0, "code_points"), ("event_size_limit", 6)),
    Case("event-replaced-by-the-end", b"data: \xf0\x9f\x98", event(0, "utf16"), ("event_size_limit", 6)),
    Case("event-lines-of-each-size", "data: é\ndata: 中\ndata: 😀\n\n".encode(), event(11), None, ("é\n中\n😀",)),
    Case("event-lines-of-each-size-over", "data: é\ndata: 中\ndata: 😀\n\n".encode(), event(10),
         ("event_size_limit", 28)),
    Case("event-lines-code-points", "data: é\ndata: 中\ndata: 😀\n\n".encode(), event(5, "code_points"), None,
         ("é\n中\n😀",)),
    Case("event-lines-utf16-over", "data: é\ndata: 中\ndata: 😀\n\n".encode(), event(5, "utf16"),
         ("event_size_limit", 25)),
]  # fmt: skip

PER_LINE = [
    Case("per-line-one", b"data: ab\ndata: cd\n\n", event(6, per_line=1), None, ("ab\ncd",)),
    Case("per-line-one-over", b"data: ab\ndata: cd\n\n", event(5, per_line=1), ("event_size_limit", 16)),
    Case("per-line-first-line-too", b"data: ab\n\n", event(2, per_line=1), ("event_size_limit", 7)),
    Case("per-line-of-colon", b"data: ab\ndata: cd\n\n", event(3, per_line=1), ("event_size_limit", 13)),
    Case("per-line-alone-over", b"data: ab\n\n", event(0, per_line=1), ("event_size_limit", 4)),
    Case("per-line-bare-over", b"data\n\n", event(0, per_line=1), ("event_size_limit", 4)),
    Case("per-line-bare", b"data\n\n", event(1, per_line=1), None, ("",)),
    Case("per-line-seven", b"data: a\ndata\n\n", event(15, per_line=7), None, ("a\n",)),
    Case("per-line-seven-over", b"data: a\ndata\n\n", event(14, per_line=7), ("event_size_limit", 12)),
    Case("per-line-utf16", "data: 😀\ndata: 😀\n\n".encode(), event(6, "utf16", 1), None, ("😀\n😀",)),
    Case("per-line-utf16-over", "data: 😀\ndata: 😀\n\n".encode(), event(5, "utf16", 1), ("event_size_limit", 17)),
    Case("per-line-starts-anew", b"data: a\n\ndata: b\n\n", event(2, per_line=1), None, ("a", "b")),
    Case(
        "per-line-two-lines-of-two-in-five", b"data: ab\ndata: cd\n\n", event(5, per_line=1), ("event_size_limit", 16)
    ),
]

NAME_SIZES = b"event: " + SIZES + b"\ndata: x\n\n"  # a at 7, é at 8, 中 at 10, 😀 at 13

NAMES = [
    Case("name-int-means-bytes", b"event: abc\ndata: x\n\n", {"max_event_name": 3}, None, ("x",)),
    Case("name-int-over", b"event: abc\ndata: x\n\n", {"max_event_name": 2}, ("event_name_limit", 9)),
    Case("name-bytes", NAME_SIZES, name(10), None, ("x",)),
    Case("name-bytes-over", NAME_SIZES, name(9), ("event_name_limit", 16)),
    Case("name-code-points", NAME_SIZES, name(4, "code_points"), None, ("x",)),
    Case("name-code-points-over", NAME_SIZES, name(3, "code_points"), ("event_name_limit", 13)),
    Case("name-utf16", NAME_SIZES, name(5, "utf16"), None, ("x",)),
    Case("name-utf16-over", NAME_SIZES, name(4, "utf16"), ("event_name_limit", 13)),
    Case("name-zero", b"event:\nevent\nevent: \ndata: x\n\n", name(0), None, ("x",)),
    Case("name-zero-over", b"event:a", name(0), ("event_name_limit", 6)),
    Case("name-second-space-counts", b"event:  ab\n", name(2), ("event_name_limit", 9)),
    Case("name-each-its-own", b"event: ab\nevent: cd\ndata: x\n\n", name(2), None, ("x",)),
    Case("name-without-data", b"event: abc\n\n", name(2), ("event_name_limit", 9)),
    Case("name-unfinished", b"data: a\n\nevent: abc", name(2), ("event_name_limit", 18), ("a",)),
    Case("name-in-the-second-block", b"event: ab\ndata: x\n\nevent: abc\ndata: y\n\n", name(2),
         ("event_name_limit", 28), ("x",)),
    Case("name-after-data", b"data: a\nevent: abc\n\n", name(2), ("event_name_limit", 17)),
    Case("name-default-is-free", b"data: a\n\n", name(0), None, ("a",)),
    Case("name-of-other-fields-free", b"id: abc\ndata: abc\nevents: abc\n:event: abc\n\n", name(2), None, ("abc",)),
    Case("name-incomplete", b"event: \xe4\xb8", name(1), ("event_name_limit", 8)),
    Case("name-replaced", b"event: \xe4\xb8\ndata: x\n\n", name(1, "code_points"), None, ("x",)),
    Case("name-replaced-over", b"event: a\xe4\xb8\ndata: x\n\n", name(1, "code_points"), ("event_name_limit", 8)),
    Case("name-replaced-by-the-end", b"event: a\xe4\xb8", name(1, "code_points"), ("event_name_limit", 8)),
]  # fmt: skip

COUNTS = [
    Case("count", b"data: a\n\ndata: b\n\n", {"max_events": 2}, None, ("a", "b")),
    Case("count-over", b"data: a\n\ndata: b\n\ndata: c\n\n", {"max_events": 2}, ("event_count_limit", 26), ("a", "b")),
    Case("count-zero", b":c\n\nid: 1\n\nevent: e\n\nretry: 5\n\n", {"max_events": 0}),
    Case("count-zero-over", b"data\n\n", {"max_events": 0}, ("event_count_limit", 5)),
    Case("count-unfinished-is-none", b"data: a\n\ndata: b\n", {"max_events": 1}, None, ("a",)),
    Case("count-cr", b"data: a\r\rdata: b\r\r", {"max_events": 1}, ("event_count_limit", 17), ("a",)),
    Case("count-crlf", b"data: a\r\n\r\ndata: b\r\n\r\n", {"max_events": 1}, ("event_count_limit", 20), ("a",)),
    Case("count-comments-free", b"data: a\n\n:c\n\n:c\n\nid\n\n", {"max_events": 1}, None, ("a",)),
    Case("count-named", b"event: e\ndata: a\n\nevent: e\ndata: b\n\n", {"max_events": 1},
         ("event_count_limit", 35), ("a",)),
    Case("count-of-a-run", b"data: a\n\n" * 5, {"max_events": 4}, ("event_count_limit", 44), ("a",) * 4),
    Case("count-with-mark", BOM + b"data: a\n\n", {"max_events": 0}, ("event_count_limit", 11)),
]  # fmt: skip

BYTES = [
    Case("bytes", b"data: a\n\n", {"max_bytes": 9}, None, ("a",)),
    Case("bytes-over", b"data: a\n\n:", {"max_bytes": 9}, ("byte_limit", 9), ("a",)),
    Case("bytes-before-dispatch", b"data: a\n\n", {"max_bytes": 8}, ("byte_limit", 8)),
    Case("bytes-second-event", b"data: a\n\ndata: b\n\n", {"max_bytes": 17}, ("byte_limit", 17), ("a",)),
    Case("bytes-lf-of-crlf-counts", b"data: a\r\n\r\n", {"max_bytes": 10}, ("byte_limit", 10), ("a",)),
    Case("bytes-mark-counts", BOM + b"data: a\n\n", {"max_bytes": 11}, ("byte_limit", 11)),
    Case("bytes-zero", b"", {"max_bytes": 0}),
    Case("bytes-zero-over", b"\n", {"max_bytes": 0}, ("byte_limit", 0)),
    Case("bytes-inside-mark", BOM, {"max_bytes": 2}, ("byte_limit", 2)),
    Case("bytes-inside-code-point", "data: 😀\n\n".encode(), {"max_bytes": 8}, ("byte_limit", 8)),
    Case("bytes-comment", b":abc\n", {"max_bytes": 3}, ("byte_limit", 3)),
]

# Two faults in one stream: the one whose byte comes first; at one byte the lower offset; at one offset the order.
CONTESTS = [
    Case("line-before-event", b"data: abcd\n\n", line(8) | event(3), ("line_limit", 8)),
    Case("event-before-line", b"data: abcd\n\n", line(9) | event(2), ("event_size_limit", 8)),
    Case("line-and-event-at-one-byte", b"data: abcd\n\n", line(9) | event(3), ("line_limit", 9)),
    Case("line-and-name-at-one-byte", b"event: abcd\n\n", line(10) | name(3), ("line_limit", 10)),
    Case("name-before-line", b"event: abcd\n\n", line(10) | name(2), ("event_name_limit", 9)),
    Case("line-before-name", b"event: abcd\n\n", line(9) | name(3), ("line_limit", 9)),
    Case("event-before-count", b"data: a\n\ndata: bc\n\n", event(1) | {"max_events": 1},
         ("event_size_limit", 16), ("a",)),
    Case("count-before-event", b"data: a\n\ndata: bc\n\n", event(1) | {"max_events": 0}, ("event_count_limit", 8)),
    Case("bytes-and-line-at-one-byte", b"data: abcd\n\n", line(9) | {"max_bytes": 9}, ("byte_limit", 9)),
    Case("bytes-and-event-at-one-byte", b"data: abcd\n\n", event(3) | {"max_bytes": 9}, ("byte_limit", 9)),
    Case("bytes-and-count-at-one-byte", b"data: a\n\n", {"max_events": 0, "max_bytes": 8}, ("byte_limit", 8)),
    Case("count-before-bytes", b"data: a\n\n:", {"max_events": 0, "max_bytes": 9}, ("event_count_limit", 8)),
    Case("utf8-before-line", b"data: \xffbcd\n\n", STRICT | line(7), ("invalid_utf8", 6)),
    Case("line-before-utf8", b"data: ab\xff\n\n", STRICT | line(7), ("line_limit", 7)),
    Case("utf8-and-line-at-one-byte", b"data: a\xff\n\n", STRICT | line(7), ("invalid_utf8", 7)),
    Case("utf8-and-event-at-one-byte", b"data: a\xff\n\n", STRICT | event(1), ("invalid_utf8", 7)),
    Case("utf8-and-bytes-at-one-byte", b"data: a\xff\n\n", STRICT | {"max_bytes": 7}, ("byte_limit", 7)),
    Case("utf8-certain-at-the-byte-over", b"data: \xe4x\n\n", STRICT | line(7), ("invalid_utf8", 6)),
    Case("utf8-certain-at-the-byte-after-the-last", b"data: \xe4x\n\n", STRICT | {"max_bytes": 7}, ("invalid_utf8", 6)),
    Case("bytes-before-utf8-is-certain", b"data: \xe4\xb8x", STRICT | {"max_bytes": 7}, ("byte_limit", 7)),
    Case("line-before-utf8-is-certain", b"data: \xe4\xb8x", STRICT | line(7), ("line_limit", 7)),
    Case("line-at-the-start-of-what-is-cut", b"data: \xe4\xb8x", STRICT | line(6), ("line_limit", 6)),
    Case("characters-wait-and-utf8-wins", b"data: \xe4\xb8x", STRICT | line(6, "code_points"), ("invalid_utf8", 6)),
    Case("event-before-utf8-is-certain", b"data: \xe4\xb8x", STRICT | event(1), ("event_size_limit", 7)),
    Case("utf8-at-the-end", b"data: a\n\n\xe4", STRICT | line(7), ("invalid_utf8", 9), ("a",)),
    Case("broken-mark-before-line", b"\xef\xbbx", STRICT | line(1), ("invalid_utf8", 0)),
    Case("broken-mark-at-the-end", b"\xef\xbb", STRICT | line(1), ("invalid_utf8", 0)),
    Case("broken-mark-and-bytes", b"\xef\xbbx", STRICT | {"max_bytes": 2}, ("invalid_utf8", 0)),
    Case("broken-mark-replaced-then-line", b"\xef\xbbx", line(1) | {"max_bytes": 2}, ("line_limit", 1)),
    Case("replaced-over-and-bytes", b"data: \xe4\xb8x", event(0, "code_points") | {"max_bytes": 8},
         ("event_size_limit", 6)),
    Case("bytes-before-replaced", b"data: \xe4\xb8x", event(0, "code_points") | {"max_bytes": 7}, ("byte_limit", 7)),
    Case("character-over-and-bytes-over", "data: 😀".encode(), line(6, "utf16") | {"max_bytes": 9}, ("line_limit", 6)),
    Case("line-in-characters-and-event-in-bytes", "data: 😀".encode(), line(6, "utf16") | event(2),
         ("event_size_limit", 8)),
    Case("event-in-characters-and-line-in-characters", "data: 😀".encode(), line(6, "utf16") | event(0, "utf16"),
         ("line_limit", 6)),
    Case("separator-and-line-at-one-byte", b"data: a\n" + b"data:b\n\n", line(7) | event(1), ("event_size_limit", 12)),
    Case("line-before-separator-of-bare-line", b"d:\ndata\ndata\n\n", line(3) | event(0), ("line_limit", 6)),
    Case("separator-of-bare-line-and-bytes", b"data\ndata\n\n", event(0) | {"max_bytes": 9}, ("byte_limit", 9)),
    Case("line-ends-block-before-fault", b"data: a\n\n\xff", STRICT | {"max_bytes": 9}, ("byte_limit", 9), ("a",)),
    Case("events-of-the-same-chunk-kept", b"data: a\n\ndata: b\n\ndata: cd\xff", STRICT | event(1),
         ("event_size_limit", 25), ("a", "b")),
]  # fmt: skip

CASES = LINES + COUNTED_FIELDS + COUNTED_RAW + EVENTS + PER_LINE + NAMES + COUNTS + BYTES + CONTESTS


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(sse: Any, case: Case) -> None:
    """The case's fault and what was dispatched before it, in every partition the helper tries."""
    options: dict[str, Any] = {"max_line": None, "max_event": None} | case.options
    outcome = sse.agreed(case.stream, **options)
    assert tuple(event[1] for event in outcome.events) == case.data
    if case.fault is None:
        assert outcome.fault is None
        assert outcome.consumed == len(case.stream)
    else:
        kind = "InvalidUTF8" if case.fault[0] == "invalid_utf8" else "LimitExceeded"
        assert outcome.fault == (kind, *case.fault)


@pytest.mark.parametrize("case", [case for case in CASES if case.fault is None], ids=lambda case: case.id)
def test_case_repeated(sse: Any, case: Case) -> None:
    """What passes once passes again (unless the limit is on the stream): a block leaves nothing behind."""
    options: dict[str, Any] = {"max_line": None, "max_event": None} | case.options
    once = not case.stream.endswith((b"\n\n", b"\r\r")) or {"max_events", "max_bytes"} & options.keys()
    times = 1 if once else 4
    later = case.stream.removeprefix(BOM) if not case.stream.startswith(BOM + BOM) else b"\n"
    stream = case.stream + later * (times - 1)
    expected = case.data * times
    for size in (len(stream) or 1, 5, 1):
        found = sse.run([stream[at : at + size] for at in range(0, len(stream), size)], listen=False, **options)
        assert found.fault is None
        assert tuple(event[1] for event in found.events) == expected


@pytest.mark.parametrize("kind", ["max_line", "max_event"])
def test_defaults_are_sixteen_mebibytes(sse: Any, kind: str) -> None:
    """Without arguments a line and an event's data may have 16 MiB, not one byte more."""
    n = 16 * 1024 * 1024
    other = {"max_line": "max_event", "max_event": "max_line"}[kind]
    prefix = b":" if kind == "max_line" else b"data:"
    room = n - 1 if kind == "max_line" else n
    code = {"max_line": "line_limit", "max_event": "event_size_limit"}[kind]
    value = b"x" * room
    passed = sse.run([prefix + value, b"\n\n"], listen=False, **{other: None})
    assert passed.fault is None
    assert len(passed.events) == (kind == "max_event")
    for chunks in ([prefix + value + b"x\n\n"], [prefix, value, b"x\n\n"]):
        assert sse.run(chunks, listen=False, **{other: None}).fault == ("LimitExceeded", code, len(prefix) + room)


def test_the_other_limits_are_off_unless_asked_for() -> None:
    """A name of 100,000 bytes and 50,000 events pass."""
    stream = b"event: " + b"n" * 100_000 + b"\ndata\n\n" + b"data\n\n" * 49_999
    assert len(EventStreamParser().feed(stream)) == 50_000
    assert len(EventStreamParser(max_event_name=None, max_events=None, max_bytes=None).feed(stream)) == 50_000


@pytest.mark.parametrize(("exact", "size"), [(False, 5), (False, 4096), (False, 65_536), (False, 10**7), (True, 500)])
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"max_line": 40}, ("line_limit", 45_040)),
        ({"max_line": Limit(40, "utf16", counts="fields")}, ("line_limit", 45_040)),
        ({"max_event": 34}, ("event_size_limit", 45_040)),
        ({"max_event": Limit(39, per_line=5)}, ("event_size_limit", 45_040)),
        ({"max_events": 5000}, ("event_count_limit", 45_057)),
        ({"max_bytes": 45_010}, ("byte_limit", 45_010)),
        ({"max_event_name": 1}, ("event_name_limit", 45_066)),
    ],
    ids=str,
)
def test_far_into_a_long_stream(
    sse: Any, options: dict[str, Any], fault: tuple[str, int], exact: bool, size: int
) -> None:
    """After 5,000 short events the first thing too large is found at its byte, whatever the chunks."""
    # At 45,000 "data: " and 50 letters: 40 bytes of line, or 34 of data, end before 45,040. The name begins at 45,065.
    stream = b"data: x\n\n" * 5000 + b"data: " + b"y" * 50 + b"\n\nevent: ab\n\n"
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    parser_options: dict[str, Any] = {"max_line": None, "max_event": None} | options
    found = sse.run(chunks, exact=exact, listen=False, places=False, **parser_options)
    assert found.fault == ("LimitExceeded", *fault)
