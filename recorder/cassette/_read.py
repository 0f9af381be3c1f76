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
from recorder.cassette._yaml import MAP_TAG, SEQ_TAG, TAG, TEXT_TAG, Members, Node, audit, fail, line_of

BODY_TAG = "!body"
CHUNKS_TAG = "!chunks"


_TOP = frozenset({"version", "interactions"})
_INTERACTION = frozenset({"request", "response"})
_REQUEST = frozenset({"method", "uri", "body", "headers"})
_RESPONSE = frozenset({"status", "headers", "body", "recorder"})
_STATUS = frozenset({"code", "message"})
_BODY = frozenset({"string"})


@dataclass(slots=True)
class Taken:
    """Values taken out of the text before YAML saw it; in the tree stands their number under a tag."""

    bodies: list[bytes] = field(default_factory=list)
    chunks: list[tuple[Chunk, ...]] = field(default_factory=list)


def read_interactions(root: Node | None, path: str, *, accept: bool = False, taken: Taken | None = None) -> Reading:
    """Read the tree of one file.

    Args:
        root: the tree; None for an empty file.
        path: how errors name the file.
        accept: take an edited body for the truth: what no longer fits it is dropped, in silence.
        taken: values that are not in the tree.

    Raises:
        CassetteError: with the place, what is wrong and what would be right.
    """
    if root is None:
        raise fail(path, 1, "the file is empty; a cassette has `version: 1` and `interactions:`")
    foreign = foreign_shape(root)
    if foreign:
        raise fail(path, line_of(root), foreign)
    members = audit(root, path, (BODY_TAG, CHUNKS_TAG) if taken else ())
    return _Reader(path, members, accept, taken).file(root)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds.

    Attributes:
        interactions: in the order of the file.
        edited: the lines of the digests that do not fit their bodies.
        not_kept: the places of members that a rewrite loses.
        our_layout: the version stands first, as we write it and stock vcrpy, whose files are always ASCII, does not.
    """

    interactions: tuple[Interaction, ...]
    edited: tuple[int, ...]
    not_kept: tuple[str, ...]
    our_layout: bool


class _Reader(Values):
    """Reads an audited tree member by member; notes on the way what a reading says beyond the interactions."""

    def __init__(self, path: str, members: Members, accept: bool, taken: Taken | None) -> None:
        super().__init__(path, members)
        self._edited: list[int] = []
        self._not_kept: list[str] = []
        self._accept = accept
        self._taken = taken

    def file(self, root: Node) -> Reading:
        members = self.mapping(root, "the top level")
        self._note_rest(members, _TOP, "")
        if "version" in members and self.text(members["version"], "version") != "1":
            raise self.fail(members["version"], f"a version other than 1, as of go-vcr; {CONVERT}")
        listed = self.sequence(members["interactions"], "interactions")
        interactions = tuple([self._interaction(node) for node in listed])
        return Reading(interactions, tuple(self._edited), tuple(self._not_kept), next(iter(members)) == "version")

    def _interaction(self, node: Node) -> Interaction:
        members = self.mapping(node, "an interaction")
        request = self.need(node, members, "request", "an interaction")
        response = self.need(node, members, "response", "an interaction")
        self._note_rest(members, _INTERACTION, "interaction.")
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
            if name not in _REQUEST:
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
        self._note_rest(members, _RESPONSE, "response.")
        code, reason = self._status(self.need(node, members, "status", "response"))
        headers = self._headers(self.need(node, members, "headers", "response"))
        body = self._response_body(self.need(node, members, "body", "response"))
        facts = self._facts(members["recorder"], body) if "recorder" in members else Facts()
        return Response(code, headers, body, facts.chunks, facts.end, reason, facts.recording)

    def _status(self, node: Node) -> tuple[int, str]:
        members = self.mapping(node, "status")
        self._note_rest(members, _STATUS, "response.status.")
        code = self.number(self.need(node, members, "code", "status"), "status code", 100, 999)
        message = members.get("message")
        return code, "" if message is None or self.is_null(message) else self.text(message, "status message")

    def _response_body(self, node: Node) -> bytes:
        members = self.mapping(node, "response body")
        self._note_rest(members, _BODY, "response.body.")
        string = self.need(node, members, "string", "response body")
        if string.tag == BODY_TAG and self._taken:
            return self._taken.bodies[int(string.value)]
        return self.raw(string, "the response body")

    def _facts(self, node: Node, body: bytes) -> Facts:
        facts = read_facts(self, node, body, accept=self._accept, taken=self._taken.chunks if self._taken else None)
        if facts.edited_line is not None:
            self._edited.append(facts.edited_line)
        return facts

    # -- both ---------------------------------------------------------------------------------------------------------

    def _headers(self, node: Node) -> Headers:
        return Headers(self._header_pairs(node))

    def _header_pairs(self, node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, value in self.mapping(node, "headers").items():
            if value.tag == MAP_TAG:
                raise self.fail(value, "a header is a mapping; write a list of texts")
            items = value.value if value.tag == SEQ_TAG else [value]
            yield name, tuple([self._header_value(item) for item in items])

    def _header_value(self, node: Node) -> str:
        if node.tag == TEXT_TAG:
            return self.text(node, "a header value")
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

    def _note_rest(self, members: Mapping[str, Node], known: frozenset[str], place: str) -> None:
        if members.keys() <= known:
            return
        for name, value in members.items():
            if name not in known:
                shown = name if name.isidentifier() and len(name) <= 40 else "a member"
                self._not_kept.append(f"{place}{shown} (line {line_of(value)})")
