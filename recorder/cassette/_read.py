"""A tree of YAML nodes as interactions: the shape is checked member by member, and each fault names its line.

Rule: never an empty or half-read cassette instead of an error. What vcrpy's files may hold beyond our model is listed,
so that a rewrite can say what it loses. Older and foreign shapes are recognized by their marks and answered with the
way out. Not known here: text, comments, files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from recorder.cassette._facts import Facts, read_facts
from recorder.cassette._foreign import CONVERT, foreign_shape
from recorder.cassette._model import Chunk, Headers, Interaction, Request, Response
from recorder.cassette._values import Values
from recorder.cassette._yaml import TAG, MappingNode, Node, SequenceNode, audit, fail, line_of

BODY_TAG = "!body"
CHUNKS_TAG = "!chunks"


@dataclass(slots=True)
class Taken:
    """Values taken out of the text before YAML saw it; in the tree stands their number under a tag."""

    bodies: list[bytes | None] = field(default_factory=list)
    chunks: list[tuple[Chunk, ...]] = field(default_factory=list)


class Reader(Values):
    """Reads the tree of one file.

    Args:
        path: how errors name the file.
        accept: take an edited body for the truth: what no longer fits it is dropped, in silence.
        taken: values that are not in the tree.

    Attributes:
        edited: the lines of the digests that do not fit their bodies.
        not_kept: the places of members that a rewrite loses.
        our_layout: the version stands first, as we write it and stock vcrpy, whose files are always ASCII, does not.
    """

    def __init__(self, path: str, *, accept: bool = False, taken: Taken | None = None) -> None:
        super().__init__(path)
        self.edited: list[int] = []
        self.not_kept: list[str] = []
        self.our_layout = False
        self._accept = accept
        self._taken = taken

    def interactions(self, root: Node | None) -> tuple[Interaction, ...]:
        """The interactions of the file.

        Raises:
            CassetteError: with the place, what is wrong and what would be right.
        """
        if root is None:
            raise fail(self.path, 1, "the file is empty; a cassette has `version: 1` and `interactions:`")
        foreign = foreign_shape(root)
        if foreign:
            raise self.fail(root, foreign)
        audit(root, self.path, frozenset({BODY_TAG, CHUNKS_TAG}) if self._taken else frozenset())
        members = self.mapping(root, "the top level")
        self._note_rest(members, "version interactions", "")
        if "version" in members and self.text(members["version"], "version") != "1":
            raise self.fail(members["version"], f"a version other than 1, as of go-vcr; {CONVERT}")
        self.our_layout = list(members) == ["version", "interactions"]
        return tuple([self._interaction(node) for node in self.sequence(members["interactions"], "interactions")])

    def _interaction(self, node: Node) -> Interaction:
        members = self.mapping(node, "an interaction")
        request = self.need(node, members, "request", "an interaction")
        response = self.need(node, members, "response", "an interaction")
        self._note_rest(members, "request response", "interaction.")
        return Interaction(self._request(request), self._response(response))

    # -- the request --------------------------------------------------------------------------------------------------

    def _request(self, node: Node) -> Request:
        members = self.mapping(node, "request")
        self._refuse_parsed_body(members)
        body = self.need(node, members, "body", "request")
        method = self.string(self.need(node, members, "method", "request"), "method")
        uri = self.string(self.need(node, members, "uri", "request"), "uri")
        headers = self._headers(self.need(node, members, "headers", "request"))
        for name, value in members.items():
            if name not in ("method", "uri", "body", "headers"):
                raise self.fail(value, "request has a member vcrpy does not know; method, uri, body, headers are all")
        return Request(method, uri, headers, self._request_body(body))

    def _request_body(self, node: Node) -> bytes | None:
        if node.tag == BODY_TAG and self._taken:
            return self._taken.bodies[int(node.value)]
        return None if self.is_null(node) else self.raw(node, "the request body")

    # -- the response -------------------------------------------------------------------------------------------------

    def _response(self, node: Node) -> Response:
        members = self.mapping(node, "response")
        self._refuse_parsed_body(members)
        if "body" not in members and "content" in members:
            old = "`content` instead of `body: {string: ...}`, as of vcrpy's first httpx recordings"
            raise self.fail(members["content"], f"{old}; {CONVERT}")
        self._note_rest(members, "status headers body recorder", "response.")
        code, reason = self._status(self.need(node, members, "status", "response"))
        headers = self._headers(self.need(node, members, "headers", "response"))
        body = self._response_body(self.need(node, members, "body", "response"))
        facts = self._facts(members["recorder"], body) if "recorder" in members else Facts()
        return Response(code, headers, body, facts.chunks, facts.end, reason, facts.recording)

    def _status(self, node: Node) -> tuple[int, str]:
        members = self.mapping(node, "status")
        self._note_rest(members, "code message", "response.status.")
        code = self.number(self.need(node, members, "code", "status"), "status code", 100, 999)
        message = members.get("message")
        return code, "" if message is None or self.is_null(message) else self.text(message, "status message")

    def _response_body(self, node: Node) -> bytes:
        members = self.mapping(node, "response body")
        self._note_rest(members, "string", "response.body.")
        string = self.need(node, members, "string", "response body")
        if string.tag == BODY_TAG and self._taken:
            return self._taken.bodies[int(string.value)] or b""
        return self.raw(string, "the response body")

    def _facts(self, node: Node, body: bytes) -> Facts:
        facts = read_facts(self, node, body, accept=self._accept, taken=self._taken.chunks if self._taken else None)
        if facts.edited_line is not None:
            self.edited.append(facts.edited_line)
        return facts

    # -- both ---------------------------------------------------------------------------------------------------------

    def _headers(self, node: Node) -> Headers:
        return Headers(self._header_pairs(node))

    def _header_pairs(self, node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, value in self.mapping(node, "headers").items():
            if isinstance(value, MappingNode):
                raise self.fail(value, "a header is a mapping; write a list of texts")
            items = value.value if isinstance(value, SequenceNode) else [value]
            yield name, tuple([self._header_value(item) for item in items])

    def _header_value(self, node: Node) -> str:
        if node.tag == TAG + "binary":  # vcrpy writes header values that are bytes so
            raw = self.raw(node, "a header value")
            try:
                return raw.decode()
            except UnicodeDecodeError:
                return raw.decode("latin-1")
        return "" if self.is_null(node) else self.text(node, "a header value")

    def _refuse_parsed_body(self, members: Mapping[str, Node]) -> None:
        if "body" not in members and "parsed_body" in members:
            problem = "`parsed_body` instead of `body`, as of pydantic-ai's own serializer"
            raise self.fail(members["parsed_body"], f"{problem}; {CONVERT}")

    def _note_rest(self, members: Mapping[str, Node], known: str, place: str) -> None:
        names = known.split()
        for name, value in members.items():
            if name not in names:
                shown = name if name.isidentifier() and len(name) <= 40 else "a member"
                self.not_kept.append(f"{place}{shown} (line {line_of(value)})")
