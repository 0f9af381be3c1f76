"""Files that are recordings, but of another tool or an older age: recognized by a mark, answered with the way out.

Rule: only the outermost shape is looked at; nothing is read. Not known here: how to convert them.
"""

from __future__ import annotations

from recorder.cassette._yaml import MappingNode, Node, ScalarNode, SequenceNode

CONVERT = "`recorder convert IN -o OUT` reads it"

# Marks of the top level: all of these names are there, and `interactions` is not.
_MARKS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"requests", "responses"}), "separate lists of requests and responses, as of langchain-tests"),
    (frozenset({"http_interactions"}), "a Ruby VCR cassette"),
    (frozenset({"when", "then"}), "an httpmock recording"),
    (frozenset({"log"}), "an HTTP archive (HAR)"),
    (frozenset({"entries", "meta"}), "a Braintrust cassette"),
    (frozenset({"Entries"}), "a recording of the Azure test proxy"),
    (frozenset({"request", "response"}), "a single request and response, as of WireMock"),
)
# The same of the first item of a list.
_LISTS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"request", "response"}), "vcrpy before 1.0"),
    (frozenset({"scope", "path", "status"}), "nock"),
)
_RAW_STREAM = (b"data:", b"event:", b"id:", b"retry:", b":")
_GZIP = b"\x1f\x8b"


def foreign_bytes(data: bytes) -> str:
    """What the first bytes of a file say it is instead of a cassette, with the way out; "" when they say nothing."""
    if data.startswith(_GZIP):
        return f"a gzip file; {CONVERT}"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16; a cassette is a UTF-8 file"
    if data.startswith(_RAW_STREAM):
        return f"a raw event stream, without the request and the head; {CONVERT}"
    if data.startswith((b"HTTP/", b"httprr trace")):
        return f"raw HTTP messages; {CONVERT}"
    return ""


def foreign_shape(root: Node) -> str:
    """What the outermost shape of a file says it is instead of a cassette; "" when it is a cassette's.

    Returns:
        What is wrong; what would be right.
    """
    if isinstance(root, SequenceNode):
        first = _names(root.value[0]) if root.value else set()
        for marks, tool in _LISTS:
            if marks <= first:
                return f"a list at the top level, as of {tool}; {CONVERT}"
        return "a list at the top level; a cassette has `version: 1` and `interactions:` there"
    if not isinstance(root, MappingNode):
        return "a single text; a cassette has `version: 1` and `interactions:` at the top level"
    names = _names(root)
    if "interactions" in names:
        return ""
    for marks, what in _MARKS:
        if marks <= names:
            return f"{what}; {CONVERT}"
    return "no `interactions:` at the top level; a cassette has it, and `version: 1`"


def _names(node: Node) -> set[str]:
    if not isinstance(node, MappingNode):
        return set()
    return {str(key.value) for key, _ in node.value if isinstance(key, ScalarNode)}
