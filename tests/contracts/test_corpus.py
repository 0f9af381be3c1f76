"""Every body of the public recordings: its dialect, its verdict, and the same verdict for every partition.

Collected only when the environment variable RECORDER_CORPUS names the folder with the files and their MANIFEST.json
(see conftest.py). The bodies are read by the shortest means that gives their bytes; importers are tested elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from recorder.contracts import body_kind, detect, named, read

FOLDER = Path(os.environ["RECORDER_CORPUS"])
MANIFEST = {each["file"]: each for each in json.loads((FOLDER / "MANIFEST.json").read_text("utf-8"))["files"]}

Body = tuple[dict[str, Any], bytes]
"""The response's headers, and its body, content-decoded."""


class _Loader(yaml.SafeLoader):
    """Plain values only: what stands under a Python tag is taken as text, and never run."""


def _as_text(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    inside = node.value[0] if isinstance(node, yaml.SequenceNode) else node.value[0][1]
    return _as_text(loader, suffix, inside)


def _mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    built = [(loader.construct_object(key, deep=True), value) for key, value in node.value]
    return {key: loader.construct_object(value, deep=True) for key, value in built}


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _as_text)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("!binary", lambda loader, node: base64.b64decode(loader.construct_scalar(node)))


def _bytes(body: Any) -> bytes:
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def _pairs(headers: Any) -> dict[str, Any]:
    """Headers as a mapping, whether they come as one or as a list of names and values."""
    return headers if isinstance(headers, dict) else {each["name"]: each["value"] for each in headers or ()}


def _of_response(response: dict[str, Any]) -> Body:
    """One response of vcrpy, go-vcr, Ruby VCR, httpmock, WireMock, a HAR, or the JSON of an SDK's own recorder."""
    if "base64Body" in response:
        return _pairs(response.get("headers")), base64.b64decode(response["base64Body"])
    body = response.get("body", response.get("content", response.get("parsed_body")))
    if isinstance(body, dict) and not body.keys().isdisjoint(("string", "text", "kind")):
        chunks = "".join(
            f"{each}\n\n" for each in body.get("chunks", ())
        )  # a list of events, without their blank lines
        body = body.get("string", body.get("text", chunks or body.get("value", "")))
    return _pairs(response.get("headers", response.get("header"))), _bytes(body)


def _of_document(document: Any) -> Iterator[Body]:
    if isinstance(document, list):
        for each in document:
            yield from _of_nock(each) if isinstance(each["response"], str) else [_of_response(each["response"])]
    elif "Entries" in document:  # the Azure SDK's test proxy: the body as a list of lines
        for each in document["Entries"]:
            yield each["ResponseHeaders"], "".join(each["ResponseBody"]).encode()
    elif "then" in document:
        yield _of_response(document["then"])
    elif "responses" in document:
        yield from map(_of_response, document["responses"])
    elif "response" in document:
        yield _of_response(document["response"])
    else:
        entries = document.get("log", document)
        several = next(entries[key] for key in ("entries", "interactions", "http_interactions") if key in entries)
        yield from (_of_response(each["response"]) for each in several)


def _of_nock(each: dict[str, Any]) -> Iterator[Body]:
    body = each["response"]
    yield each.get("headers", {}), bytes.fromhex(body) if each.get("responseIsBinary") else body.encode()


def _of_httprr(content: bytes) -> Iterator[Body]:
    """A version line, the sizes of a request and a response, and both as they were on the wire."""
    sizes, rest = content.split(b"\n", 2)[1:]
    request, response = map(int, sizes.split())
    head, body = rest[request : request + response].split(b"\r\n\r\n", 1)
    pairs = (line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
    yield {name.decode(): value.decode() for name, value in pairs}, body


@cache
def bodies(name: str) -> list[Body]:
    """All response bodies of a file, in order."""
    content = _bytes((FOLDER / name).read_bytes())
    if name.startswith("raw-"):
        return [({}, content)]
    if name.startswith("httprr-"):
        return list(_of_httprr(content))
    is_yaml = name.removesuffix(".gz").endswith(".yaml")
    documents = yaml.load_all(content, Loader=_Loader) if is_yaml else [json.loads(content)]  # a safe loader
    return [body for document in documents for body in _of_document(document)]


# What each file's event streams are, in order: the dialect and the verdict; None for an interface without a contract.
CHAT, RESPONSES, MESSAGES, GEMINI = (((name, "accepted"),) for name in ("chat", "responses", "messages", "gemini"))
STREAMS: dict[str, tuple[tuple[str, str] | None, ...]] = {
    # Two Gemini streams and one of the newer "interactions" interface, which is another dialect.
    "btjson-gemini-streamgeneratecontent-braintrustsd-01.json": (None, *GEMINI * 2),
    "govcr-groq-chatcompletions-fantasy-01.yaml": CHAT * 2,
    "govcr-xai-chatcompletions-fantasy-01.yaml": CHAT,
    "govcr-zai-chatcompletions-fantasy-01.yaml": CHAT * 2,
    "httpmock-chatgpt-responses-rig-01.yaml": RESPONSES,
    "httpmock-llamacpp-chatcompletions-rig-01.yaml": CHAT * 2,
    "httpmock-openai-responses-rig-01.yaml": RESPONSES,
    "httpmock-venice-chatcompletions-rig-01.yaml": CHAT,
    # Perplexity sends no marker: the stream ends after its finish, which `chat/finish` accepts.
    "httprr-perplexity-chatcompletions-langchaingo-01.txt": (("chat", "missing_terminal"),),
    "jsonlist-anthropic-messages-anthropicsdk-02.json": MESSAGES,
    # Trimmed by hand to two chunks, neither with a finish reason.
    "nock-gemini-streamgeneratecontent-lmnrts-01.json": (("gemini", "missing_terminal"),),
    "pollyhar-together-chatcompletions-openllmetryj-01.har": CHAT,
    "pollyharyaml-sourcegraph-code-cody-01.har.yaml": (None, None),
    # A fixture cut on purpose, and its last event has no blank line.
    "raw-anthropic-messages-anthropicsdk-01.txt": (("messages", "missing_terminal"),),
    "raw-anthropic-messages-anthropicsdk-02.txt": MESSAGES,
    "raw-openai-chatcompletions-openaipython-03.txt": CHAT,
    "raw-openai-responses-braintrustsd-01.txt": RESPONSES,
    # The account's quota was spent: an event `error`, then `response.failed`.
    "raw-openai-responses-langwatch-01.txt": (("responses", "upstream_error"),),
    "rubyvcr-anthropic-messages-anthropic-01.yaml": MESSAGES,
    "rubyvcr-bedrock-responses-rubyllm-01.yaml": RESPONSES,
    "rubyvcr-openrouter-chatcompletions-activeagent-01.yaml": CHAT * 2,
    "rubyvcr-vertex-streamgeneratecontent-rubyllm-01.yaml": GEMINI * 4,
    "testproxy-openai-audio-openaidotnet-01.json": (None,),
    "vcrpy-a2a-jsonrpcstream-crewai-01.yaml": (("jsonrpc", "accepted"),),
    "vcrpy-anthropic-messages-llmclaude3-01.yaml": MESSAGES,
    "vcrpy-anthropic-messages-magentic-01.yaml": MESSAGES,
    "vcrpy-anthropic-messages-pydanticai-01.yaml": MESSAGES,
    "vcrpy-anthropic-messages-pydanticai-02.yaml": MESSAGES,
    "vcrpy-anthropic-messages-pydanticai-03.yaml": MESSAGES,
    "vcrpy-azureopenai-chatcompletions-crewai-01.yaml": CHAT,
    "vcrpy-cloudflareai-chatcompletions-chatlas-01.yaml": CHAT,
    "vcrpy-cohere-coherev2-langchaincoh-01.yaml": (("cohere", "accepted"),),
    "vcrpy-databricks-chatcompletions-chatlas-01.yaml": CHAT * 4,
    "vcrpy-deepseek-chatcompletions-chatlas-01.yaml": CHAT * 3,
    "vcrpy-deepseek-responses-pydanticai-01.yaml": RESPONSES * 2,
    "vcrpy-gemini-chatcompletions-magentic-02.yaml": CHAT,
    "vcrpy-gemini-interactions-openinferenc-01.yaml": (None,),
    "vcrpy-gemini-streamgeneratecontent-braintrustsd-01.yaml": GEMINI * 2,
    "vcrpy-gemini-streamgeneratecontent-mirascope-01.yaml": GEMINI * 2,
    "vcrpy-gemini-streamgeneratecontent-newrelicpyth-01.yaml": GEMINI * 6,
    "vcrpy-huggingface-chatcompletions-pydanticai-01.yaml": CHAT,
    # Two choices were asked for; the proxy passes on a finish of the first one alone.
    "vcrpy-litellmproxy-chatcompletions-ddtracepy-01.yaml": (("chat", "missing_finish"),),
    "vcrpy-mistral-chatcompletions-chatlas-01.yaml": CHAT,
    "vcrpy-mistral-chatcompletions-openinferenc-01.yaml": CHAT,
    "vcrpy-ollama-chatcompletions-magentic-01.yaml": CHAT,
    "vcrpy-openai-chatcompletions-magentic-01.yaml": CHAT * 2,
    "vcrpy-openrouter-chatcompletions-logfire-01.yaml": CHAT,
    "vcrpy-openrouter-responses-pydanticai-01.yaml": RESPONSES,
    # The first stream was edited: its first line begins with a blank, so the standard drops the event of the role.
    "vcrpy-openrouterviaopenaisdk-chatcompletions-llm-01.yaml": CHAT * 2,
    "vcrpy-replicate-predictionsstream-openllmetry-01.yaml": (None,),
    # Snowflake sends no finish reason at all before its marker.
    "vcrpy-snowflake-chatcompletions-pydanticai-01.yaml": (("chat", "missing_finish"),),
    "vcrpy-vertex-streamgeneratecontent-opentelemetr-01.yaml": GEMINI,
    # Writer's own events, {"value": ...}, and the end of the stream: no marker, no finish, no dialect of ours.
    "vcrpy-writer-completions-openllmetry-01.yaml": (None,),
}
TERMINALS = {  # what must stand in a body that was accepted
    "chat": (b"data: [DONE]",),
    "responses": (b'"response.completed"', b'"response.incomplete"'),
    "messages": (b'"message_stop"',),
    "gemini": (b'"finishReason"',),
    "cohere": (b'"message-end"',),
    "jsonrpc": (b'"final":true',),
}
NAMES = sorted(MANIFEST)


def event_streams(name: str) -> list[Body]:
    return [(head, body) for head, body in bodies(name) if body_kind(body) == "event-stream"]


def streams(*codes: str) -> list[Any]:
    """Each event stream that has a contract: file, number, dialect, verdict; those with these verdicts alone."""
    return [
        pytest.param(name, number, *found, id=f"{name}-{number}")
        for name, expected in STREAMS.items()
        for number, found in enumerate(expected)
        if found is not None and (not codes or found[1] in codes)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_dialect_of_every_body(name: str) -> None:
    """Event streams by their dialect; whatever else is in the file is none, and shows none."""
    found = [detect(head, body[:65_536]) for head, body in event_streams(name)]
    assert found == [each and each[0] for each in STREAMS.get(name, ())]
    assert found == [detect({}, body[:4_096]) for _, body in event_streams(name)]
    others = [(head, body) for head, body in bodies(name) if body_kind(body) != "event-stream"]
    assert all(detect(head, body[:65_536]) is None for head, body in others)
    assert len(found) == MANIFEST[name]["n_sse_interactions"] - ELSEWHERE.get(name, 0)


ELSEWHERE = {
    "btjson-gemini-streamgeneratecontent-braintrustsd-01.json": 1,  # one stream is empty, or in a file that is not here
    "vcrpy-gemini-streamgeneratecontent-mirascope-02.yaml": 1,  # a JSON error sent as text/event-stream
}
KINDS = {
    "aws-eventstream": {
        "govcr-bedrock-invokestream-fantasy-01.yaml",
        "nock-bedrock-conversestream-opentelemetr-01.json",
        "vcrpy-bedrock-invokestream-ddtracejs-01.yaml",
        "vcrpy-lists-gz-bedrock-conversestream-langchainaws-02.yaml.gz",
        "wiremockyaml-bedrock-invokestream-opentelemetr-01.yaml",
    },
    "ndjson": {"vcrpy-cohere-v1chat-agentops-01.yaml", "vcrpy-ollama-ollama-magentic-01.yaml"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_that_are_another_kind_of_stream(kind: str) -> None:
    """Recognised in exactly the files that have them."""
    assert {name for name in NAMES if kind in {body_kind(body) for _, body in bodies(name)}} == KINDS[kind]


@pytest.mark.parametrize(("name", "number", "dialect", "code"), streams())
def test_the_verdict_of_every_stream(name: str, number: int, dialect: str, code: str) -> None:
    """The same whole, byte by byte and in 200 random partitions; accepted only where a terminal is there."""
    body = event_streams(name)[number][1]
    contract = named(dialect)
    whole = read([body], contract)
    assert whole.code == code
    if whole.ok:
        assert any(terminal in body for terminal in TERMINALS[dialect])
        assert (
            MANIFEST[name]["terminal_marker_present"]
            or "finishReason (no marker event)" in (MANIFEST[name]["terminal_markers"])
        )
    for chunks in partitions(body, f"{name} {number}"):
        verdict = read(chunks, contract)
        assert verdict == whole
        assert getattr(verdict, "partial", None) == getattr(whole, "partial", None)


def partitions(body: bytes, seed: str) -> Iterator[list[bytes]]:
    yield [body[at : at + 1] for at in range(len(body))]
    rng = random.Random(seed)
    for _ in range(200):
        cuts = sorted(int(rng.random() * len(body)) for _ in range(1 + int(rng.random() * 30)))
        yield [body[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(body)], strict=True) if start < stop]


@pytest.mark.parametrize(("name", "number", "dialect", "code"), streams("accepted"))
def test_a_stream_without_its_last_blank_line(name: str, number: int, dialect: str, code: str) -> None:
    """What was accepted is accepted no more where the event that completed it is not ended."""
    body, contract = event_streams(name)[number][1], named(dialect)
    complete = body[: read([body], contract).bytes_read]
    assert read([complete], contract).code == code
    assert read([complete.rstrip(b"\r\n")], contract).code == "missing_terminal"


def test_a_stream_without_a_marker_is_accepted_on_demand() -> None:
    """`chat/finish` is for providers that end with a finish and nothing after it."""
    body = event_streams("httprr-perplexity-chatcompletions-langchaingo-01.txt")[0][1]
    assert read([body], named("chat/finish")).finish == "stop"
