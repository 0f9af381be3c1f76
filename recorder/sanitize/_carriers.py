"""Which pieces of a stream belong together: what one choice, tool call, content block or output item is spread over.

Rule: dialects differ in where they put an index or an id, so a piece is put together in several ways, from its member's
name, the path to it, and the identity members beside that path. A secret split over events is whole in at least one of
them, however other choices are interleaved. It needs no table of dialects.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from recorder.sanitize._members import pointer_step

IDENTITIES = frozenset({"content_index", "index", "item_id", "output_index", "summary_index", "thought"})
"""What tells parallel texts apart: choices and tool calls (chat), content blocks (Anthropic), output items and parts
(Responses), candidates and thoughts (Gemini)."""

_ID_ENDINGS = ("_id", "Id", "index", "Index")

Key = tuple[Any, ...]


class Ref(NamedTuple):
    """Where an identity is said: the member's name, and which string (or which bare token) of the text it is."""

    name: str
    is_text: bool
    ordinal: int


class Frame:
    """An object or array of a JSON text.

    Attributes:
        pointer: its JSON pointer.
        path: the names on the way, without the positions in arrays.
        name: the member it is the value of; for what is in an array, the array's.
        key: the name of the member that comes next (objects), or the number of elements so far (arrays).
        fine, loose: its own identity members, by the strict and by the loose measure.
    """

    __slots__ = ("array", "fine", "key", "loose", "name", "parent", "path", "pointer")

    def __init__(self, pointer: str, path: str, name: str, array: bool, parent: Frame | None) -> None:
        self.pointer, self.path, self.name, self.array, self.parent = pointer, path, name, array, parent
        self.key: Any = 0 if array else ""
        self.fine: tuple[Ref, ...] = ()
        self.loose: tuple[Ref, ...] = ()

    def next(self) -> tuple[str, str, str]:
        """Pointer, path and name of the value that comes now."""
        if self.array:
            pointer = f"{self.pointer}/{self.key}"
            self.key += 1
            return pointer, self.path, self.name
        step = pointer_step(self.key)
        return self.pointer + step, self.path + step, self.key

    def identify(self, ref: Ref) -> None:
        """A member that may tell this object from others like it."""
        if ref.name in IDENTITIES:
            self.fine += (ref,)
            self.loose += (ref,)
        elif ref.name == "id" or ref.name.endswith(_ID_ENDINGS):
            self.loose += (ref,)

    def identity(self) -> tuple[tuple[Ref, ...], tuple[Ref, ...]]:
        """The identity members of all it is in, from the outside in; right when the text was read to its end."""
        fine, loose = self.parent.identity() if self.parent else ((), ())
        return fine + self.fine, loose + self.loose
