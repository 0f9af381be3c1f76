"""What a user may say: command line options, ini options, and `[tool.recorder.pytest]` of pyproject.toml.

Rule: the command line wins over a mark, a mark over the ini file, the ini file over pyproject.toml. All names begin
with `sse`, so that they are nobody else's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

MODES = ("none", "once", "new_episodes", "all", "rewrite")
_TABLE = {
    "record": "sse_record",
    "cassettes": "sse_cassettes",
    "block-network": "sse_block_network",
    "allow-unplayed": "sse_allow_unplayed",
    "allow-open": "sse_allow_open",
    "allow-misses": "sse_allow_misses",
    "adopt-vcr": "sse_adopt_vcr",
}
_TABLE_KEY = pytest.StashKey[Mapping[str, Any]]()


def add_options(parser: pytest.Parser) -> None:
    """Register them all."""
    group = parser.getgroup("sse-recorder", "recorded event streams (sse-recorder)")
    group.addoption(
        "--sse-record",
        choices=MODES,
        help="record mode of marked tests: none (default) never makes a request; once records where no file is; "
        "new_episodes, all and rewrite as in vcrpy and pytest-recording",
    )
    group.addoption("--sse-plan", metavar="PLAN", help="deliver every marked test's streams by this plan, and only it")
    group.addoption(
        "--sse-block-network", action="store_true", help="refuse every socket but loopback and Unix domain sockets"
    )
    group.addoption("--sse-show-text", action="store_true", help="failure reports may show more of a stream's text")
    group.addoption("--sse-unused", action="store_true", help="list the cassettes that no collected test names")
    parser.addini("sse_record", "record mode of marked tests, as --sse-record", default=None)
    parser.addini("sse_cassettes", "the folder beside a test module that holds its cassettes (cassettes)", default=None)
    parser.addini("sse_block_network", "as --sse-block-network", type="bool", default=None)
    parser.addini(
        "sse_allow_unplayed",
        "a recorded interaction that was not played does not fail a test",
        type="bool",
        default=None,
    )
    parser.addini(
        "sse_allow_misses", "a request that was refused and caught does not fail a test", type="bool", default=None
    )
    parser.addini("sse_allow_open", "a response that was left open does not fail a test", type="bool", default=None)
    parser.addini(
        "sse_adopt_vcr", "tests marked `vcr` stream and are sanitized: they are taken over", type="bool", default=None
    )


def setting(config: pytest.Config, name: str, default: Any) -> Any:
    """What the ini file says, else pyproject.toml's table, else `default`.

    Raises:
        pytest.UsageError: the table holds what is not known, or a value of another type.
    """
    given = config.getini(name)
    if given is not None:
        return given
    value = _table(config).get(name, default)
    if not isinstance(value, type(default)):
        raise pytest.UsageError(f"[tool.recorder.pytest]: {name} is {value!r}: {type(default).__name__} would be right")
    return value


def record_mode(config: pytest.Config, marked: str | None, where: str = "") -> str:
    """The record mode in force, given what the mark says, and where that stands.

    Raises:
        pytest.UsageError: it is none of `MODES`.
    """
    mode = config.getoption("--sse-record") or marked or setting(config, "sse_record", "none")
    if str(mode) not in MODES:
        raise pytest.UsageError(
            f"{where if mode == marked else ''}record mode {mode!r}: one of {', '.join(MODES)} would be right"
        )
    return str(mode)


def check_plan(config: pytest.Config) -> None:
    """Look at the plan of the command line once, and not in every test.

    Raises:
        pytest.UsageError: it is none.
    """
    given = config.getoption("--sse-plan")
    if not given:
        return
    from recorder.plans import Plan

    try:
        Plan.parse(given)
    except ValueError as error:
        raise pytest.UsageError(f"--sse-plan: {error}") from None


def _table(config: pytest.Config) -> Mapping[str, Any]:
    known = config.stash.get(_TABLE_KEY, None)
    if known is None:
        known = config.stash[_TABLE_KEY] = _read(config.rootpath / "pyproject.toml")
    return known


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise pytest.UsageError(f"{path}: not TOML: {error}") from None
    table = document.get("tool", {}).get("recorder", {}).get("pytest", {})
    unknown = sorted(set(table) - set(_TABLE))
    if unknown:
        raise pytest.UsageError(
            f"{path}: [tool.recorder.pytest]: {', '.join(unknown)} is not known: one of {', '.join(_TABLE)}"
        )
    return {_TABLE[name]: value for name, value in table.items()}
