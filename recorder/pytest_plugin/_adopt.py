"""Tests marked `vcr`, as pytest-recording and pytest-vcr have them: left alone, or taken over.

Rule: one test has one cassette. With `sse_adopt_vcr = true` a `vcr` mark means ours: the same file, which then streams
and is sanitized; without it, both marks on one test are an error.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from recorder.pytest_plugin._marks import CASSETTE, Use, is_marked
from recorder.pytest_plugin._options import record_mode

ADOPTED = pytest.StashKey[bool]()

_FORBIDDEN = re.compile(r"[<>?%*:|\"'/\\]")  # as pytest-recording names its files
_SAME = ("match_on", "allow_playback_repeats")
_OTHER_CASES = {"record_mode": "mode"}


def both_marks(item: pytest.Function) -> None:
    """Raises:
    pytest.UsageError: the test has our mark and a `vcr` one.
    """
    if is_marked(item) and item.get_closest_marker("vcr") is not None:
        raise pytest.UsageError(
            f"{item.nodeid}: marked both {CASSETTE} and vcr: one test has one cassette; take one mark away, or set "
            "sse_adopt_vcr = true to have the vcr marks taken over"
        )


def adopt(item: pytest.Function) -> None:
    """Make the test's `vcr` mark ours."""
    mark = item.get_closest_marker("vcr")
    if mark is None:
        return
    for node in item.listchain():
        node.own_markers[:] = [each for each in node.own_markers if each.name != "vcr"]
    if is_marked(item):
        return
    item.stash[ADOPTED] = True
    given: dict[str, Any] = {name: mark.kwargs[name] for name in _SAME if name in mark.kwargs}
    given |= {ours: str(mark.kwargs[name]) for name, ours in _OTHER_CASES.items() if name in mark.kwargs}
    if "mode" not in given:
        given["mode"] = _recording_mode(item.config)
    named = item.get_closest_marker("default_cassette")
    name = str(named.args[0]) if named and named.args else _name(item)
    name = name if name.endswith((".yaml", ".yml")) else name + ".yaml"
    item.add_marker(getattr(pytest.mark, CASSETTE)(f"{item.path.stem}/{name}", **given))


def with_their_configuration(use: Use, request: pytest.FixtureRequest) -> Use:
    """What the suite's `vcr_config` fixture says too, for a test that was taken over; its mark wins over it."""
    if not request.node.stash.get(ADOPTED, False):
        return use
    try:
        config = request.getfixturevalue("vcr_config")
    except pytest.FixtureLookupError:
        return use
    options = {name: config[name] for name in _SAME if name in config} | dict(use.options)
    mark = request.node.get_closest_marker(CASSETTE)
    mode = mark.kwargs.get("mode") or config.get("record_mode")
    return replace(use, options=options, mode=record_mode(request.config, mode and str(getattr(mode, "value", mode))))


def _name(item: pytest.Function) -> str:
    name = f"{item.cls.__name__}.{item.name}" if item.cls else item.name
    return _FORBIDDEN.sub("-", name)


def _recording_mode(config: pytest.Config) -> str | None:
    """What pytest-recording's own option says, where it is installed."""
    try:
        mode = config.getoption("--record-mode")
    except ValueError:
        return None
    return None if mode is None else str(mode)
