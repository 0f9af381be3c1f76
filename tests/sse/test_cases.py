"""One table of small streams and what the standard makes of them, worked out by hand.

Each case runs whole, byte by byte, in pairs, in two parts at every place and in random partitions, with the shortcuts
and without, through `feed` and through `iter_events`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.sse import EventStreamParser, iter_events

FFFD = "\ufffd"  # one replacement character


@dataclass(frozen=True, slots=True)
class Case:
    """A stream and its events, as (type, data, last event ID); then what else is to be seen in the end."""

    id: str
    stream: bytes
    events: tuple[tuple[str, str, str], ...] = ()
    comments: tuple[str, ...] = ()
    last_event_id: str = ""
    reconnection_time: int | None = None
    utf8: str = "replace"
    fault: tuple[str, str, int] | None = None


def message(*data: str, last_event_id: str = "") -> tuple[tuple[str, str, str], ...]:
    """Events of the type "message"."""
    return tuple(("message", one, last_event_id) for one in data)


def bad(offset: int) -> tuple[str, str, int]:
    """The strict policy's fault."""
    return ("InvalidUTF8", "invalid_utf8", offset)


BYTE_ORDER_MARKS = [
    Case("mark-removed", b"\xef\xbb\xbfdata: tea\n\n", message("tea")),
    Case("mark-removed-strict", b"\xef\xbb\xbfdata: tea\n\n", message("tea"), utf8="strict"),
    Case("mark-then-comment", b"\xef\xbb\xbf:hush\ndata: tea\n\n", message("tea"), comments=("hush",)),
    Case("mark-then-blank-line", b"\xef\xbb\xbf\n\ndata: tea\n\n", message("tea")),
    Case("second-mark-kept-in-name", b"\xef\xbb\xbf\xef\xbb\xbfdata: lost\ndata: kept\n\n", message("kept")),
    Case("second-mark-hides-its-event", b"\xef\xbb\xbf\xef\xbb\xbfdata: lost\n\n"),
    Case("mark-on-second-line-kept", b"data: a\n\xef\xbb\xbfdata: lost\n\n", message("a")),
    Case("mark-after-line-end-kept", b"\n\xef\xbb\xbfdata: lost\n\n"),
    Case("mark-in-value-kept", b"data:\xef\xbb\xbf tea\n\n", message("\ufeff tea")),
    Case("mark-ends-value", b"data: tea\xef\xbb\xbf\n\n", message("tea\ufeff")),
    Case("mark-first-and-in-value", b"\xef\xbb\xbfdata: \xef\xbb\xbf\n\n", message("\ufeff")),
    Case("mark-alone", b"\xef\xbb\xbf"),
    Case("mark-alone-strict", b"\xef\xbb\xbf", utf8="strict"),
    Case("mark-as-a-comment-is-not-one", b"\xef\xbb\xbf\xef\xbb\xbf:lost\n"),
    Case("mark-two-bytes-then-field", b"\xef\xbb" + b"data: lost\ndata: b\n\n", message("b")),
    Case("mark-one-byte-then-field", b"\xef" + b"data: lost\ndata: b\n\n", message("b")),
    Case("mark-two-bytes-alone", b"\xef\xbb"),
    Case("mark-two-bytes-strict", b"\xef\xbbdata: x\n\n", utf8="strict", fault=bad(0)),
    Case("mark-two-bytes-alone-strict", b"\xef\xbb", utf8="strict", fault=bad(0)),
    Case("mark-one-byte-alone-strict", b"\xef", utf8="strict", fault=bad(0)),
    Case("mark-and-one-byte-of-another-strict", b"\xef\xbb\xbf\xef", utf8="strict", fault=bad(3)),
    Case("mark-nearly", b"\xef\xbb\xbedata: lost\n\n"),
    Case("mark-of-utf-16", b"\xff\xfedata: lost\ndata: b\n\n", message("b")),
]

LINE_ENDS = [
    Case("lf", b"data: a\ndata: b\n\n", message("a\nb")),
    Case("cr", b"data: a\rdata: b\r\r", message("a\nb")),
    Case("crlf", b"data: a\r\ndata: b\r\n\r\n", message("a\nb")),
    Case("cr-then-lf-block-end", b"data: a\r\r\n", message("a")),
    Case("lf-then-cr", b"data: a\n\r", message("a")),
    Case("lf-then-crlf", b"data: a\n\r\n", message("a")),
    Case("crlf-then-cr", b"data: a\r\n\r", message("a")),
    Case("crlf-then-lf", b"data: a\r\n\n", message("a")),
    Case("crlf-once-is-no-blank-line", b"data: a\r\ndata: b\n\n", message("a\nb")),
    Case("cr-cr-lf-is-one-blank-line", b"data: a\r\r\ndata: b\r\r", message("a", "b")),
    Case("cr-cr-cr", b"data: a\r\r\rdata: b\r\r\r", message("a", "b")),
    Case("lf-cr-lf-cr", b"data: a\n\rdata: b\n\r", message("a", "b")),
    Case("all-mixed", b"data: 1\rdata: 2\r\ndata: 3\n\r\ndata: 4\r\rdata: 5\n\n", message("1\n2\n3", "4", "5")),
    Case("blank-lines-first", b"\n\r\r\n\n\rdata: a\n\n", message("a")),
    Case("blank-lines-between", b"data: a\n\n\n\r\n\r\rdata: b\n\n\n", message("a", "b")),
    Case("blank-lines-alone", b"\n\n\r\r\r\n\r\n"),
    Case("cr-at-the-very-end-of-a-line", b"data: a\n\ndata: b\r", message("a")),
    Case("comment-ends-with-cr", b":c\rdata: a\r\r", message("a"), comments=("c",)),
    Case("written-out-line-end-is-text", b"data: a\\r\\n\\n\n\n", message("a\\r\\n\\n")),
    Case("line-end-inside-json", b'data: {"a":\n"b"}\n\n', message('{"a":')),
    Case("next-line", "data: a\u0085b\n\n".encode(), message("a\u0085b")),
    Case("line-separator", "data: a\u2028data: b\n\n".encode(), message("a\u2028data: b")),
    Case("paragraph-separator", "data: a\u2029\u2029b\n\n".encode(), message("a\u2029\u2029b")),
    Case("vertical-tab-form-feed", b"data: a\vb\fc\n\n", message("a\vb\fc")),
    Case("information-separators", b"data: a\x1cb\x1dc\x1ed\x1fe\n\n", message("a\x1cb\x1dc\x1ed\x1fe")),
    Case("separator-ends-value", "data: a\u2028\n\ndata: b\v\n\n".encode(), message("a\u2028", "b\v")),
    Case("separator-is-no-blank-line", "data: a\n\u2028\ndata: b\n\n".encode(), message("a\nb")),
    Case("separators-in-type-and-id", "event: e\u2028\nid: \u0085\ndata: d\n\n".encode(),
         (("e\u2028", "d", "\u0085"),), last_event_id="\u0085"),
]  # fmt: skip

FIELDS = [
    Case("colon-then-value", b"data:tea\n\n", message("tea")),
    Case("one-space-removed", b"data: tea\n\n", message("tea")),
    Case("second-space-kept", b"data:  tea\n\n", message(" tea")),
    Case("tab-kept", b"data:\ttea\n\n", message("\ttea")),
    Case("space-then-tab", b"data: \ttea\n\n", message("\ttea")),
    Case("no-break-space-kept", "data:\u00a0tea\n\n".encode(), message("\u00a0tea")),
    Case("trailing-spaces-kept", b"data: tea  \n\n", message("tea  ")),
    Case("one-space-only", b"data: \n\n", message("")),
    Case("two-spaces-only", b"data:  \n\n", message(" ")),
    Case("colons-in-value", b"data: a:b: c\ndata::d\n\n", message("a:b: c\n:d")),
    Case("no-colon", b"data\n\n", message("")),
    Case("no-colon-twice", b"data\ndata\n\n", message("\n")),
    Case("no-colon-between", b"data: a\ndata\ndata: b\n\n", message("a\n\nb")),
    Case("no-colon-but-a-space", b"data \ndata: a\n\n", message("a")),
    Case("no-colon-longer-name", b"datatea\ndata: a\n\n", message("a")),
    Case("space-before-name", b" data: lost\ndata: kept\n\n", message("kept")),
    Case("space-before-colon", b"data : lost\ndata: kept\n\n", message("kept")),
    Case("only-space-before-name", b" data: lost\n\n"),
    Case("tab-before-name", b"\tdata: lost\n\n"),
    Case("case-matters", b"Data: a\nDATA: b\nEvent: c\nID: d\nRetry: 5\ndata: e\n\n", message("e")),
    Case("unknown-fields", b"dat: a\ndatas: b\nfoo: c\nbar\ne: d\ndata: f\n\n", message("f")),
    Case("unknown-alone", b"error: {}\n\n"),
    Case("prefixes-of-names", b"d\nda\ndat\ne\ne:\neven\ni\nr\nretr: 5\ndata: x\n\n", message("x")),
    Case("nul-in-data-kept", b"data: a\0b\n\n", message("a\0b")),
    Case("nul-in-name", b"data\0: lost\ndata: b\n\n", message("b")),
    Case("controls-in-data", b"data: \x01\x08\x1b\x7f\n\n", message("\x01\x08\x1b\x7f")),
    Case("fullwidth-colon", "data： lost\ndata: b\n\n".encode(), message("b")),
    Case("name-with-accent", "dáta: lost\ndata: b\n\n".encode(), message("b")),
]

DATA = [
    Case("data-empty", b"data:\n\n", message("")),
    Case("data-empty-bare", b"data\r\r", message("")),
    Case("data-empty-twice", b"data:\ndata:\n\n", message("\n")),
    Case("data-empty-thrice", b"data:\ndata\ndata: \n\n", message("\n\n")),
    Case("data-empty-then-text", b"data\ndata: a\n\n", message("\na")),
    Case("data-text-then-empty", b"data: a\ndata\n\n", message("a\n")),
    Case("data-five-lines", b"data: 1\ndata: 2\ndata:\ndata: 4\ndata:5\n\n", message("1\n2\n\n4\n5")),
    Case("empty-stream", b""),
    Case("block-without-data", b"event: a\nid: 1\n\n", last_event_id="1"),
    Case("unfinished-block", b"data: a\n\ndata: lost\n", message("a")),
    Case("unfinished-line", b"data: a\n\ndata: lost", message("a")),
    Case("unfinished-bare-line", b"data: a\n\ndata", message("a")),
    Case("unfinished-block-cr", b"data: a\r\rdata: lost\r", message("a")),
    Case("unfinished-block-crlf", b"data: a\r\n\r\ndata: lost\r\n", message("a")),
    Case("unfinished-everything", b"id: 1\nevent: e\ndata: d\nretry: 70\n", reconnection_time=70),
    Case("unfinished-comment-is-not-told", b":told\n:lost", comments=("told",)),
    Case("unfinished-retry-is-not-set", b"retry: 10\nretry: 20", reconnection_time=10),
]

TYPES = [
    Case("type-named", b"event: tick\ndata: a\n\n", (("tick", "a", ""),)),
    Case("type-after-data", b"data: a\nevent: tick\n\n", (("tick", "a", ""),)),
    Case("type-between-data", b"data: a\nevent: tick\ndata: b\n\n", (("tick", "a\nb", ""),)),
    Case("type-last-wins", b"event: a\nevent: b\ndata: x\n\n", (("b", "x", ""),)),
    Case("type-empty-is-message", b"event:\ndata: x\n\n", message("x")),
    Case("type-bare-is-message", b"event\ndata: x\n\n", message("x")),
    Case("type-emptied", b"event: a\nevent\ndata: x\n\n", message("x")),
    Case("type-is-reset", b"event: a\ndata: x\n\ndata: y\n\n", (("a", "x", ""), ("message", "y", ""))),
    Case("type-is-reset-without-data", b"event: a\n\ndata: y\n\n", message("y")),
    Case("type-keeps-spaces", b"event:  a \ndata: x\n\n", ((" a ", "x", ""),)),
    Case("type-message-named", b"event: message\ndata: x\n\n", message("x")),
    Case("type-error", b"event: error\ndata: x\n\n", (("error", "x", ""),)),
    Case("type-not-ascii", "event: né中😀\ndata: x\n\n".encode(), (("né中😀", "x", ""),)),
    Case("type-with-nul", b"event: a\0\ndata: x\n\n", (("a\0", "x", ""),)),
    Case("type-with-colon", b"event: a:b\ndata: x\n\n", (("a:b", "x", ""),)),
    Case("type-crlf-many", b"event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n", (("a", "1", ""), ("b", "2", ""))),
    Case("types-differ", b"event: a\ndata: 1\n\nevent: a\ndata: 2\n\ndata: 3\n\nevent: b\ndata: 4\n\n",
         (("a", "1", ""), ("a", "2", ""), ("message", "3", ""), ("b", "4", ""))),
]  # fmt: skip

IDS = [
    Case("id-set", b"id: 7\ndata: a\n\n", message("a", last_event_id="7"), last_event_id="7"),
    Case("id-after-data", b"data: a\nid: 7\n\n", message("a", last_event_id="7"), last_event_id="7"),
    Case("id-stays", b"id: 7\ndata: a\n\ndata: b\n\n", message("a", "b", last_event_id="7"), last_event_id="7"),
    Case("id-changes", b"id: 7\ndata: a\n\nid: 8\ndata: b\n\n",
         (("message", "a", "7"), ("message", "b", "8")), last_event_id="8"),
    Case("id-last-in-block", b"id: 7\nid: 8\ndata: a\n\n", message("a", last_event_id="8"), last_event_id="8"),
    Case("id-reset-by-empty", b"id: 7\ndata: a\n\nid:\ndata: b\n\n", (("message", "a", "7"), ("message", "b", ""))),
    Case("id-reset-by-bare", b"id: 7\ndata: a\n\nid\ndata: b\n\n", (("message", "a", "7"), ("message", "b", ""))),
    Case("id-reset-by-space", b"id: 7\ndata: a\n\nid: \ndata: b\n\n", (("message", "a", "7"), ("message", "b", ""))),
    Case("id-with-nul-ignored", b"id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n",
         message("a", "b", last_event_id="7"), last_event_id="7"),
    Case("id-nul-alone-ignored", b"id: \0\ndata: a\n\n", message("a")),
    Case("id-with-nul-does-not-undo", b"id: 7\nid: \0x\ndata: a\n\n", message("a", last_event_id="7"),
         last_event_id="7"),
    Case("id-without-data", b"id: 7\n\ndata: a\n\n", message("a", last_event_id="7"), last_event_id="7"),
    Case("id-without-data-alone", b"id: 7\n\n", last_event_id="7"),
    Case("id-waits-for-its-block", b"id: 7\ndata: a\n\nid: 8\ndata: b\n", message("a", last_event_id="7"),
         last_event_id="7"),
    Case("id-of-an-unfinished-block", b"id: 7\n"),
    Case("id-keeps-spaces", b"id:  7 \ndata: a\n\n", message("a", last_event_id=" 7 "), last_event_id=" 7 "),
    Case("id-not-ascii", "id: é中😀\ndata: a\n\n".encode(), message("a", last_event_id="é中😀"), last_event_id="é中😀"),
    Case("id-across-comment-block", b"id: 7\n: c\n\n\ndata: a\n\n", message("a", last_event_id="7"), (" c",), "7"),
]  # fmt: skip

RETRIES = [
    Case("retry-digits", b"retry: 1500\n", reconnection_time=1500),
    Case("retry-without-space", b"retry:1500\n", reconnection_time=1500),
    Case("retry-before-its-block-ends", b"retry: 1500\ndata: a", reconnection_time=1500),
    Case("retry-zero", b"retry: 0\n\n", reconnection_time=0),
    Case("retry-leading-zeros", b"retry: 00012\n\n", reconnection_time=12),
    Case("retry-last-wins", b"retry: 1\nretry: 2\n\n", reconnection_time=2),
    Case("retry-bad-keeps-the-good", b"retry: 1\n\nretry: 2x\n\n", reconnection_time=1),
    Case("retry-empty", b"retry:\nretry\nretry: \n"),
    Case("retry-two-spaces", b"retry:  5\n"),
    Case("retry-trailing-space", b"retry: 5 \n"),
    Case("retry-inner-space", b"retry: 1 000\n"),
    Case("retry-minus", b"retry: -5\n"),
    Case("retry-plus", b"retry: +5\n"),
    Case("retry-fraction", b"retry: 5.0\n"),
    Case("retry-exponent", b"retry: 1e3\n"),
    Case("retry-underscore", b"retry: 1_000\n"),
    Case("retry-hexadecimal", b"retry: 0x10\n"),
    Case("retry-tab", b"retry:\t5\n"),
    Case("retry-nul", b"retry: 5\0\n"),
    Case("retry-arabic-digits", "retry: \u0663\u0664\n".encode()),
    Case("retry-fullwidth-digits", "retry: \uff15\n".encode()),
    Case("retry-superscript", "retry: 5\u00b2\n".encode()),
    Case("retry-huge", b"retry: 123456789012345678901234567890\n", reconnection_time=123456789012345678901234567890),
    Case("retry-640-digits", b"retry: 1" + b"0" * 639 + b"\n", reconnection_time=10**639),
    Case("retry-641-digits", b"retry: 3\nretry: 1" + b"0" * 640 + b"\n", reconnection_time=3),
    Case("retry-zeros-do-not-count", b"retry: " + b"0" * 700 + b"9\n", reconnection_time=9),
    Case("retry-amid-data", b"data: a\nretry: 9\ndata: b\n\n", message("a\nb"), reconnection_time=9),
]

COMMENTS = [
    Case("comment", b":note\ndata: a\n\n", message("a"), ("note",)),
    Case("comment-space-kept", b": note\n", comments=(" note",)),
    Case("comment-empty", b":\n\n:\n", comments=("", "")),
    Case("comment-crlf", b": ping\r\n\r\n: ping\r\n\r\n", comments=(" ping", " ping")),
    Case("comment-of-colons", b":::a:\n", comments=("::a:",)),
    Case("comment-like-data", b":data: a\n: data: b\ndata: c\n\n", message("c"), ("data: a", " data: b")),
    Case("comment-between-data", b"data: a\n:c\ndata: b\n\n", message("a\nb"), ("c",)),
    Case("comment-ends-no-block", b"data: a\n:\ndata: b\n:\n\n", message("a\nb"), ("", "")),
    Case("comment-nul", b":\0\n", comments=("\0",)),
    Case("comment-ill-formed", b":a\xe4\xb8b\n", comments=("a\ufffdb",)),
    Case("comment-block-before-event", b": WAIT\n\n: WAIT\n\ndata: a\n\n", message("a"), (" WAIT", " WAIT")),
    Case("comment-not-ascii", ":é中😀\ndata: a\n\n".encode(), message("a"), ("é中😀",)),
]

WELL_FORMED = [
    Case("two-bytes", "data: é\n\n".encode(), message("é")),
    Case("three-bytes", "data: 中文\n\n".encode(), message("中文")),
    Case("four-bytes", "data: 😀\n\n".encode(), message("😀")),
    Case("all-sizes-strict", "data: aé中😀\n\n".encode(), message("aé中😀"), utf8="strict"),
    Case("first-and-last-of-each-size",
         b"data: \xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\n\n",
         message("\x80\u07ff\u0800\uffff\U00010000\U0010ffff"), utf8="strict"),
    Case("around-the-surrogates", b"data: \xed\x9f\xbf\xee\x80\x80\n\n", message("\ud7ff\ue000"), utf8="strict"),
    Case("family-of-code-points", "data: 👩‍👧\n\n".encode(), message("👩‍👧"), utf8="strict"),
    Case("replacement-character-sent", "data: \ufffd\n\n".encode(), message(FFFD), utf8="strict"),
]  # fmt: skip

ILL_FORMED = [
    Case("lone-continuation", b"data: \x80\n\n", message(FFFD)),
    Case("three-continuations", b"data: \x80\xbf\x80\n\n", message(FFFD * 3)),
    Case("cut-two-of-two", b"data: \xc3\n\n", message(FFFD)),
    Case("cut-one-of-three", b"data: \xe4\n\n", message(FFFD)),
    Case("cut-two-of-three", b"data: \xe4\xb8\n\n", message(FFFD)),
    Case("cut-one-of-four", b"data: \xf0a\n\n", message(FFFD + "a")),
    Case("cut-two-of-four", b"data: \xf0\x9fa\n\n", message(FFFD + "a")),
    Case("cut-three-of-four", b"data: \xf0\x9f\x98a\n\n", message(FFFD + "a")),
    Case("cut-then-cut", b"data: \xf0\x9f\x98\xe4\xb8\n\n", message(FFFD * 2)),
    Case("cut-then-whole", b"data: \xe4\xb8\xe4\xb8\xad\n\n", message(FFFD + "中")),
    Case("overlong-two", b"data: \xc0\xaf\n\n", message(FFFD * 2)),
    Case("overlong-three", b"data: \xe0\x80\xaf\n\n", message(FFFD * 3)),
    Case("overlong-four", b"data: \xf0\x80\x80\xaf\n\n", message(FFFD * 4)),
    Case("overlong-line-feed", b"data: a\xc0\x8adata: b\n\n", message("a" + FFFD * 2 + "data: b")),
    Case("overlong-nul-in-id", b"id: 1\xc0\x80\ndata: a\n\n",
         message("a", last_event_id="1" + FFFD * 2), last_event_id="1" + FFFD * 2),
    Case("surrogate", b"data: \xed\xa0\x80\n\n", message(FFFD * 3)),
    Case("surrogate-pair", b"data: \xed\xa0\xbd\xed\xb8\x80\n\n", message(FFFD * 6)),
    Case("surrogate-cut", b"data: \xed\xa0\n\n", message(FFFD * 2)),
    Case("above-the-last", b"data: \xf4\x90\x80\x80\n\n", message(FFFD * 4)),
    Case("never-in-utf-8", b"data: \xf5\xf8\xfe\xff\n\n", message(FFFD * 4)),
    Case("latin-1", b"data: caf\xe9\n\n", message("caf" + FFFD)),
    Case("latin-1-next-line", b"data: a\x85b\n\n", message("a" + FFFD + "b")),
    Case("cut-by-the-line-end", b"data: a\xe4\xb8\r\ndata: b\r\n\r\n", message("a" + FFFD + "\nb")),
    Case("in-a-name", b"da\xffta: lost\ndata: b\n\n", message("b")),
    Case("before-the-colon", b"data\xc3: lost\ndata: b\n\n", message("b")),
    Case("before-the-name", b"\xffdata: lost\ndata: b\n\n", message("b")),
    Case("right-after-the-colon", b"data:\xff x\n\n", message(FFFD + " x")),
    Case("in-a-type", b"event: a\xff\ndata: b\n\n", (("a" + FFFD, "b", ""),)),
    Case("in-an-id", b"id: \xc3\ndata: b\n\n", message("b", last_event_id=FFFD), last_event_id=FFFD),
    Case("in-a-retry", b"retry: 5\xff\n"),
    Case("line-of-one", b"\xff\n\xe4\ndata: b\n\n", message("b")),
    Case("at-the-end", b"data: a\n\n\xe4\xb8", message("a")),
    Case("in-an-unfinished-value", b"data: a\n\ndata: \xf0\x9f\x98", message("a")),
    Case("standard-example", b"data: \xe1\x80\xe2\xf0\x91\x92\xf1\xbfA\n\n", message(FFFD * 4 + "A")),
]  # fmt: skip

STRICT = [
    Case("strict-lone", b"data: \x80\n\n", utf8="strict", fault=bad(6)),
    Case("strict-after-events", b"data: a\n\ndata: \xff", message("a"), utf8="strict", fault=bad(15)),
    Case("strict-in-comment", b"data: a\n\n:b\xffc\n", message("a"), utf8="strict", fault=bad(11)),
    Case("strict-in-unknown-field", b"foo: \xc3(\n", utf8="strict", fault=bad(5)),
    Case("strict-in-name", b"d\xe9ta: x\n\n", utf8="strict", fault=bad(1)),
    Case("strict-in-space-led-line", b"  \xff\n", utf8="strict", fault=bad(2)),
    Case("strict-cut-by-line-end", b"data: \xe4\xb8\n\n", utf8="strict", fault=bad(6)),
    Case("strict-cut-by-blank-line", b"data: a\n\xe4\n\n", utf8="strict", fault=bad(8)),
    Case("strict-cut-by-next", b"data: \xf0\x9f\x98\xf0\x9f\x98\x80", utf8="strict", fault=bad(6)),
    Case("strict-second-byte", b"data: \xe0\x80\x80", utf8="strict", fault=bad(6)),
    Case("strict-surrogate", b"data: \xed\xa0\x80\n\n", utf8="strict", fault=bad(6)),
    Case("strict-surrogate-at-the-end", b"data: \xed\xa0", utf8="strict", fault=bad(6)),
    Case("strict-above-the-last", b"data: \xf4\x90\x80\x80", utf8="strict", fault=bad(6)),
    Case("strict-overlong", b"data: \xc1\xbf", utf8="strict", fault=bad(6)),
    Case("strict-end-one-of-two", b"data: a\n\n\xc3", message("a"), utf8="strict", fault=bad(9)),
    Case("strict-end-two-of-three", b"data: a\n\n: \xe4\xb8", message("a"), utf8="strict", fault=bad(11)),
    Case("strict-end-three-of-four", b"data: \xf0\x9f\x98", utf8="strict", fault=bad(6)),
    Case("strict-end-after-a-whole-one", "data: 中".encode() + b"\xe4", utf8="strict", fault=bad(9)),
    Case("strict-unfinished-line", b"data: a\n\ndata: b\xff", message("a"), utf8="strict", fault=bad(16)),
    Case("strict-mark-counted", b"\xef\xbb\xbf:\xff\n", utf8="strict", fault=bad(4)),
    Case("strict-first-of-two", b"data: \xff\xfe\n\n", utf8="strict", fault=bad(6)),
    Case("strict-events-on-both-sides", b"data: a\n\ndata: b\n\n\xffdata: c\n\n", message("a", "b"),
         utf8="strict", fault=bad(18)),
    Case("strict-after-an-id", b"id: 1\ndata: a\n\nid: 2\nretry: 5\n\xff", message("a", last_event_id="1"),
         last_event_id="1", reconnection_time=5, utf8="strict", fault=bad(30)),
    Case("strict-comment-before", b":told\n:lost\xff\n", comments=("told",), utf8="strict", fault=bad(11)),
]  # fmt: skip

CHAT = (
    b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"Gr\xc3\xbc\xc3\x9fe"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)
CHAT_EVENTS = message(
    '{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}',
    '{"choices":[{"index":0,"delta":{"content":"Grüße"}}]}',
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    "[DONE]",
)
TYPED = (
    b'event: message_start\ndata: {"type":"message_start"}\n\n'
    b'event: ping\ndata: {"type": "ping"}\n\n'
    b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"\xf0\x9f\x8d\xb5"}   }\n\n'
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n\n'
)
TYPED_EVENTS = (
    ("message_start", '{"type":"message_start"}', ""),
    ("ping", '{"type": "ping"}', ""),
    ("content_block_delta", '{"type":"content_block_delta","delta":{"text":"🍵"}   }', ""),
    ("message_stop", '{"type":"message_stop"}', ""),
)

LLM = [
    Case("chat-lf", CHAT, CHAT_EVENTS),
    Case("chat-crlf", CHAT.replace(b"\n", b"\r\n"), CHAT_EVENTS),
    Case("chat-cr", CHAT.replace(b"\n", b"\r"), CHAT_EVENTS),
    Case("chat-strict", CHAT, CHAT_EVENTS, utf8="strict"),
    Case("chat-without-spaces", CHAT.replace(b"data: ", b"data:"), CHAT_EVENTS),
    Case("chat-unterminated-done", CHAT[:-1], CHAT_EVENTS[:-1]),
    Case("typed-lf", TYPED, TYPED_EVENTS),
    Case("typed-crlf-strict", TYPED.replace(b"\n", b"\r\n"), TYPED_EVENTS, utf8="strict"),
    Case("typed-data-first", b'data: {"n":1}\nevent: a\n\ndata: {"n":2}\nevent: b\n\n',
         (("a", '{"n":1}', ""), ("b", '{"n":2}', ""))),
    Case("keepalives", b": ping - 12:00\r\n\r\ndata: {}\r\n\r\n: ping - 12:15\r\n\r\ndata: [DONE]\r\n\r\n",
         message("{}", "[DONE]"), (" ping - 12:00", " ping - 12:15")),
    Case("ids-on-each",
         b"event: output\nid: 1:0\ndata:  leaf\n\nevent: output\nid: 2:0\ndata: ,\ndata: \n\n:408: late\n",
         (("output", " leaf", "1:0"), ("output", ",\n", "2:0")), ("408: late",), "2:0"),
    Case("json-body", b'{"error": {"message": "no"}}\n'),
    Case("pretty-json-body", b'{\n  "error": {\n    "code": 400\n  }\n}\n\n'),
    Case("html-body", b"<!doctype html>\n<title>Bad gateway</title>\n\n"),
    Case("lines-of-json", b'{"a":1}\n{"a":2}\n\n'),
    Case("error-event-then-eof", b'data: {"n":1}\n\nevent: error\ndata: {"m":"x"}\n\n',
         (("message", '{"n":1}', ""), ("error", '{"m":"x"}', ""))),
    Case("unknown-error-field", b'data: {"n":1}\n\nerror: {"detail":"x"}\n\n', message('{"n":1}')),
    Case("data-in-data", b"data: data: a\n\ndata: event: b\n\n", message("data: a", "event: b")),
]  # fmt: skip

CASES = (
    BYTE_ORDER_MARKS + LINE_ENDS + FIELDS + DATA + TYPES + IDS + RETRIES + COMMENTS + WELL_FORMED + ILL_FORMED + STRICT
) + LLM


def check(case: Case, outcome: Any) -> None:
    assert outcome.events == case.events
    assert outcome.fault == case.fault
    assert outcome.comments == case.comments
    assert outcome.last_event_id == case.last_event_id
    assert outcome.reconnection_time == case.reconnection_time


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(sse: Any, case: Case) -> None:
    """The case's outcome, in every partition the helper tries."""
    check(case, sse.agreed(case.stream, utf8=case.utf8))


@pytest.mark.parametrize("case", [case for case in CASES if case.fault is None], ids=lambda case: case.id)
def test_case_within_no_limits(sse: Any, case: Case) -> None:
    """The same without any limit, and with limits that no byte reaches."""
    size = len(case.stream)
    chunks = [case.stream[at : at + 3] for at in range(0, size, 3)]
    for pieces in ([case.stream], chunks):
        check(case, sse.run(pieces, utf8=case.utf8, max_line=None, max_event=None))
        limits = {"max_line": size, "max_event": size, "max_event_name": size, "max_events": size, "max_bytes": size}
        check(case, sse.run(pieces, utf8=case.utf8, **limits))


@given(case=st.sampled_from(CASES), data=st.data())
@settings(max_examples=300, deadline=None)
def test_case_in_any_partition(sse: Any, case: Case, data: st.DataObject) -> None:
    """A case in a random partition, empty chunks included."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(case.stream)), max_size=12)))
    chunks = [case.stream[start:end] for start, end in pairwise([0, *cuts, len(case.stream)])]
    check(case, sse.run(chunks, utf8=case.utf8))
    assert sse.run(chunks, utf8=case.utf8, listen=False).events == case.events
    assert sse.iterate(chunks, utf8=case.utf8) == (case.events, case.fault)


SHAPES = [
    case
    for case in FIELDS + DATA + TYPES + LLM
    if case.fault is None and case.stream[-2:] in (b"\n\n", b"\r\r") and not case.stream.startswith(b"\xef\xbb\xbf")
]


@pytest.mark.parametrize("utf8", ["replace", "strict"])
@pytest.mark.parametrize(("times", "sizes"), [(1, (7, 100)), (30, (1000, 4096, 65_536)), (300, (65_537, 10_000_000))])
def test_cases_one_after_another(utf8: Any, times: int, sizes: tuple[int, ...]) -> None:
    """A long stream of many shapes gives each shape's events as often as it comes, in small chunks and large ones."""
    stream = b"".join(case.stream for case in SHAPES) * times
    expected = [(type_, data) for case in SHAPES for type_, data, _ in case.events] * times
    for size in sizes:
        parser = EventStreamParser(utf8=utf8)
        chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [event[:2] for chunk in chunks for event in parser.feed(chunk)] == expected
        assert parser.offset == len(stream)
        assert [event[:2] for event in iter_events(chunks, utf8=utf8)] == expected


def test_ids_are_unique() -> None:
    """No case hides another."""
    assert len({case.id for case in CASES}) == len(CASES)
