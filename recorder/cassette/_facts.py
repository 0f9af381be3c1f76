"""What stands under `recorder:` in a response: digest, chunk list, end, and the facts of the recording.

Rule: the chunk list counts only while the digest says that the body is the recorded one; a list that does not fit a
body that does is a broken file. Not known here: the rest of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from recorder.cassette._model import Chunk, EndKind, Recording, StreamEnd
from recorder.cassette._values import Values
from recorder.cassette._write import FACTS, FORMAT
from recorder.cassette._yaml import Node, line_of

_KINDS = ", ".join(EndKind)


@dataclass(frozen=True, slots=True)
class Facts:
    """What `recorder:` says; `edited_line` is the line of a digest that does not fit the body."""

    chunks: tuple[Chunk, ...] | None = None
    end: StreamEnd | None = None
    recording: Recording | None = None
    edited_line: int | None = None


def read_facts(
    values: Values, node: Node, body: bytes, *, accept: bool, taken: Sequence[tuple[Chunk, ...]] | None
) -> Facts:
    """Read and check the member `recorder`.

    Args:
        values: takes values out of nodes.
        node: the member.
        body: the response body beside it.
        accept: the body is right whatever the digest says.
        taken: chunk lists that are not in the tree; who took them also checks them and the digest.

    Raises:
        CassetteError: with the place, what is wrong and what would be right.
    """
    members = values.mapping(node, "recorder")
    version = values.need(node, members, "format", "recorder")
    if values.text(version, "recorder.format") != str(FORMAT):
        raise values.fail(version, f"recorder.format is not {FORMAT}; a newer sse-recorder wrote this, upgrade it")
    edited_line = None
    if taken is not None:
        chunks = taken[int(members["chunks"].value)] if "chunks" in members else None
    else:
        edited_line = None if accept and "sha256" not in members else _edited_line(values, node, members, body)
        chunks = _chunks_of_body(values, members, body, accept) if edited_line is None else None
    end = _end(values, members["end"]) if "end" in members else None
    recording = _recording(values, members)
    return Facts(chunks, end, None if recording == Recording() else recording, edited_line)


def _edited_line(values: Values, node: Node, members: Mapping[str, Node], body: bytes) -> int | None:
    digest = values.need(node, members, "sha256", "recorder")
    return None if values.string(digest, "sha256") == sha256(body).hexdigest() else line_of(digest)


def _chunks_of_body(values: Values, members: Mapping[str, Node], body: bytes, accept: bool) -> tuple[Chunk, ...] | None:
    if "chunks" not in members:
        return None
    chunks = _chunks(values, members["chunks"])
    total = sum([chunk.size for chunk in chunks])
    if total == len(body):
        return chunks
    if accept:
        return None
    problem = f"the chunk sizes sum to {total}, the body has {len(body)} bytes"
    raise values.fail(members["chunks"], f"{problem}; `recorder verify --accept` drops the list")


def _chunks(values: Values, node: Node) -> tuple[Chunk, ...]:
    chunks = []
    for item in values.sequence(node, "chunks"):
        pair = values.sequence(item, "a chunk")
        if len(pair) != 2:
            raise values.fail(item, f"a chunk of {len(pair)} numbers; [milliseconds, bytes] is right")
        delay_s = values.seconds(pair[0], "the delay of a chunk")
        chunks.append(Chunk(delay_s, values.number(pair[1], "the size of a chunk", 1)))
    return tuple(chunks)


def _end(values: Values, node: Node) -> StreamEnd:
    members = values.mapping(node, "end")
    kind_node = values.need(node, members, "kind", "end")
    kind = values.text(kind_node, "end.kind")
    if kind not in set(EndKind):
        raise values.fail(kind_node, f"end.kind is none of {_KINDS}; write one of them")
    after_s = values.seconds(members["after_ms"], "end.after_ms") if "after_ms" in members else 0.0
    seen = values.flag(members["terminal_seen"], "end.terminal_seen") if "terminal_seen" in members else None
    return StreamEnd(EndKind(kind), after_s, seen)


def _recording(values: Values, members: Mapping[str, Node]) -> Recording:
    def strings(name: str) -> dict[str, str]:
        return values.strings(members[name], name) if name in members else {}

    def string(name: str) -> str | None:
        return values.string(members[name], name) if name in members else None

    return Recording(
        head_s=values.seconds(members["head_ms"], "head_ms") if "head_ms" in members else None,
        wire=strings("wire"),
        recorded=string("recorded"),
        client=strings("client"),
        tool=string("tool"),
        outcome=strings("outcome"),
        sanitizer=_plain(values, members["sanitizer"], "sanitizer") if "sanitizer" in members else {},
        imported=_imported(values, members["imported"]) if "imported" in members else {},
        extra={name: values.plain(value, "recorder") for name, value in members.items() if name not in FACTS},
    )


def _plain(values: Values, node: Node, what: str) -> dict[str, Any]:
    return {name: values.plain(value, what) for name, value in values.mapping(node, what).items()}


def _imported(values: Values, node: Node) -> dict[str, Any]:
    members = values.mapping(node, "imported")
    for name in ("format", "body"):
        if name in members:
            values.string(members[name], f"imported.{name}")
    if "unknown" in members:
        for item in values.sequence(members["unknown"], "imported.unknown"):
            values.string(item, "a value of imported.unknown")
    return _plain(values, node, "imported")
