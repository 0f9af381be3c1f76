"""A tree of YAML nodes as a cassette: the shape is checked member by member, and each fault names its line.

Rule: never an empty or half-read cassette instead of an error; no message holds a value from the file. Older and
foreign shapes are recognized by their marks and answered with the way out.
"""

from __future__ import annotations

import re
import warnings
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from recorder.cassette._model import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Recording,
    Request,
    Response,
    StreamEnd,
)
from recorder.cassette._write import FORMAT
from recorder.cassette._yaml import TAG, MappingNode, Node, ScalarNode, SequenceNode, fail, key_text, line_of
from recorder.errors import CassetteError, CassetteWarning

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")
_CONVERT = "`recorder convert IN -o OUT` reads it"


class Reader:
    """Reads one file's tree; holds the path for the messages.

    Args:
        path: as the messages name the file.
        trust_body: take the body as it is: no digest, no chunk list, no warning (for `accept`).
    """

    def __init__(self, path: str, *, trust_body: bool = False) -> None:
        self._path = path
        self._trust_body = trust_body

    def cassette(self, root: Node | None) -> tuple[Interaction, ...]:
        """The interactions of the file."""
        if root is None:
            raise fail(self._path, 1, "the file is empty; a cassette has `version: 1` and `interactions:`")
        if isinstance(root, SequenceNode):
            raise self._fail(root, "a list at the top level (vcrpy before 1.0); " + _CONVERT)
        members = self._mapping(root, "the top level")
        if "interactions" not in members:
            if {"requests", "responses"} <= set(members):
                raise self._fail(root, "separate lists of requests and responses (langchain-tests); " + _CONVERT)
            raise self._fail(
                root, "no `interactions:` at the top level; a cassette has `version: 1` and `interactions:`"
            )
        version = members.get("version")
        if version is not None and self._text(version, "version") != "1":
            raise self._fail(version, "a version other than 1; this reads vcrpy's format 1")
        listed = self._sequence(members["interactions"], "interactions")
        return tuple(self._interaction(node) for node in listed)

    def _interaction(self, node: Node) -> Interaction:
        members = self._mapping(node, "an interaction")
        request = self._mapping(self._need(node, members, "request", "an interaction"), "request")
        response = self._need(node, members, "response", "an interaction")
        return Interaction(self._request(members["request"], request), self._response(response))

    def _request(self, node: Node, members: dict[str, Node]) -> Request:
        if "parsed_body" in members:
            raise self._fail(
                members["parsed_body"], "`parsed_body` instead of `body` (a custom serializer); " + _CONVERT
            )
        body = self._need(node, members, "body", "request")
        return Request(
            self._string(self._need(node, members, "method", "request"), "method"),
            self._string(self._need(node, members, "uri", "request"), "uri"),
            self._headers(self._need(node, members, "headers", "request")),
            None if body.tag == TAG + "null" else self._bytes(body, "request body"),
        )

    def _response(self, node: Node) -> Response:
        members = self._mapping(node, "response")
        if "body" not in members and "parsed_body" in members:
            raise self._fail(
                members["parsed_body"], "`parsed_body` instead of `body` (a custom serializer); " + _CONVERT
            )
        if "body" not in members and "content" in members:
            raise self._fail(
                members["content"], "`content` instead of `body: {string: ...}` (vcrpy's old httpx form); " + _CONVERT
            )
        status = self._mapping(self._need(node, members, "status", "response"), "status")
        message = status.get("message")
        body_node = self._need(node, members, "body", "response")
        body_members = self._mapping(body_node, "response body")
        body = self._bytes(self._need(body_node, body_members, "string", "response body"), "response body")
        facts = self._recorder(members.get("recorder"), body)
        return Response(
            self._number(self._need(members["status"], status, "code", "status"), "status code", 100, 999),
            self._headers(self._need(node, members, "headers", "response")),
            body,
            facts[0],
            facts[1],
            "" if message is None or message.tag == TAG + "null" else self._text(message, "status message"),
            facts[2],
        )

    # -- the key of ours ----------------------------------------------------------------------------------------------

    def _recorder(
        self, node: Node | None, body: bytes
    ) -> tuple[tuple[Chunk, ...] | None, StreamEnd | None, Recording | None]:
        if node is None:
            return None, None, None
        members = self._mapping(node, "recorder")
        format_node = self._need(node, members, "format", "recorder")
        if self._text(format_node, "format") != str(FORMAT):
            raise self._fail(
                format_node, f"a recorder format other than {FORMAT}; a newer sse-recorder wrote it: upgrade"
            )
        chunks = self._chunks(members["chunks"]) if "chunks" in members else None
        if not self._digest_matches(node, members, body):
            chunks = None
        if chunks is not None and sum(chunk.size for chunk in chunks) != len(body):
            raise self._fail(
                members["chunks"], "the chunk sizes do not sum to the body; `recorder verify --accept` drops the list"
            )
        end = self._end(members["end"]) if "end" in members else None
        recording = self._recording(members)
        return chunks, end, None if recording == Recording() else recording

    def _digest_matches(self, node: Node, members: dict[str, Node], body: bytes) -> bool:
        if self._trust_body:
            return False
        digest = self._need(node, members, "sha256", "recorder")
        if self._text(digest, "sha256") == sha256(body).hexdigest():
            return True
        warnings.warn(
            f"{self._path}:{line_of(digest)}: the body was edited after recording (its sha256 differs), so the recorded "
            "chunks are ignored; `recorder verify --accept` makes the edit the new truth",
            CassetteWarning,
            stacklevel=2,
        )
        return False

    def _chunks(self, node: Node) -> tuple[Chunk, ...]:
        pairs = []
        for item in self._sequence(node, "chunks"):
            pair = self._sequence(item, "a chunk")
            if len(pair) != 2:
                raise self._fail(item, "a chunk that is not [milliseconds, bytes]")
            pairs.append(Chunk(self._number(pair[0], "a delay", 0) / 1000, self._number(pair[1], "a chunk size", 1)))
        return tuple(pairs)

    def _end(self, node: Node) -> StreamEnd:
        members = self._mapping(node, "end")
        kind = self._need(node, members, "kind", "end")
        if self._text(kind, "kind") not in set(EndKind):
            raise self._fail(kind, f"an unknown end kind; one of {', '.join(EndKind)} is right")
        seen = members.get("terminal_seen")
        return StreamEnd(
            EndKind(self._text(kind, "kind")),
            self._number(members["after_ms"], "after_ms", 0) / 1000 if "after_ms" in members else 0.0,
            None if seen is None else self._flag(seen, "terminal_seen"),
        )

    def _recording(self, members: dict[str, Node]) -> Recording:
        known = {
            "format",
            "sha256",
            "head_ms",
            "chunks",
            "end",
            "wire",
            "recorded",
            "client",
            "tool",
            "outcome",
            "sanitizer",
        }
        return Recording(
            self._number(members["head_ms"], "head_ms", 0) / 1000 if "head_ms" in members else None,
            self._strings(members.get("wire"), "wire"),
            self._string(members["recorded"], "recorded") if "recorded" in members else None,
            self._strings(members.get("client"), "client"),
            self._string(members["tool"], "tool") if "tool" in members else None,
            self._strings(members.get("outcome"), "outcome"),
            self._mapping_of_plain(members.get("sanitizer"), "sanitizer"),
            {name: self._plain(node) for name, node in members.items() if name not in known},
        )

    # -- values -------------------------------------------------------------------------------------------------------

    def _headers(self, node: Node) -> Headers:
        def pairs() -> Iterator[tuple[str, tuple[str, ...]]]:
            for name, value in self._mapping(node, "headers").items():
                values = value.value if isinstance(value, SequenceNode) else [value]
                yield name, tuple(self._header_value(item) for item in values)

        return Headers(pairs())

    def _header_value(self, node: Node) -> str:
        if node.tag == TAG + "binary":
            raw = self._bytes(node, "a header value")
            try:
                return raw.decode()
            except UnicodeDecodeError:
                return raw.decode("latin-1")
        return "" if node.tag == TAG + "null" else self._text(node, "a header value")

    def _bytes(self, node: Node, what: str) -> bytes:
        if isinstance(node, ScalarNode):
            if node.tag == TAG + "str":
                return str(node.value).encode()
            if node.tag == TAG + "binary":
                return self._base64(node, what)
        raise self._fail(node, f"the {what} is not a text; write it in quotes, as a block or as !!binary")

    def _base64(self, node: Node, what: str) -> bytes:
        try:
            return b64decode("".join(node.value.split()), validate=True)
        except (Base64Error, ValueError):
            pass
        raise self._fail(node, f"the {what} is not valid base64; !!binary takes RFC 4648 with padding")

    def _string(self, node: Node, what: str) -> str:
        if isinstance(node, ScalarNode) and node.tag == TAG + "str":
            return str(node.value)
        raise self._fail(node, f"{what} is not a text; write it in quotes")

    def _text(self, node: Node, what: str) -> str:
        """The text of a scalar, whatever type it resolves to."""
        if isinstance(node, ScalarNode):
            return str(node.value)
        raise self._fail(node, f"{what} is not a single value; write one text")

    def _number(self, node: Node, what: str, low: int, high: int | None = None) -> int:
        if isinstance(node, ScalarNode) and node.tag == TAG + "int" and _WHOLE.fullmatch(node.value):
            number = int(node.value)
            if number >= low and (high is None or number <= high):
                return number
        limits = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise self._fail(node, f"{what} is not a whole number {limits}")

    def _flag(self, node: Node, what: str) -> bool:
        if node.tag == TAG + "bool" and node.value in ("true", "false"):
            return bool(node.value == "true")
        raise self._fail(node, f"{what} is neither true nor false")

    def _strings(self, node: Node | None, what: str) -> Mapping[str, str]:
        if node is None:
            return {}
        return {name: self._string(value, f"a value of {what}") for name, value in self._mapping(node, what).items()}

    def _mapping_of_plain(self, node: Node | None, what: str) -> Mapping[str, Any]:
        return {} if node is None else {name: self._plain(value) for name, value in self._mapping(node, what).items()}

    def _plain(self, node: Node) -> Any:
        """Plain data: texts, whole numbers, true and false, null, lists and mappings; other types as their text."""
        if isinstance(node, MappingNode):
            return {name: self._plain(value) for name, value in self._mapping(node, "").items()}
        if isinstance(node, SequenceNode):
            return [self._plain(item) for item in node.value]
        if node.tag == TAG + "int" and _WHOLE.fullmatch(node.value):
            return int(node.value)
        if node.tag == TAG + "bool" and node.value in ("true", "false"):
            return node.value == "true"
        return None if node.tag == TAG + "null" else str(node.value)

    # -- shapes -------------------------------------------------------------------------------------------------------

    def _fail(self, node: Node, problem: str) -> CassetteError:
        return fail(self._path, line_of(node), problem)

    def _mapping(self, node: Node, what: str) -> dict[str, Node]:
        if isinstance(node, MappingNode):
            return {key_text(key, self._path): value for key, value in node.value}
        raise self._fail(node, f"{what} is not a mapping of names to values")

    def _sequence(self, node: Node, what: str) -> list[Node]:
        if isinstance(node, SequenceNode):
            return list(node.value)
        raise self._fail(node, f"{what} is not a list")

    def _need(self, node: Node, members: dict[str, Node], name: str, what: str) -> Node:
        if name in members:
            return members[name]
        raise self._fail(node, f"{what} has no `{name}`")


def read_cassette(root: Node | None, path: str, **options: bool) -> Cassette:
    """The cassette a composed tree holds."""
    return Cassette(Reader(path, **options).cassette(root))
