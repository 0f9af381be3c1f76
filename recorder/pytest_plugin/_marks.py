"""What a test's marks say, and where its cassette is.

Rule: the nearest mark wins: the function's, its class's, its module's. What a mark says wrongly stops the collection,
with the test's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recorder.pytest_plugin._names import default_path, named_path
from recorder.pytest_plugin._options import record_mode, setting

CASSETTE, PARTITIONS = "sse_cassette", "sse_partitions"
_PASSED_ON = ("match_on", "ignore", "allow_playback_repeats", "sanitizer", "clock")
_ALLOWED = ("allow_unplayed", "allow_open", "allow_misses")
_KNOWN = ("plan", "mode", *_ALLOWED, *_PASSED_ON)


@dataclass(frozen=True, slots=True)
class Use:
    """How a test uses its cassette.

    Attributes:
        path: the file; it need not be there.
        mode: the record mode in force.
        plan: how its event streams are delivered, as `use_cassette` takes it.
        allow_unplayed, allow_open, allow_misses: what does not fail the test.
        options: the other options of `use_cassette`.
    """

    path: Path
    mode: str
    plan: Any = None
    allow_unplayed: bool = False
    allow_open: bool = False
    allow_misses: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def is_marked(item: pytest.Item) -> bool:
    """Whether the test, its class or its module has the mark."""
    return item.get_closest_marker(CASSETTE) is not None


def use_of(item: pytest.Item) -> Use:
    """How `item` uses its cassette, marked or not.

    Raises:
        pytest.UsageError: a mark says what is not known.
    """
    config = item.config
    mark = item.get_closest_marker(CASSETTE)
    name, given = _read(item, mark)
    mode = record_mode(config, given.pop("mode", None), f"{item.nodeid}: @pytest.mark.{CASSETTE}: ")
    allow = {
        key: given.pop(key, None) if given.get(key) is not None else setting(config, f"sse_{key}", False)
        for key in _ALLOWED
    }
    given = {key: value for key, value in given.items() if value is not None}
    return Use(_path(item, name), mode, given.pop("plan", None), **allow, options=given)


def folder_of(config: pytest.Config, module: Path) -> Path:
    """The folder of cassettes beside a test module."""
    return module.parent / str(setting(config, "sse_cassettes", "cassettes"))


def _read(item: pytest.Item, mark: pytest.Mark | None) -> tuple[str | Path | None, dict[str, Any]]:
    if mark is None:
        return None, {}
    unknown = sorted(set(mark.kwargs) - {*_KNOWN, "name"})
    if unknown or len(mark.args) > 1 or (mark.args and "name" in mark.kwargs):
        what = f"{', '.join(unknown)} is not known" if unknown else "it takes one name"
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{CASSETTE}: {what}; options: {', '.join(_KNOWN)}")
    given = dict(mark.kwargs)
    name = mark.args[0] if mark.args else given.pop("name", None)
    if name is not None and not isinstance(name, str | Path):
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.{CASSETTE}: the name is {name!r}: a file name, please")
    return name, given


def _path(item: pytest.Item, name: str | Path | None) -> Path:
    folder = folder_of(item.config, item.path)
    if name is not None:
        return named_path(name, item.path, folder, item.config.rootpath)
    within = item.nodeid.partition("::")[2].replace("::", ".") or item.name
    return default_path(folder, item.path.stem, within)
