"""The grammar: what parses, what is written back, and what is refused in which words."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from recorder.errors import PlanError
from recorder.plans import GRAMMAR, Framing, Plan, percent_encoded


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        ("chunks=bytes:1", "chunks=bytes:1"),
        (" end = eof@event:3 ;chunks=at:1,2 ", "chunks=at:1,2; end=eof@event:3"),
        ("delay=recorded*0.5;;", "delay=recorded*0.5"),
        ("end=stall@event:1:30s", "end=stall@event:1:30s"),
        ("chunks=at:1 , 2", "chunks=at:1,2"),
        ("edit= crlf , bom ,gzip", "edit=crlf,bom,gzip"),
        ("edit=insert@event:2:%3A ping%0A%0A", "edit=insert@event:2:%3A ping%0A%0A"),
        (
            "edit=nospace; framing=length; end=reset@head; delay=ttft:200ms+fixed:20ms; chunks=hostile",
            "chunks=hostile; delay=ttft:200ms+fixed:20ms; end=reset@head; framing=length; edit=nospace",
        ),
    ],
)
def test_a_plan_is_written_back(text: str, written: str) -> None:
    """In the order of the grammar, and it parses to the same plan again."""
    plan = Plan.parse(text)
    assert str(plan) == written
    assert Plan.parse(written) == plan
    assert Plan.of(plan) is plan
    assert Plan.of(text) == plan


def test_a_plan_is_a_value() -> None:
    """Equal, hashable, frozen, and it pickles and copies."""
    plan = Plan.parse("chunks=bytes:1; end=eof@3; edit=crlf,bom")
    assert plan == Plan(chunks="bytes:1", end="eof@3", edits=("crlf", "bom"))
    assert plan != Plan(chunks="bytes:1", end="eof@3", edits=("bom", "crlf"))
    assert {plan: 1}[Plan.parse(str(plan))] == 1
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert copy.deepcopy(plan) == plan
    assert dataclasses.replace(plan, end=None) == Plan.parse("chunks=bytes:1; edit=crlf,bom")
    assert Plan.of(None) == Plan() == Plan.parse("")
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.end = "eof"  # type: ignore[misc]


def test_a_plan_that_is_built_is_checked_too() -> None:
    """Whatever way it comes into being: built, replaced, unpickled."""
    with pytest.raises(PlanError, match=r"^chunks=pieces: unknown"):
        Plan(chunks="pieces")
    with pytest.raises(PlanError, match=r"^end=eof@x: "):
        dataclasses.replace(Plan(), end="eof@x")
    with pytest.raises(PlanError, match=r"^delay= fixed:1s: unknown"):
        Plan(delay=" fixed:1s")
    state = pickle.dumps(Plan(chunks="bytes:1")).replace(b"bytes:1", b"bytes:0")
    with pytest.raises(PlanError, match=r"^chunks=bytes:0: "):
        pickle.loads(state)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"edits": "crlf"}, "edits='crlf': a sequence of edits, such as ('crlf', 'bom')"),
        ({"chunks": 3}, "chunks=3: a value of a plan is a str"),
    ],
)
def test_what_is_no_value_at_all(given: Any, message: str) -> None:
    """Is a TypeError that says what is wanted."""
    with pytest.raises(TypeError) as caught:
        Plan(**given)
    assert str(caught.value) == message
    with pytest.raises(TypeError, match=r"^a plan is a Plan or its text, not int$"):
        Plan.of(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edit", "encoding"),
    [("", None), ("edit=crlf", None), *((f"edit=crlf,{each}", each) for each in ("gzip", "br", "zstd", "deflate"))],
)
def test_an_encoding_is_named(edit: str, encoding: str | None) -> None:
    """The last edit may be one; who sends headers asks for it."""
    assert Plan.parse(edit).encoding == encoding


def test_the_grammar_is_there_as_data() -> None:
    """For forms and help: the values of each term, in order."""
    assert dict(GRAMMAR) == {
        "chunks": (
            "whole", "recorded", "bytes:N", "at:POS[,POS...]", "events[:N]", "lines[:N]", "random:PARTS,SEED",
            "hostile",
        ),
        "delay": (
            "none", "recorded[*X]", "fixed:20ms", "uniform:LO,HI,SEED", "rate:N/s", "ttft:200ms[+DELAY]",
        ),
        "end": (
            "complete", "recorded", "eof[@POS]", "incomplete[@POS]", "reset[@POS]", "stall[@POS[:30s]]",
        ),
        "framing": ("chunked", "length", "close"),
        "edit": (
            "lf", "crlf", "cr", "bom", "nospace", "multiline", "comments[:N]", "drop@event:N", "dup@event:N",
            "flip@POS", "utf8@POS", "insert@POS:TEXT", "gzip", "br", "zstd", "deflate",
        ),
        "POS": (
            "N", "byte:N", "event:N", "line:N", "start", "end", "terminal", "mid:codepoint", "mid:crlf", "mid:event",
        ),
    }  # fmt: skip
    assert [Plan.parse(f"framing={each}").framing for each in Framing] == ["chunked", "length", "close"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b": ping\n\n", ": ping%0A%0A"),
        (b"a,b;c%d", "a%2Cb%3Bc%25d"),
        ("é\u2028".encode(), "%C3%A9%E2%80%A8"),
        (b"\x00\x1f\x7f\xff", "%00%1F%7F%FF"),
        (b"ends with a space ", "ends with a space%20"),
    ],
)
def test_text_is_percent_encoded(data: bytes, text: str) -> None:
    """What the grammar itself uses, controls, and everything beyond ASCII."""
    assert percent_encoded(data) == text


TERMS = "use chunks=, delay=, end=, framing=, edit="
CHUNKS = "use whole, recorded, bytes:N, at:POS[,POS...], events[:N], lines[:N], random:PARTS,SEED, hostile"
DELAYS = "use none, recorded[*X], fixed:20ms, uniform:LO,HI,SEED, rate:N/s, ttft:200ms[+DELAY]"
ENDS = "use complete, recorded, eof[@POS], incomplete[@POS], reset[@POS], stall[@POS[:30s]]"
EDITS = (
    "use lf, crlf, cr, bom, nospace, multiline, comments[:N], drop@event:N, dup@event:N, flip@POS, utf8@POS, "
    "insert@POS:TEXT, gzip, br, zstd, deflate"
)
PLACE = (
    "use N, byte:N, event:N, line:N (N may be negative: all but the last N), start, end, terminal, mid:codepoint, "
    "mid:crlf, mid:event"
)
COUNT = "needs a whole number of at least 1"
DURATION = "is not a duration: write a number and its unit, 20ms or 1.5s"
ESCAPED = "in TEXT, write , ; % and what is not printable ASCII as %2C, and a space at its end as %20"
INSERT = "needs a place and a text: insert@event:2:%3A ping%0A%0A"
LONG = "; a number has at most"
EVENT = "needs an event, counted from 1, -1 the last: @event:2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bytes:1", f"'bytes:1' is not a term: {TERMS}"),
        ("speed=3", f"'speed=3' is not a term: {TERMS}"),
        ("chunks=at:-" + "9" * 19, f"chunks=at:-{'9' * 19}: '-{'9' * 19}' is not a place: {PLACE}{LONG} 18 digits"),
        ("delay=recorded*1000000000", f"delay=recorded*1000000000: needs a factor: recorded*0.5{LONG} 9 digits"),
        ("edit=drop@event:-" + "9" * 19, f"edit=drop@event:-{'9' * 19}: {EVENT}{LONG} 18 digits"),
        ("edits=crlf", f"'edits=crlf' is not a term: {TERMS}"),
        ("chunks=whole; chunks=whole", "'chunks=whole': chunks= is there twice; each term at most once"),
        ("edit=lf; edit=bom", "'edit=bom': edit= is there twice; each term at most once"),
        ("chunks=bytes:1, delay=fixed:20ms", "delay= is a term of its own: it stands after a ;, not after a comma"),
        ("edit=crlf,end=eof@3", "end= is a term of its own: it stands after a ;, not after a comma"),
        # chunks
        ("chunks=pieces", f"chunks=pieces: unknown; {CHUNKS}"),
        ("chunks=", f"chunks=: unknown; {CHUNKS}"),
        ("chunks=Whole", f"chunks=Whole: unknown; {CHUNKS}"),
        ("chunks=bytes", f"chunks=bytes: {COUNT}"),
        ("chunks=bytes:", f"chunks=bytes:: {COUNT}"),
        ("chunks=bytes:0", f"chunks=bytes:0: {COUNT}"),
        ("chunks=bytes:-1", f"chunks=bytes:-1: {COUNT}"),
        ("chunks=bytes:1.5", f"chunks=bytes:1.5: {COUNT}"),
        ("chunks=bytes:٣", f"chunks=bytes:٣: {COUNT}"),
        ("chunks=bytes:" + "9" * 19, f"chunks=bytes:{'9' * 19}: {COUNT}{LONG} 18 digits"),
        ("chunks=bytes:" + "9" * 5000, f"chunks=bytes:{'9' * 5000}: {COUNT}{LONG} 18 digits"),
        ("chunks=whole:1", "chunks=whole:1: takes nothing after it"),
        ("chunks=whole:", "chunks=whole:: takes nothing after it"),
        ("chunks=recorded*2", "chunks=recorded*2: takes nothing after it"),
        ("chunks=hostile:2", "chunks=hostile:2: takes nothing after it"),
        ("chunks=events:0", f"chunks=events:0: {COUNT}"),
        ("chunks=events:", f"chunks=events:: {COUNT}"),
        ("chunks=lines:x", f"chunks=lines:x: {COUNT}"),
        ("chunks=random:3", "chunks=random:3: needs PARTS,SEED: random:5,1"),
        ("chunks=random", "chunks=random: needs PARTS,SEED: random:5,1"),
        ("chunks=random:0,1", f"chunks=random:0,1: {COUNT}"),
        ("chunks=random:3,-1", "chunks=random:3,-1: needs PARTS,SEED: random:5,1"),
        ("chunks=random:3,1,2", "chunks=random:3,1,2: needs PARTS,SEED: random:5,1"),
        ("chunks=at", "chunks=at: needs places: at:137 or at:event:1,-2"),
        ("chunks=at:x", f"chunks=at:x: 'x' is not a place: {PLACE}"),
        ("chunks=at:", f"chunks=at:: '' is not a place: {PLACE}"),
        ("chunks=at:3,", f"chunks=at:3,: '' is not a place: {PLACE}"),
        ("chunks=at:event:", f"chunks=at:event:: 'event:' is not a place: {PLACE}"),
        ("chunks=at:+3", f"chunks=at:+3: '+3' is not a place: {PLACE}"),
        ("chunks=at:mid:word", f"chunks=at:mid:word: 'mid:word' is not a place: {PLACE}"),
        ("chunks=at:head", "chunks=at:head: 'head' is a place for end= only"),
        # delay
        ("delay=20ms", f"delay=20ms: unknown; {DELAYS}"),
        ("delay=", f"delay=: unknown; {DELAYS}"),
        ("delay=none:1s", "delay=none:1s: takes nothing after it"),
        ("delay=fixed", "delay=fixed: needs a duration: fixed:20ms"),
        ("delay=fixed:20", f"delay=fixed:20: '20' {DURATION}"),
        ("delay=fixed:-1s", f"delay=fixed:-1s: '-1s' {DURATION}"),
        ("delay=fixed:1m", f"delay=fixed:1m: '1m' {DURATION}"),
        ("delay=fixed:1e3s", f"delay=fixed:1e3s: '1e3s' {DURATION}"),
        ("delay=fixed:9999999999s", f"delay=fixed:9999999999s: '9999999999s' {DURATION}{LONG} 9 digits"),
        ("delay=recorded*x", "delay=recorded*x: needs a factor: recorded*0.5"),
        ("delay=recorded*-1", "delay=recorded*-1: needs a factor: recorded*0.5"),
        ("delay=recorded:2", "delay=recorded:2: needs a factor: recorded*0.5"),
        ("delay=uniform:1ms", "delay=uniform:1ms: needs LO,HI,SEED: uniform:5ms,80ms,1"),
        ("delay=uniform:1ms,2ms,x", "delay=uniform:1ms,2ms,x: needs LO,HI,SEED: uniform:5ms,80ms,1"),
        ("delay=uniform:1ms,2,3", f"delay=uniform:1ms,2,3: '2' {DURATION}"),
        ("delay=uniform:2ms,1ms,3", "delay=uniform:2ms,1ms,3: needs LO no longer than HI"),
        ("delay=rate:50", "delay=rate:50: needs chunks a second: rate:50/s"),
        ("delay=rate:0/s", "delay=rate:0/s: needs chunks a second: rate:50/s"),
        ("delay=rate:x/s", "delay=rate:x/s: needs chunks a second: rate:50/s"),
        ("delay=ttft", "delay=ttft: needs a duration: ttft:200ms"),
        ("delay=ttft:200", f"delay=ttft:200: '200' {DURATION}"),
        ("delay=ttft:1s+ttft:1s", "delay=ttft:1s+ttft:1s: needs another delay than ttft after the +"),
        (
            "delay=ttft:1s+slow",
            "delay=ttft:1s+slow: delay=slow: unknown; use none, recorded[*X], fixed:20ms, uniform:LO,HI,SEED, rate:N/s",
        ),
        ("delay=fixed:20ms+ttft:1s", f"delay=fixed:20ms+ttft:1s: '20ms+ttft:1s' {DURATION}"),
        # end
        ("end=abort", f"end=abort: unknown; {ENDS}"),
        ("end=complete@3", "end=complete@3: takes nothing after it"),
        ("end=recorded@3", "end=recorded@3: takes nothing after it"),
        ("end=eof:3", "end=eof:3: needs @ before a place: @event:3"),
        ("end=eof@", f"end=eof@: '' is not a place: {PLACE}, head"),
        ("end=eof@x", f"end=eof@x: 'x' is not a place: {PLACE}, head"),
        ("end=reset@3:1s", f"end=reset@3:1s: '3:1s' is not a place: {PLACE}, head"),
        ("end=incomplete@3@4", f"end=incomplete@3@4: '3@4' is not a place: {PLACE}, head"),
        ("end=stall@3:1", f"end=stall@3:1: '1' {DURATION}"),
        ("end=stall@3:", f"end=stall@3:: '' {DURATION}"),
        ("end=stall:30s", "end=stall:30s: needs @ before a place: @event:3"),
        ("end=stall@30s", f"end=stall@30s: '30s' is not a place: {PLACE}, head"),
        # framing
        ("framing=gzip", "framing=gzip: unknown; use chunked, length, close"),
        ("framing=", "framing=: unknown; use chunked, length, close"),
        # edit
        ("edit=upper", f"edit=upper: unknown; {EDITS}"),
        ("edit=", f"edit=: unknown; {EDITS}"),
        ("edit=lf,,bom", f"edit=: unknown; {EDITS}"),
        ("edit=bom:1", "edit=bom:1: takes nothing after it"),
        ("edit=gzip:9", "edit=gzip:9: takes nothing after it"),
        ("edit=comments:0", f"edit=comments:0: {COUNT}"),
        ("edit=drop", f"edit=drop: {EVENT}"),
        ("edit=drop@3", f"edit=drop@3: {EVENT}"),
        ("edit=drop@event:0", f"edit=drop@event:0: {EVENT}"),
        ("edit=dup@line:1", f"edit=dup@line:1: {EVENT}"),
        ("edit=flip", "edit=flip: needs a place: flip@6"),
        ("edit=flip@x", f"edit=flip@x: 'x' is not a place: {PLACE}"),
        ("edit=utf8", "edit=utf8: needs a place: utf8@6"),
        ("edit=utf8@head", "edit=utf8@head: 'head' is a place for end= only"),
        ("edit=insert", f"edit=insert: {INSERT}"),
        ("edit=insert@3", f"edit=insert@3: {INSERT}"),
        ("edit=insert@3:", f"edit=insert@3:: {INSERT}"),
        ("edit=insert@x:y", f"edit=insert@x:y: 'x:y' is not a place: {PLACE}"),
        ("edit=insert@head:y", "edit=insert@head:y: 'head' is a place for end= only"),
        ("edit=insert@3:50%", f"edit=insert@3:50%: {ESCAPED}"),
        ("edit=insert@3:%4", f"edit=insert@3:%4: {ESCAPED}"),
        ("edit=insert@3:é", f"edit=insert@3:é: {ESCAPED}"),
        ("edit=insert@3:a\tb", f"edit=insert@3:a\tb: {ESCAPED}"),
        ("edit=gzip,crlf", "edit=gzip,crlf: gzip comes last, and there is at most one encoding"),
        ("edit=gzip,br", "edit=gzip,br: gzip comes last, and there is at most one encoding"),
    ],
)
def test_what_is_not_in_the_grammar(text: str, message: str) -> None:
    """The error points at the term and lists what is allowed there; it is a ValueError."""
    with pytest.raises(PlanError) as caught:
        Plan.parse(text)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)
    assert caught.value.__cause__ is None


def test_a_space_at_the_end_of_a_text_is_seen() -> None:
    """It would be lost when the plan is written and read again."""
    with pytest.raises(PlanError) as caught:
        Plan(edits=("insert@0:x ",))
    assert str(caught.value) == f"edit=insert@0:x : {ESCAPED}"
    assert Plan(edits=("insert@0: x%20",)) == Plan.parse("edit=insert@0: x%20")


@pytest.mark.parametrize("text", [5, None, b"chunks=whole"])
def test_a_text_that_is_none_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match=f"a plan is written as a str, not {type(text).__name__}"):
        Plan.parse(text)
