"""The documents of a JSON or YAML file as plain data, safely.

Rule: the file is untrusted: its depth is bounded, tags run nothing, aliases are refused. Ruby's `!binary` is YAML's
`!!binary`, and the tags that Python's own text types leave are texts. Not known here: what the documents mean.
"""

from __future__ import annotations

import json
import re
from typing import Any

from recorder.cassette._values import Values
from recorder.cassette._yaml import MAX_DEPTH, SEQ_TAG, TAG, TEXT_TAG, MappingNode, Node, audit, compose_all
from recorder.cassette.importers._item import Item
from recorder.cassette.importers._protocol import Source
from recorder.errors import CassetteError

_PLAIN_TAGS = {
    "!binary": TAG + "binary",
    TAG + "python/str": TEXT_TAG,
    TAG + "python/unicode": TEXT_TAG,
    TAG + "python/tuple": SEQ_TAG,
}
_JSON_PARTS = re.compile(rb'"([^"\\]*)"\s*:|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.S)
"""A member's name, a text (the last may be cut off), or what opens or closes a level."""
_DEEP = f"nesting deeper than {MAX_DEPTH} levels"


def document(source: Source) -> Item:
    """The one document of a file.

    Raises:
        CassetteError: neither JSON nor YAML, not one document, or something that is never read.
    """
    found = documents(source)
    if len(found) != 1:
        raise source.fail(f"{len(found)} documents; a file of this format is one")
    return found[0]


def documents(source: Source) -> list[Item]:
    """The documents of a file; a JSON file is one.

    Raises:
        CassetteError: neither JSON nor YAML, or something that is never read.
    """
    if source.text.lstrip()[:1] in (b"{", b"["):
        return [Item(source, "", _json(source))]
    found = [_plain(node, str(source.path)) for node in compose_all(source.text, str(source.path))]
    return [Item(source, "", value) for value in found if value is not None]


def _json(source: Source) -> Any:
    try:
        value = json.loads(source.text)
    except UnicodeDecodeError as error:
        problem = CassetteError(f"{source.path}:{_line(source.text, error.start)}: not UTF-8")
    except json.JSONDecodeError as error:
        problem = CassetteError(f"{source.path}:{error.lineno}: not JSON from column {error.colno} on; was it cut off?")
    except RecursionError:
        problem = source.fail(_DEEP)
    except ValueError:
        problem = source.fail("a number with thousands of digits")
    else:
        if _is_deep(value):
            raise source.fail(_DEEP)
        return value
    raise problem


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            below
            for each in level
            if isinstance(each, dict | list)
            for below in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def _plain(root: Node, path: str) -> Any:
    _adopt(root)
    return Values(path, audit(root, path)).plain(root, "a value")


def _adopt(root: Node) -> None:
    """Give the tags of other languages the names of the YAML types they are."""
    stack, seen = [root], set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        node.tag = _PLAIN_TAGS.get(node.tag, node.tag)
        if isinstance(node, MappingNode):
            stack += [part for pair in node.value for part in pair]
        elif isinstance(node.value, list):
            stack += node.value


# -- telling formats by their first bytes -----------------------------------------------------------------------------


def names(head: bytes, *wanted: str) -> bool:
    """Whether the first bytes of a file have all these names: at the top level of YAML, anywhere in JSON."""
    if head.lstrip()[:1] in (b"{", b"["):
        return all(re.search(rb'"%s"\s*:' % name.encode(), head) for name in wanted)
    return all(re.search(rb"(?m)^[\"']?%s[\"']?:(?:\s|$)" % name.encode(), head) for name in wanted)


def names_on_top(head: bytes, *wanted: str) -> bool:
    """Whether the first bytes of a file have all these names, at the top level of YAML or of a JSON object."""
    if not names(head, *wanted):
        return False
    if head.lstrip()[:1] not in (b"{", b"["):
        return True
    found, depth = set(), 0
    for part in _JSON_PARTS.finditer(head):
        if part[1] is not None:
            if depth == 1:
                found.add(part[1])
        elif part[0] in b"{[":
            depth += 1 if part[0] == b"{" or depth else 2  # the members of a list's items are not on top
        elif part[0] in b"}]":
            depth -= 1
    return found.issuperset(name.encode() for name in wanted)
