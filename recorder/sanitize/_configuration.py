"""`[tool.recorder]` of a `pyproject.toml`: how a project changes the rules.

Rule: what is not known is an error, since a misspelled key would let something through. Tables of other names are other
parts' business. Nothing secret is in a configuration: it names environment variables.

    [tool.recorder]
    secret-env = ["OPENAI_API_KEY"]
    text = "shape"
    without = ["ip-address"]
    request-headers = ["user-agent"]

    [[tool.recorder.rules]]
    name = "employee"
    pattern = 'EMP-[0-9]{6}'
    members = ["$..badge"]
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from recorder.sanitize._rule import HeaderAction, Rule

_LISTS = ("secret-env", "without", "request-headers", "response-headers", "query")
_KEYS = (*_LISTS, "text", "rules")
_RULE_TEXTS = ("name", "what", "kind", "pattern", "header-action")
_RULE_LISTS = ("members", "headers", "anchors")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project says.

    Attributes:
        where: the file.
        allow: what the allowlists take in addition, by the names of `Sanitizer.allowing`.
    """

    where: str = ""
    secret_env: tuple[str, ...] = ()
    text: Literal["keep", "shape"] | None = None
    without: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    allow: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def nearest_configuration(start: Path | None = None) -> Configuration | None:
    """Of the nearest `pyproject.toml` at or above `start` (the working directory); None when there is none."""
    folder = (start or Path.cwd()).absolute()
    for each in (folder, *folder.parents):
        if (each / "pyproject.toml").is_file():
            return read_configuration(each / "pyproject.toml")
    return None


def read_configuration(path: str | os.PathLike[str]) -> Configuration:
    """Of one file.

    Raises:
        ValueError: it is not TOML, or `[tool.recorder]` holds what is not known.
        OSError: it cannot be read.
    """
    where = os.fspath(path)
    try:
        document = tomllib.loads(Path(path).read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where}: not TOML: it is not UTF-8") from None
    try:
        return _configuration(where, _table(document, "tool", "recorder"))
    except ValueError as error:
        raise ValueError(f"{where}: [tool.recorder]: {error}") from None


def _table(document: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        document = document.get(name, {})
        if not isinstance(document, Mapping):
            raise ValueError("not a table")
    return document


def _configuration(where: str, table: Mapping[str, Any]) -> Configuration:
    unknown = [name for name, value in table.items() if name not in _KEYS and not isinstance(value, Mapping)]
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} is not known: one of {', '.join(_KEYS)}")
    lists = {name: _texts(table, name) for name in _LISTS}
    text = table.get("text")
    if text not in (None, "keep", "shape"):
        raise ValueError('text is neither "keep" nor "shape"')
    rules = table.get("rules", [])
    if not isinstance(rules, list):
        raise ValueError("rules is not a list: write [[tool.recorder.rules]]")
    allow = {name.replace("-", "_"): lists[name] for name in ("request-headers", "response-headers", "query")}
    return Configuration(where, lists["secret-env"], text, lists["without"], tuple(map(_rule, rules)), allow)


def _texts(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} is not a list of texts")
    return tuple(value)


def _rule(table: Any) -> Rule:
    if not isinstance(table, Mapping):
        raise ValueError("a rule is not a table: write [[tool.recorder.rules]]")
    unknown = [name for name in table if name not in (*_RULE_TEXTS, *_RULE_LISTS, "everywhere")]
    if unknown:
        known = ", ".join((*_RULE_TEXTS, *_RULE_LISTS, "everywhere"))
        raise ValueError(f"a rule has {', '.join(sorted(unknown))}, which is not known: one of {known}")
    texts = {name: table.get(name, "") for name in _RULE_TEXTS}
    if not all(isinstance(value, str) for value in texts.values()):
        raise ValueError("a rule has a value that is not a text")
    return Rule(
        name=texts["name"],
        what=texts["what"],
        kind=texts["kind"],
        pattern=texts["pattern"],
        header_action=HeaderAction(texts["header-action"] or HeaderAction.STAND_IN),
        members=_texts(table, "members"),
        headers=_texts(table, "headers"),
        anchors=_texts(table, "anchors"),
        everywhere=bool(table.get("everywhere", False)),
    )
