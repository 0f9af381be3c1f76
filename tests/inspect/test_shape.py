"""The shape of a payload: members and types, and the few words that belong to the protocol."""

from __future__ import annotations

import json

import pytest

from recorder.inspect._shape import numbers, shape, shape_of_event, shape_of_text
from recorder.sse import Event


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"b": 1, "a": "x"}', ("a: string", "b: number")),
        ('{"a": [{"b": null}, {"b": "x", "c": true}]}', ("a[].b: null", "a[].b: string", "a[].c: boolean")),
        ('{"a": [], "b": {}, "c": [[1]]}', ("a: []", "b: {}", "c[][]: number")),
        ('{"finish_reason": "stop", "text": "stop"}', ('finish_reason: "stop"', "text: string")),
        ('{"type": "not a word of a protocol"}', ("type: string",)),
        ('{"jsonrpc": "2.0", "type": ["a"]}', ('jsonrpc: "2.0"', 'type[]: "a"')),
        ("12", ("$: number",)),
        ("[]", ("$: []",)),
        ("{", ("not JSON",)),
        ("", ("not JSON",)),
        ("1" * 5000, ("$: number",)),
        ("[" * 100_000, ("not JSON",)),
    ],
)
def test_shape(text: str, lines: tuple[str, ...]) -> None:
    """What a text says is not in it; order and repetition do not matter."""
    assert shape_of_text(text) == lines


def test_what_is_deep_ends() -> None:
    """Without a RecursionError, whatever the depth."""
    deep = json.loads("[" * 500 + "]" * 500)
    assert shape(deep) == ("[]" * 64 + ": deeper",)
    assert list(numbers(deep)) == []


@pytest.mark.parametrize(
    ("data", "lines"),
    [("[DONE]", ("[DONE]",)), ("DONE", ("DONE",)), ("done", ("not JSON",)), ("[1]", ("[]: number",))],
)
def test_a_marker_is_a_shape_of_its_own(data: str, lines: tuple[str, ...]) -> None:
    """Text that is no JSON otherwise has one shape, whatever it says."""
    assert shape_of_event(Event("message", data, "")) == lines


def test_numbers_have_their_path() -> None:
    """Booleans are none."""
    assert list(numbers({"a": 1, "b": {"c": [2.5, True]}, "d": None})) == [("a", 1), ("b.c[0]", 2.5)]
