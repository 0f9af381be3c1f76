"""One value of a cassette out of a YAML node, checked, or the error that names its line.

Rule: a value is taken for what it resolves to in YAML 1.1, as vcrpy takes it; no message holds the value itself. Not
known here: which values a cassette has.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from math import isfinite
from typing import Any

from recorder.cassette._yaml import MAP_TAG, NO_CHARACTER, SEQ_TAG, TAG, TEXT_TAG, Members, Node, fail, line_of
from recorder.errors import CassetteError

MOST_MS = 10**12
"""The longest time in a file, 31 years: a number with hundreds of digits is no time."""
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,999})")
_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+(?:e[+-][0-9]{1,3})?")
_FLAGS = {"true": True, "false": False}


class Values:
    """Takes values out of nodes.

    Args:
        path: how errors name the file.
        members: those of every mapping in the audited tree.
    """

    def __init__(self, path: str, members: Members) -> None:
        self.path = path
        self._members = members

    def fail(self, node: Node, problem: str) -> CassetteError:
        """The error for a node: what is wrong; what would be right."""
        return fail(self.path, line_of(node), problem)

    def mapping(self, node: Node, what: str) -> dict[str, Node]:
        """The members of a mapping, by name."""
        if node.tag == MAP_TAG:
            return self._members[id(node)]
        raise self.fail(node, f"{what} is not a mapping; write `name: value` lines")

    def sequence(self, node: Node, what: str) -> list[Node]:
        """The items of a list."""
        if node.tag == SEQ_TAG:
            items: list[Node] = node.value
            return items
        raise self.fail(node, f"{what} is not a list; write `- item` lines or [item, item]")

    def need(self, node: Node, members: Mapping[str, Node], name: str, what: str) -> Node:
        """A member that must be there."""
        if name in members:
            return members[name]
        raise self.fail(node, f"{what} has no `{name}`; it must have one")

    def text(self, node: Node, what: str) -> str:
        """The text of a scalar, whatever type it resolves to."""
        if node.id == "scalar":
            if not node.value.isascii():
                self._encoded(node)
            text: str = node.value
            return text
        raise self.fail(node, f"{what} is not a single value; write one text")

    def string(self, node: Node, what: str) -> str:
        """A scalar that is a text and nothing else."""
        if node.tag == TEXT_TAG:
            return self.text(node, what)
        raise self.fail(node, f"{what} is not a text; write it in quotes")

    def raw(self, node: Node, what: str) -> bytes:
        """A text as its UTF-8 bytes, or what is in base64."""
        if node.tag == TEXT_TAG:
            return self._encoded(node)
        if node.tag == TAG + "binary":
            return self._base64(node, what)
        raise self.fail(node, f"{what} is not a text; write it in quotes, as a block or as !!binary")

    def number(self, node: Node, what: str, low: int, high: int | None = None) -> int:
        """A whole number between two limits."""
        if node.tag == TAG + "int" and _WHOLE.fullmatch(node.value):
            number = int(node.value)
            if number >= low and (high is None or number <= high):
                return number
        raise self.fail(node, f"{what} is not a whole number {f'from {low}' if high is None else f'{low}-{high}'}")

    def seconds(self, node: Node, what: str) -> float:
        """A time in whole milliseconds, as seconds."""
        milliseconds = self.number(node, what, 0)
        if milliseconds > MOST_MS:
            raise self.fail(node, f"{what} is more than {MOST_MS} milliseconds, which is 31 years")
        return milliseconds / 1000

    def flag(self, node: Node, what: str) -> bool:
        """True or false."""
        if node.tag == TAG + "bool" and node.value in _FLAGS:
            return _FLAGS[node.value]
        raise self.fail(node, f"{what} is neither true nor false; write one of them")

    def is_null(self, node: Node) -> bool:
        """Whether the value is left out or `null`."""
        return bool(node.tag == TAG + "null")

    def strings(self, node: Node, what: str) -> dict[str, str]:
        """A mapping of names to texts."""
        return {name: self.string(value, f"a value of {what}") for name, value in self.mapping(node, what).items()}

    def plain(self, node: Node, what: str) -> Any:
        """Plain data: mappings, lists, texts, numbers, true, false, null; anything else as its text.

        The depth is bounded: the tree was audited.
        """
        if node.tag == MAP_TAG:
            return {name: self.plain(value, what) for name, value in self.mapping(node, what).items()}
        if node.tag == SEQ_TAG:
            return [self.plain(item, what) for item in node.value]
        return self._plain_scalar(node, what)

    def _plain_scalar(self, node: Node, what: str) -> Any:
        match str(node.tag).removeprefix(TAG):
            case "null":
                return None
            case "int" if _WHOLE.fullmatch(node.value):
                return int(node.value)
            case "float" if _DECIMAL.fullmatch(node.value) and isfinite(float(node.value)):
                return float(node.value)
            case "bool" if node.value in _FLAGS:
                return _FLAGS[node.value]
            case "binary":
                return self._base64(node, what)
        return self.text(node, what)

    def _base64(self, node: Node, what: str) -> bytes:
        try:
            return b64decode("".join(node.value.split()), validate=True)
        except ValueError:  # binascii.Error is one; so is what is said of characters beyond ASCII
            pass
        raise self.fail(node, f"{what} is not valid base64; RFC 4648 with padding is")

    def _encoded(self, node: Node) -> bytes:
        text: str = node.value
        try:
            return text.encode()
        except UnicodeEncodeError:  # libyaml refuses such an escape, PyYAML's own loader does not
            pass
        raise self.fail(node, NO_CHARACTER)
