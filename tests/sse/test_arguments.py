"""Wrong arguments: each raises at the call, with its name, the bad value and what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from recorder.sse import EventStreamParser, Limit


@pytest.mark.parametrize("name", ["max_line", "max_event", "max_event_name", "max_events", "max_bytes"])
@pytest.mark.parametrize(
    ("value", "error"),
    [(-7, ValueError), (1.25, TypeError), ("sixty", TypeError), (True, TypeError), ([3], TypeError)],
    ids=repr,
)
def test_wrong_limit_is_echoed(name: str, value: Any, error: type[Exception]) -> None:
    """The message has the argument's name and the bad value."""
    with pytest.raises(error) as raised:
        EventStreamParser(**{name: value})
    assert repr(value) in str(raised.value)
    if value != -7:
        assert name in str(raised.value)


@pytest.mark.parametrize("value", ["ignore", "STRICT", "", None, 5], ids=repr)
def test_wrong_policy_is_echoed(value: Any) -> None:
    """utf8 is one of two words."""
    with pytest.raises((ValueError, TypeError)) as raised:
        EventStreamParser(utf8=value)
    for word in ("utf8", repr(value), "replace", "strict"):
        assert word in str(raised.value)


def test_wrong_callback_is_echoed() -> None:
    """on_comment is callable or None."""
    with pytest.raises(TypeError, match=r"on_comment.*'print'"):
        EventStreamParser(on_comment="print")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["max_events", "max_bytes"])
def test_counts_have_no_unit(name: str) -> None:
    """A number of events or of fed bytes is an int, not a Limit."""
    with pytest.raises(TypeError, match=name):
        EventStreamParser(**{name: Limit(3)})  # type: ignore[arg-type]


def test_options_are_keywords() -> None:
    """Nothing is positional."""
    with pytest.raises(TypeError):
        EventStreamParser("strict")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "error", "shown"),
    [
        ({"n": -1}, ValueError, "-1"),
        ({"n": 1.5}, TypeError, "1.5"),
        ({"n": "3"}, TypeError, "'3'"),
        ({"n": True}, TypeError, "True"),
        ({"n": 1, "unit": "chars"}, ValueError, "'chars'"),
        ({"n": 1, "per_line": -2}, ValueError, "-2"),
        ({"n": 1, "per_line": None}, TypeError, "None"),
        ({"n": 1, "counts": "all"}, ValueError, "'all'"),
    ],
    ids=str,
)
def test_wrong_limit_arguments_are_echoed(arguments: dict[str, Any], error: type[Exception], shown: str) -> None:
    """Limit checks itself."""
    with pytest.raises(error) as raised:
        Limit(**arguments)
    assert shown in str(raised.value)


def test_limit_is_a_value() -> None:
    """Frozen, comparable, hashable, with the defaults of the interface."""
    assert Limit(5) == Limit(5, "bytes", 0, "lines")
    assert hash(Limit(5)) == hash(Limit(5, unit="bytes"))
    with pytest.raises(AttributeError):
        Limit(5).n = 6  # type: ignore[misc]
