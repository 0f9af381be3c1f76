"""The comments of a file: those above `interactions:` are kept through a rewrite, the others are counted as lost.

Rule: a `#` is a comment only between two scalars; the tree says where the scalars are. Not known here: what the file
means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recorder.cassette._yaml import MappingNode, Node, ScalarNode, SequenceNode

_COMMENT_LINE = re.compile(r"[ \t]*(?:#.*)?")


def comments(data: bytes, root: Node | None) -> tuple[str, list[int]]:
    """Find the comments.

    Args:
        data: the file, UTF-8.
        root: its tree.

    Returns:
        The comment lines above `interactions:` with the empty lines around them, LF line ends, and the line numbers
        of all other comments.
    """
    if root is None or b"#" not in data:
        return "", []
    sorter = _Sorter(data.decode())
    for scalar in _scalars(root):
        sorter.gap(scalar.start_mark.index)
        sorter.above = sorter.above and scalar.value != "interactions"
        if scalar.style in ("|", ">"):
            sorter.block_header(scalar.start_mark.line + 1)
        sorter.at, sorter.line = scalar.end_mark.index, scalar.end_mark.line + 1
    sorter.gap(len(sorter.text))
    preamble = "".join(sorter.kept)
    return (preamble if "#" in preamble else ""), sorter.lost


class _Sorter:
    """Goes through the text from scalar to scalar and puts each comment where it belongs.

    Attributes:
        text: the file.
        at: how far it went, in characters.
        line: the line of that place, from 1.
        above: `interactions:` is still to come.
        kept: comment lines above it, and the empty lines at the start of the file.
        lost: the lines of all other comments.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.above = True
        self.kept: list[str] = []
        self.lost: list[int] = []

    def gap(self, end: int) -> None:
        """Go on to `end`; there is no scalar before it."""
        if self.text.find("#", self.at, end) >= 0:
            first = self.at == 0
            lines = self.text[self.at : end].split("\n")
            for number, line in enumerate(lines):
                whole = (number > 0 or first) and number < len(lines) - 1
                self._sort(line.removesuffix("\r"), self.line + number, self.above and whole, first)
        self.at = end

    def block_header(self, line: int) -> None:
        """A comment may also stand behind the indicators of a block scalar, which begins here, in this line."""
        end = self.text.find("\n", self.at)
        if self.text.find("#", self.at, end) >= 0:
            self.lost.append(line)

    def _sort(self, line: str, number: int, keep: bool, with_empty: bool) -> None:
        if keep and _COMMENT_LINE.fullmatch(line):
            if with_empty or "#" in line:
                self.kept.append(line + "\n")
        elif "#" in line:
            self.lost.append(number)


def _scalars(root: Node) -> Iterator[ScalarNode]:
    """The scalars of the tree in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ScalarNode):
            yield node
        elif isinstance(node, MappingNode):
            stack.extend([part for pair in reversed(node.value) for part in reversed(pair)])
        elif isinstance(node, SequenceNode):
            stack.extend(reversed(node.value))
