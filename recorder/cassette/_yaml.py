"""YAML text to a tree of nodes, safely: this is the one module that knows PyYAML.

Rule: a cassette is untrusted input. Nodes are composed, never constructed, so no tag can run anything; aliases, foreign
tags, repeated keys and deep nesting are refused. PyYAML's own messages quote the text, so none of them is passed on:
the place is kept and the problem is said in our words.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from recorder.errors import CassetteError

Node = yaml.nodes.Node
ScalarNode = yaml.nodes.ScalarNode
SequenceNode = yaml.nodes.SequenceNode
MappingNode = yaml.nodes.MappingNode

DEFAULT_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 100

TAG = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(
    TAG + name
    for name in ("str", "int", "float", "bool", "null", "timestamp", "binary", "map", "seq", "merge", "value")
)
ISTR = re.compile(re.escape(TAG) + r"python/object/(?:apply|new):multidict\.(?:_multidict(?:_py)?\.)?istr")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# PyYAML's problems, by how they begin (the rest may quote the file), and what to say instead.
_PROBLEMS = (
    ("found undefined alias", "an alias; cassettes have none: write the value out"),
    ("found duplicate anchor", "an anchor; cassettes have none: write the value out"),
    ("exceeded maximum", "nesting deeper than a cassette has"),
    ("mapping values are not allowed", "a colon where none can stand; quote the text that holds it"),
    ("found character", "a character that cannot start a value (a tab?); indent with blanks, quote the text"),
    ("found a tab", "a tab used as indentation; indent with blanks"),
    ("found unexpected end of stream", "a quoted text that is never closed; close the quotes"),
    ("found unknown escape character", "an unknown backslash escape in double quotes; write two backslashes"),
    ("could not find expected ':'", "a line that is neither a key nor part of a value; check indentation and quotes"),
)
_OTHERWISE = "not YAML; check indentation, quotes and brackets here"


def fail(path: str, line: int, problem: str) -> CassetteError:
    """The error for a place in a file: `path:line: what is wrong; what would be right`."""
    return CassetteError(f"{path}:{line}: {problem}")


def line_of(node: Node) -> int:
    return int(node.start_mark.line) + 1


def compose(text: str, path: str, loader: Any = None) -> Node | None:
    """The tree of the one document in `text`; None when there is none.

    Raises:
        CassetteError: not YAML, more than one document, nested too deep.
    """
    problem: tuple[int, str]
    try:
        reader = (loader or DEFAULT_LOADER)(text)
        try:
            return reader.get_single_node()  # type: ignore[no-any-return]
        finally:
            reader.dispose()
    except yaml.reader.ReaderError:
        problem = _unprintable(text)
    except yaml.MarkedYAMLError as error:
        problem = _translated(error)
    except (yaml.YAMLError, RecursionError):
        problem = 1, "nesting deeper than a cassette has"
    raise fail(path, *problem)


def _unprintable(text: str) -> tuple[int, str]:
    found = _UNPRINTABLE.search(text)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return line, "a control character stands raw; write it as an escape inside double quotes"


def _translated(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = error.problem or ""
    if problem.startswith("but found another document"):
        return line, "a second YAML document; a cassette is one document"
    return line, next((ours for start, ours in _PROBLEMS if problem.startswith(start)), _OTHERWISE)


def audit(root: Node, path: str) -> None:
    """Refuse what no cassette holds anywhere in the tree: aliases, foreign tags, repeated keys, deep nesting.

    Raises:
        CassetteError: with the place.
    """
    seen: set[int] = set()
    stack: list[tuple[Node, int]] = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        if id(node) in seen:
            raise fail(path, line_of(node), "a value used again through an alias; cassettes have none: write it out")
        seen.add(id(node))
        if depth > MAX_DEPTH:
            raise fail(path, line_of(node), f"nesting deeper than {MAX_DEPTH}; a cassette has about 6 levels")
        if node.tag not in _PLAIN_TAGS:
            raise fail(path, line_of(node), "a YAML tag other than !!binary; cassettes hold plain values only")
        if isinstance(node, MappingNode):
            keys: dict[str, Node] = {}
            for key, value in node.value:
                name = key_text(key, path)
                if name in keys:
                    raise fail(
                        path, line_of(key), f"the key of line {line_of(keys[name])} is given again; keep one of them"
                    )
                keys[name] = key
                stack.append((value, depth + 1))
        elif isinstance(node, SequenceNode):
            stack.extend((item, depth + 1) for item in node.value)


def key_text(key: Node, path: str) -> str:
    """The text of a key; multidict's `istr`, which aiohttp recordings have as header names, is a text too."""
    if isinstance(key, ScalarNode) and key.tag in _PLAIN_TAGS:
        return str(key.value)
    if ISTR.fullmatch(key.tag):
        arguments: Any = key.value
        if isinstance(key, MappingNode):
            arguments = next((value.value for name, value in key.value if name.value == "args"), ())
        if len(arguments) == 1 and isinstance(arguments[0], ScalarNode):
            return str(arguments[0].value)
    raise fail(path, line_of(key), "a key that is not a text; cassettes have text keys only")
