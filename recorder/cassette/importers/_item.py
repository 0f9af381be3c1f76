"""Plain data from a JSON or YAML file, one value at a time: checked, or the error that names its place.

Rule: no message holds a value or a name of the file. Not known here: which values a format has.
"""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from recorder.cassette.importers._protocol import Source
from recorder.errors import CassetteError

_SURROGATE = "half a surrogate pair, which has no UTF-8; the bytes of this text are lost"


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a file.

    Attributes:
        source: the file.
        place: where in it, such as `entries[2].response.body`.
        value: plain data: mappings, lists, texts, bytes, numbers, true, false, null.
    """

    source: Source = field(repr=False)
    place: str
    value: Any = field(repr=False)

    def fail(self, problem: str) -> CassetteError:
        """The error for this value: what is wrong; what would be right."""
        return self.source.fail(problem, self.place)

    # -- mappings and lists -------------------------------------------------------------------------------------------

    def get(self, name: str) -> Item | None:
        """A member of a mapping; None when it is not there, or null."""
        if not isinstance(self.value, dict):
            raise self.fail("not a mapping of names to values")
        value = self.value.get(name)
        return None if value is None else Item(self.source, f"{self.place}.{name}".lstrip("."), value)

    def first(self, *names: str) -> Item | None:
        """The first of several members that is there."""
        return next((item for name in names if (item := self.get(name)) is not None), None)

    def __getitem__(self, name: str) -> Item:
        found = self.get(name)
        if found is None:
            raise self.fail(f"it has no `{name}`, and must have one")
        return found

    def members(self) -> Iterator[tuple[str, Item]]:
        """All members of a mapping."""
        if not isinstance(self.value, dict):
            raise self.fail("not a mapping of names to values")
        for number, (name, value) in enumerate(self.value.items(), 1):
            yield str(name), Item(self.source, f"{self.place}, member {number}", value)

    def items(self) -> list[Item]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.fail("not a list")
        return [Item(self.source, f"{self.place}[{number}]", value) for number, value in enumerate(self.value)]

    @property
    def is_text(self) -> bool:
        """Whether it is a text."""
        return isinstance(self.value, str)

    # -- single values ------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """A text; a number is taken as it is written, and bytes as UTF-8 or else Latin-1."""
        match self.value:
            case str():
                return self.value
            case bool():
                return "true" if self.value else "false"
            case int() | float():
                return str(self.value)
            case bytes():
                try:
                    return self.value.decode()
                except UnicodeDecodeError:
                    return self.value.decode("latin-1")
        raise self.fail("not a text")

    def text_at(self, name: str, default: str = "") -> str:
        """The text of a member; `default` when it is not there, or null."""
        found = self.get(name)
        return default if found is None else found.text()

    def raw(self) -> bytes:
        """A text in UTF-8, or bytes as they are."""
        if isinstance(self.value, bytes):
            return self.value
        if not isinstance(self.value, str):
            raise self.fail("not a text")
        try:
            return self.value.encode()
        except UnicodeEncodeError:
            pass
        raise self.fail(_SURROGATE)

    def raw_at(self, name: str) -> bytes | None:
        """`raw` of a member; None when it is not there, or null."""
        found = self.get(name)
        return None if found is None else found.raw()

    def status(self) -> int:
        """An HTTP status code."""
        return self.number(100, 999)

    def number(self, low: int, high: int) -> int:
        """A whole number between two limits, which may be written as a text."""
        value = self.value
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise self.fail(f"not a whole number {low}-{high}")

    def base64(self) -> bytes:
        """The bytes that a text holds in base64, white space ignored."""
        try:
            return b64decode("".join(self.text().split()), validate=True)
        except (Base64Error, ValueError):  # ValueError: beyond ASCII
            pass
        raise self.fail("not valid base64; RFC 4648 with padding is")

    def hexadecimal(self) -> bytes:
        """The bytes that a text holds as hexadecimal digits."""
        try:
            return bytes.fromhex(self.text())
        except ValueError:
            pass
        raise self.fail("not hexadecimal digits, two for each byte")

    def as_json(self) -> bytes:
        """The value as compact JSON in UTF-8."""
        try:
            return json.dumps(self.value, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:
            problem = _SURROGATE
        except (TypeError, ValueError):
            problem = "bytes inside parsed JSON, which has no way to hold them"
        raise self.fail(problem)
