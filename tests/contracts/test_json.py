"""Strict JSON with a depth limit: held to Python's decoder where both decide, to the RFC where it is laxer."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder.contracts import _json
from recorder.contracts._json import NOT_JSON, decode, depth
from recorder.contracts._typed import is_surely_within

VALID = [
    ("0", 0),
    ("-0", 0),
    (" \t\r\n1 ", 1),
    ("1e999", float("inf")),
    ("-1E+2", -100.0),
    ('"\\ud83d"', "\ud83d"),
    ('"\\ud83d\\ude80"', "🚀"),
    ('"\\u0000\\/\\b\\f\\n\\r\\t\\"\\\\"', '\0/\b\f\n\r\t"\\'),
    ('"\u2028\x7f"', "\u2028\x7f"),
    ('{"a":1,"a":2}', {"a": 2}),
    ('{"\\u0061":1}', {"a": 1}),
    ("[[],{},[null,true,false]]", [[], {}, [None, True, False]]),
    ('{"a":{"b":[1,{"c":"d"}]},"e":[]}', {"a": {"b": [1, {"c": "d"}]}, "e": []}),
    ("9" * 5000, float("inf")),
]
INVALID = [
    *("", " ", "[", "]", "{", "}", ",", ":", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{,}", '{"a"}', '{"a":}'),
    *('{"a":1,}', '{"a" 1}', '{"a":1 "b":2}', "{1:2}", "{a:1}", "{'a':1}", '{"a":1]', "[1}", "1 2", "[] []", '"', '"a'),
    *("01", "-", "-01", "+1", ".5", "1.", "1.e5", "1e", "1e+", "0x1", "1_0", "١", "tru", "nulL", "True", "undefined"),
    *('"\x00"', '"\x1f"', '"\n"', '"\t"', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\U00000041"', "'a'", "\ufeff1", "\xa01"),
    *("NaN", "Infinity", "-Infinity", "[NaN]", "// c\n1", "/* */1", "[1]x", "\v1", "1\f", '{"a":{"b":}', "[[]"),
]


@pytest.fixture(params=["as it comes", "without recursion"])
def decoder(request, monkeypatch):
    """`decode` as it is, and with every text taken for a deep one."""
    if request.param == "without recursion":
        monkeypatch.setattr(_json, "_RECURSES_SAFELY", -1)
    return decode


@pytest.mark.parametrize(("text", "value"), VALID)
def test_valid(decoder, text: str, value: Any) -> None:
    """RFC 8259, lone surrogate escapes and numbers of any size included; of duplicates the last wins."""
    assert decoder(text, 64) == value


@pytest.mark.parametrize("text", INVALID)
def test_invalid(decoder, text: str) -> None:
    """No value, and no exception."""
    assert decoder(text, 64) is NOT_JSON


@pytest.mark.parametrize(("text", "kind"), [("NaN", float), ("[Infinity]", list), ("-Infinity", float)])
def test_constants_where_they_pass(decoder, text: str, kind: type) -> None:
    """One source lets Python's constants pass."""
    assert isinstance(decoder(text, 64, constants=True), kind)


def test_what_python_refuses_where_its_constants_pass(decoder) -> None:
    """4,300 digits convert, 4,301 do not."""
    assert decoder("9" * 4300, 64, constants=True) == 10**4300 - 1
    assert decoder("9" * 4301, 64, constants=True) is NOT_JSON


@pytest.mark.parametrize("pair", ["[]", "{}"])
@pytest.mark.parametrize("limit", [1, 32, 64, 65, 512])
def test_depth_limit(pair: str, limit: int) -> None:
    """N open brackets pass, N + 1 do not; brackets inside a string do not count."""
    opening = "[" if pair == "[]" else '{"[{":'
    text = opening * limit + "0" + pair[1] * limit
    assert decode(text, limit) is not NOT_JSON
    assert decode(text, limit - 1) is NOT_JSON
    assert depth(text) == limit


@pytest.mark.parametrize(
    "text", ["[" * 300_000, '{"a":' * 100_000, "[" * 200_000 + "]" * 200_000, '["' + "\\" * 99_999]
)
def test_no_text_makes_it_raise(text: str) -> None:
    """Hostile nesting is refused before anything recurses."""
    assert decode(text, 512) is NOT_JSON


def test_a_full_stack_changes_nothing() -> None:
    """A caller deep in its own recursion gets the value, not a RecursionError."""

    def deep(levels: int) -> Any:
        return deep(levels - 1) if levels else decode(text, 512)

    text = "[" * 400 + "]" * 400
    used = len(__import__("inspect").stack(0))
    assert deep(sys.getrecursionlimit() - used - 60) == decode(text, 512)


_JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=20,
)


@given(_JSON_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_value_comes_back(value: Any, indent: int | None, ascii_only: bool) -> None:
    """With and without recursion, with and without white space and escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert decode(text, 64) == value
    assert _json._decode_iteratively(text, False) == value


@given(st.text(alphabet='[]{}",:0-.eE1\\u nt', max_size=30))
def test_near_json_is_judged_as_python_does(text: str) -> None:
    """The recursive and the iterative decoder refuse the same texts."""
    try:
        expected = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        expected = NOT_JSON
    assert decode(text, 64) == expected
    assert _json._decode_iteratively(text, False) == expected


_NESTED = st.recursive(
    st.just(0),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from("ab"), inside, max_size=2),
    max_leaves=40,
)


@given(_NESTED, st.integers(1, 12))
def test_what_is_surely_within_is_within(value: Any, limit: int) -> None:
    """The quick bound never lets a deeper text pass."""
    text = json.dumps(value, separators=(",", ":"))
    if is_surely_within(text, limit):
        assert depth(text) <= limit


def nested(pattern: str, levels: int) -> str:
    """The shortest JSON text that opens arrays and objects in this pattern, so many levels deep."""
    text = ""
    for kind in reversed((pattern * levels)[:levels]):
        text = f"[{text}]" if kind == "[" else f'{{"":{text}}}' if text else "{}"
    return text


@pytest.mark.parametrize("pattern", ["[", "{", "[{", "{[", "{[[", "[{{"])
@pytest.mark.parametrize("limit", [32, 64, 128, 512])
def test_the_shortest_deep_texts_are_not_surely_within(pattern: str, limit: int) -> None:
    """The densest nestings there are: one level more than the limit is always noticed."""
    text = nested(pattern, limit + 1)
    assert (decode(text, limit), depth(text)) == (NOT_JSON, limit + 1)
    assert not is_surely_within(text, limit)
