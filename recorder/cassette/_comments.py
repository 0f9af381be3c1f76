"""The comments of a file: those above `interactions:` are kept through a rewrite, the others are counted as lost.

Rule: a `#` is a comment only between two scalars; the tree says where the scalars are. Not known here: what the file
means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recorder.cassette._yaml import MappingNode, Node, ScalarNode, SequenceNode

_COMMENT_LINE = re.compile(r"[ \t]*(?:#.*)?")


def comments(data: bytes, root: Node) -> tuple[str, list[int]]:
    """Find the comments.

    Args:
        data: the file, UTF-8.
        root: its tree.

    Returns:
        The comment lines above `interactions:` with the empty lines around them, LF line ends, and the line numbers
        of all other comments.
    """
    if b"#" not in data:
        return "", []
    text = data.decode()
    kept: list[str] = []
    lost: list[int] = []
    above, at = True, 0
    for scalar in _scalars(root):
        start, end = scalar.start_mark.index, scalar.end_mark.index
        _sort(text, at, start, above, kept, lost)
        above = above and scalar.value != "interactions"
        if scalar.style in ("|", ">"):  # a comment may stand behind the indicators of a block
            end_of_line = text.find("\n", start, end)
            _sort(text, start, end if end_of_line < 0 else end_of_line, False, kept, lost)
        at = end
    _sort(text, at, len(text), False, kept, lost)
    preamble = "".join(kept)
    return (preamble if "#" in preamble else ""), lost


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


def _sort(text: str, start: int, end: int, above: bool, kept: list[str], lost: list[int]) -> None:
    """Put the comments of a gap between two scalars where they belong."""
    if not above and text.find("#", start, end) < 0:
        return
    first_line = text.count("\n", 0, start) + 1
    lines = text[start:end].split("\n")
    for number, line in enumerate(lines):
        whole = (number > 0 or start == 0) and number < len(lines) - 1
        if above and whole and _COMMENT_LINE.fullmatch(line.removesuffix("\r")):
            if start == 0 or "#" in line:
                kept.append(line.removesuffix("\r") + "\n")
        elif "#" in line:
            lost.append(first_line + number)
