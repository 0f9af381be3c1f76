"""YAML text to a tree of nodes, safely: the one module that knows PyYAML.

Rule: a cassette is untrusted input. Nodes are composed, never constructed, so no tag can run anything; aliases, foreign
tags, repeated keys, merge keys and deep nesting are refused. PyYAML's own messages quote the text, so none is passed
on: the line is kept and the problem is said in our words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import repeat
from operator import attrgetter
from typing import Any, TypeAlias

import yaml

from recorder.errors import CassetteError

ScalarNode: TypeAlias = yaml.nodes.ScalarNode
SequenceNode: TypeAlias = yaml.nodes.SequenceNode
MappingNode: TypeAlias = yaml.nodes.MappingNode
Node: TypeAlias = ScalarNode | SequenceNode | MappingNode
Members: TypeAlias = dict[int, dict[str, Node]]
"""The members of the mappings of a tree, by the `id` of their nodes."""

C_LOADER: Any = getattr(yaml, "CSafeLoader", None)
PYTHON_LOADER: Any = yaml.SafeLoader

MAX_DEPTH = 100
"""Levels of nesting; a cassette has about six."""

MAX_NODES = 4_000_000
"""Values a file may hold; a list is one too, and a mapping. Each takes some 300 bytes, and two bytes of a file can make
one; a recording of a million chunks has three million."""

TAG = "tag:yaml.org,2002:"
TEXT_TAG, MAP_TAG, SEQ_TAG = TAG + "str", TAG + "map", TAG + "seq"
_SCALARS = ("str", "int", "float", "bool", "null", "timestamp", "binary", "value")
_SCALAR_TAGS = frozenset(TAG + name for name in _SCALARS)
_KINDS = frozenset({(MappingNode, MAP_TAG), (SequenceNode, SEQ_TAG), *((ScalarNode, tag) for tag in _SCALAR_TAGS)})
_tag = attrgetter("tag")
_ISTR = re.compile(re.escape(TAG) + r"python/object/(?:apply|new):multidict\.(?:_multidict(?:_py)?\.)?istr")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# libyaml before 0.2.6 nests without a limit, and composing overruns the C stack at some 10,000 levels.
_UNGUARDED = C_LOADER is not None and tuple(yaml._yaml.get_version()) < (0, 2, 6)

_DEEP = f"nesting deeper than {MAX_DEPTH} levels; a cassette has about six"
_ALIAS = "a YAML anchor or alias; cassettes have none: write the value out"
_MANY = "more than {:,} values; a recording of a million chunks has three million: split the file"
NO_CHARACTER = "an escape that is no character (half a surrogate pair?); write the character itself"
_SEPARATORS = re.compile(b"\xc2\x85|\xe2\x80[\xa8\xa9]")
_SEPARATOR = "a raw NEL, U+2028 or U+2029 breaks a YAML line; write it as an escape inside double quotes"
_CONFLICT = re.compile(rb"(?m)^(?:<{7}|>{7}) ")
_CONFLICTING = "a merge conflict; take one side, or record again"
# PyYAML's problems, by how they begin (the rest may quote the file), and what to say instead.
_PROBLEMS = (
    ("found undefined alias", _ALIAS),
    ("second occurrence", _ALIAS),  # of an anchor
    ("exceeded maximum", _DEEP),
    (
        "but found another document",
        "a second YAML document, as of httpmock; a cassette is one, `recorder convert IN -o OUT` reads it",
    ),
    ("mapping values are not allowed", "a colon where none can stand; quote the text that holds it"),
    ("found character", "a character that cannot start a value (a tab?); indent with blanks, quote the text"),
    ("found a tab", "a tab used as indentation; indent with blanks"),
    ("found unexpected end of stream", "a quoted text that is never closed; close the quotes"),
    ("found unknown escape character", "an unknown backslash escape in double quotes; write two backslashes"),
    ("found invalid Unicode character escape", NO_CHARACTER),
    ("could not find expected ':'", "neither a key nor part of a value; check indentation and quotes"),
)


def fail(path: str, line: int, problem: str) -> CassetteError:
    """The error for a place in a file: `path:line: what is wrong; what would be right`."""
    return CassetteError(f"{path}:{line}: {problem}")


def line_of(node: Node) -> int:
    """The line a node starts on, from 1."""
    return int(node.start_mark.line) + 1


def compose(data: bytes, path: str, loader: Any = None) -> Node | None:
    """The tree of the one document in `data`; None when there is none.

    Args:
        data: the file, UTF-8.
        path: how errors name it.
        loader: a PyYAML loader class; the one on libyaml if there is one.

    Raises:
        CassetteError: not UTF-8, not YAML, more than one document, nested too deep, too many values.
    """
    loader = loader or C_LOADER or PYTHON_LOADER
    node: Node | None = _composed(data, path, loader, lambda reader: reader.get_single_node())
    return node


def compose_all(data: bytes, path: str) -> list[Node]:
    """The trees of all documents in `data`, as `compose` gives the one.

    Raises:
        CassetteError: not UTF-8, not YAML, nested too deep, too many values.
    """
    documents: list[Node] = _composed(data, path, C_LOADER or PYTHON_LOADER, _every_node)
    return documents


def _every_node(reader: Any) -> list[Node]:
    found = []
    while reader.check_node():
        found.append(reader.get_node())
    return found


def _composed(data: bytes, path: str, loader: Any, take: Callable[[Any], Any]) -> Any:
    if _UNGUARDED and loader is C_LOADER:
        _refuse_deep(data, path)
    reader: Any = None
    try:
        reader = loader(data)
        if len(data) > MAX_NODES // 4:  # a byte makes two at most: `[?,?]` has seven
            reader.descend_resolver = _counter()
        return take(reader)
    except _TooMany as error:
        line, problem = error.line, _MANY.format(MAX_NODES)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        line, problem = _diagnosis(error, data, getattr(reader, "line", 0) + 1)
    finally:
        if reader is not None:
            reader.dispose()
    raise fail(path, line, problem)


class _TooMany(Exception):
    """There are more nodes than a file may hold."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def _counter() -> Callable[[Any, Any], None]:
    """What takes the place of a loader's `descend_resolver`.

    PyYAML calls it before it makes a node, the one on libyaml too, so that counting costs nothing: theirs looks for
    path resolvers, which there are none of.
    """
    count = repeat(None, MAX_NODES).__next__

    def descend_resolver(parent: Any, _index: Any) -> None:
        try:
            count()
        except StopIteration:
            raise _TooMany(line_of(parent)) from None  # the list or mapping that it is too much of

    return descend_resolver


def _diagnosis(error: Exception, data: bytes, reached: int) -> tuple[int, str]:
    """The line, and what is wrong, without a word of the file; `reached` is where PyYAML's own loader stood."""
    if isinstance(error, yaml.reader.ReaderError):
        return _unreadable(data)
    if not isinstance(error, yaml.MarkedYAMLError):
        return reached, _DEEP if isinstance(error, RecursionError) else NO_CHARACTER
    conflict = _CONFLICT.search(data)
    if conflict:
        return data.count(b"\n", 0, conflict.start()) + 1, _CONFLICTING
    mark, began = error.problem_mark or error.context_mark, error.context_mark
    line = mark.line + 1 if mark else 1
    problem = error.problem or ""
    for start, ours in _PROBLEMS:
        if problem.startswith(start):
            return line, ours
    separator = _SEPARATORS.search(data)
    if separator:
        return data.count(b"\n", 0, separator.start()) + 1, _SEPARATOR
    where = f" and from line {began.line + 1} on" if began and began.line + 1 < line else ""
    return line, f"not YAML; check indentation, quotes and brackets here{where}"


def _unreadable(data: bytes) -> tuple[int, str]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1, "not UTF-8; a cassette is a UTF-8 file"
    found = _UNPRINTABLE.search(text)
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return line, "a control character stands raw; write it as an escape inside double quotes"


def _refuse_deep(data: bytes, path: str) -> None:
    """Count the nesting event by event, in a loop and not on the stack; only when the text could nest that deep."""
    if sum(data.count(opening) for opening in (b"[", b"{", b"- ", b"? ", b"-\n", b"?\n", b":")) < 1000:
        return
    depth = 0
    line = 0
    try:
        for event in yaml.parse(data, Loader=C_LOADER):
            if isinstance(event, yaml.events.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.events.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                line = event.start_mark.line + 1 if event.start_mark else 1
                break
    except yaml.YAMLError:
        return  # composing meets it again and says so
    if line:
        raise fail(path, line, _DEEP)


def audit(root: Node, path: str, also: Iterable[str] = ()) -> Members:
    """Refuse what no cassette holds, anywhere in the tree: aliases, foreign tags, repeated keys, deep nesting.

    It goes down level by level, and looks at all nodes of one in a go. Afterwards the tag of a node tells its kind.

    Args:
        root: the tree.
        path: how errors name the file.
        also: further tags a scalar may have.

    Returns:
        The members of every mapping.

    Raises:
        CassetteError: with the place.
    """
    allowed = _KINDS.union((ScalarNode, tag) for tag in also)
    members: Members = {}
    seen: set[int] = set()
    level, depth = [root], 1
    while level:
        if depth > MAX_DEPTH:
            raise fail(path, line_of(level[0]), _DEEP)
        if not allowed.issuperset(zip(map(type, level), map(_tag, level), strict=True)):
            culprit = next(node for node in level if (type(node), node.tag) not in allowed)
            raise fail(path, line_of(culprit), "a YAML tag other than !!binary; cassettes hold plain values only")
        keys, below = _children(level, path, members)
        _refuse_aliases([*level, *keys], seen, path)
        level, depth = below, depth + 1
    return members


def _children(level: list[Node], path: str, members: Members) -> tuple[list[Node], list[Node]]:
    """The keys and the values below these nodes; of the mappings among them the members are noted."""
    keys: list[Node] = []
    below: list[Node] = []
    for node in level:
        if node.tag == MAP_TAG:
            named = members[id(node)] = {key_text(key, path): value for key, value in node.value}
            if len(named) < len(node.value):
                _refuse_repeated(node, path)
            keys += [key for key, _ in node.value]
            below += named.values()
        elif node.tag == SEQ_TAG:
            below += node.value
    return keys, below


def _refuse_aliases(nodes: list[Node], seen: set[int], path: str) -> None:
    """An alias is the node itself once more."""
    ids = list(map(id, nodes))
    fresh = set(ids)
    if len(fresh) < len(ids) or not seen.isdisjoint(fresh):
        counts = Counter(ids)
        culprit = next(node for node in nodes if id(node) in seen or counts[id(node)] > 1)
        raise fail(path, line_of(culprit), _ALIAS)
    seen |= fresh


def _refuse_repeated(node: Node, path: str) -> None:
    """Of two equal keys a loader would silently drop the first."""
    first: dict[str, Node] = {}
    for key, _ in node.value:
        before = first.setdefault(key_text(key, path), key)
        if before is not key:
            raise fail(path, line_of(key), f"the key of line {line_of(before)} is given again; keep one of them")
    raise fail(path, line_of(node.value[0][0]), _ALIAS)


def key_text(key: Node, path: str) -> str:
    """The text of a key; multidict's `istr`, which aiohttp recordings have as header names, is a text too.

    Raises:
        CassetteError: the key is no text.
    """
    if isinstance(key, ScalarNode) and key.tag in _SCALAR_TAGS:
        text: str = key.value
        return text
    if key.tag == TAG + "merge":
        raise fail(path, line_of(key), "a YAML merge key; cassettes have none: write the members out")
    if _ISTR.fullmatch(key.tag) and not isinstance(key, ScalarNode):
        arguments: Any = key.value
        if isinstance(key, MappingNode):
            arguments = next((value.value for name, value in key.value if name.value == "args"), ())
        if len(arguments) == 1 and isinstance(arguments[0], ScalarNode):
            return str(arguments[0].value)
    raise fail(path, line_of(key), "a key that is not a text; cassettes have text keys only")
