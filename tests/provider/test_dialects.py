"""The dialects: each at its endpoint, with its provider's head, line ends and event names; and bodies in a coding."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import pytest
import zstandard

from recorder.provider import Provider, Scenario, scenario
from recorder.sse import EventStreamParser

Ask = Callable[..., Any]
ENDPOINTS = [
    # scenario, target, where the key goes, a header that only this provider sends
    ("chat-usage", "/v1/chat/completions", "authorization: Bearer KEY", b"openai-version: 2020-10-01"),
    ("azure", "/openai/deployments/azure/chat/completions?api-version=2024-10-21", "api-key: KEY", b"apim-request-id:"),
    ("openrouter", "/api/v1/chat/completions", "authorization: Bearer KEY", b"permissions-policy: payment=(self)"),
    ("completions", "/v1/completions", "authorization: Bearer KEY", b"openai-organization:"),
    ("responses", "/v1/responses", "authorization: Bearer KEY", b"openai-processing-ms: 12"),
    ("anthropic", "/v1/messages", "x-api-key: KEY", b"anthropic-organization-id:"),
    ("gemini", "/v1beta/models/gemini:streamGenerateContent?alt=sse", "x-goog-api-key: KEY", b"content-disposition:"),
    ("cohere", "/v2/chat", "authorization: Bearer KEY", b"x-debug-trace-id:"),
    ("mcp", "/mcp", "authorization: Bearer KEY", b"mcp-session-id:"),
    ("generation-success", "/v1/generations/generation-success/events", "authorization: Bearer KEY", b"x-accel-buf"),
]
NAMES = {
    "azure": ["message"] * 5,
    "openrouter": ["message"] * 5,
    "completions": ["message"] * 4,
    "responses": [
        "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
        "response.output_text.delta", "response.output_text.delta", "response.output_text.delta",
        "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
    ],
    "anthropic": [
        "message_start", "content_block_start", "ping", "content_block_delta", "content_block_delta",
        "content_block_delta", "content_block_stop", "message_delta", "message_stop",
    ],
    "gemini": ["message"] * 3,
    "cohere": [
        "message-start", "content-start", "content-delta", "content-delta", "content-delta", "content-end",
        "message-end", "message",
    ],
    "mcp": ["message"] * 3,
    "generation-success": ["progress", "progress", "progress", "done"],
    "generation-failed": ["progress", "progress", "error"],
    "generation-null-progress": ["progress", "progress", "done"],
}  # fmt: skip
CRLF = {"gemini", "mcp"}


def payloads(name: str) -> list[Any]:
    """The JSON of each event, without the marker."""
    events = EventStreamParser(utf8="strict").feed(scenario(name).body)
    return [json.loads(event.data) for event in events if event.data != "[DONE]"]


@pytest.mark.parametrize(("name", "target", "key", "header"), ENDPOINTS, ids=[name for name, *_ in ENDPOINTS])
def test_each_dialect_at_its_endpoint(
    plain: Provider, connect: Callable[..., Any], name: str, target: str, key: str, header: bytes
) -> None:
    """The key where its clients put it, the pieces as they are listed, the provider's own head."""
    client = connect(plain)
    method, body = ("GET", b"") if "generations" in target else ("POST", json.dumps({"model": name}).encode())
    lines = [f"{method} {target} HTTP/1.1", "host: x", "connection: close", f"content-length: {len(body)}", key]
    client.send("".join(f"{line}\r\n" for line in [*lines, ""]).replace("KEY", plain.key).encode() + body)
    head, _, rest = client.read_all()[0].partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\ncontent-type: text/event-stream" in head
    assert b"\r\n" + header in head
    assert rest == b"".join(b"%x\r\n%b\r\n" % (len(one.data), one.data) for one in scenario(name).pieces) + b"0\r\n\r\n"
    assert [exchange.scenario for exchange in plain.exchanges] == [name]


def test_a_wrong_method_is_told_the_right_one(plain: Provider, ask: Ask) -> None:
    """A job's events are asked for with GET."""
    answer = ask(plain, target="/v1/generations/generation-failed/events")
    assert (answer.status, answer.error_code) == (405, "method_not_allowed")
    assert b"\r\nallow: GET\r\n" in answer.head
    assert ask(plain, method="GET", target="/v1/generations/nobody/events").error_code == "model_not_found"


def test_the_protocol_that_has_no_models_has_one_scenario(plain: Provider, ask: Ask) -> None:
    """A JSON-RPC request gets the tool call."""
    assert ask(plain, body=b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', target="/mcp").status == 200
    assert plain.exchanges[0].scenario == "mcp"


@pytest.mark.parametrize("name", NAMES)
def test_event_names_and_line_ends(name: str) -> None:
    """As the provider sends them: CR LF everywhere or nowhere."""
    body = scenario(name).body
    assert [event.type for event in EventStreamParser(utf8="strict").feed(body)] == NAMES[name]
    assert body.count(b"\r") == (body.count(b"\n") if name in CRLF else 0)
    assert body.count(b"\r\n") == (body.count(b"\n") if name in CRLF else 0)


def test_azure_begins_with_a_chunk_without_choices() -> None:
    """And without an object marker."""
    first, *others = payloads("azure")
    assert (first["choices"], first["object"], "prompt_filter_results" in first) == ([], "", True)
    assert {each["object"] for each in others} == {"chat.completion.chunk"}


def test_openrouter_sends_comments_and_repeats_the_choice_with_the_usage() -> None:
    """Two comments before anything, one between two events."""
    comments: list[str] = []
    EventStreamParser(on_comment=comments.append).feed(scenario("openrouter").body)
    assert comments == [" OPENROUTER PROCESSING"] * 3
    assert scenario("openrouter").body.startswith(b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: {")
    *_, finish, usage = payloads("openrouter")
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert (usage["choices"][0]["finish_reason"], usage["usage"]["cost"]) == (None, 0.000021)


def test_responses_are_numbered_and_end_with_everything() -> None:
    """The names stand in the JSON too."""
    events = payloads("responses")
    assert [event["sequence_number"] for event in events] == list(range(11))
    assert [event["type"] for event in events] == NAMES["responses"]
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "Hello from a response. 再见 👋"


def test_anthropic_pads_its_json() -> None:
    """Blanks before the last brace; the ping has none."""
    body = scenario("anthropic").body
    assert b'data: {"type":"message_stop"              }\n\n' in body
    assert b'event: ping\ndata: {"type": "ping"}\n\n' in body


def test_gemini_has_usage_on_every_chunk_and_no_marker() -> None:
    """The last chunk has the finish."""
    chunks = payloads("gemini")
    assert [chunk["usageMetadata"]["totalTokenCount"] for chunk in chunks] == [11, 17, 21]
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None, None, "STOP"]
    assert b"[DONE]" not in scenario("gemini").body


def test_completions_hold_text_in_place_of_deltas() -> None:
    """The finish comes with an empty text."""
    choices = [each["choices"][0] for each in payloads("completions")]
    assert [each["text"] for each in choices] == ["Hello ", "from a completion: ñ 👋.", ""]
    assert [each["finish_reason"] for each in choices] == [None, None, "stop"]


def test_null_progress_is_null() -> None:
    """It is there, and it is no number."""
    assert [each["progress"] for each in payloads("generation-null-progress")] == [None, None, None]
    assert [each["progress"] for each in payloads("generation-success")] == [0, 50, 100, 100]


def test_the_first_attempt_is_limited_and_the_next_is_not(plain: Provider, ask: Ask) -> None:
    """The openai clients count their attempts in a header."""
    first = ask(plain, "retry-429", more="connection: close\r\nx-stainless-retry-count: 0\r\n")
    assert (first.status, first.error_code) == (429, "rate_limit_exceeded")
    assert b"\r\nretry-after-ms: 20\r\n" in first.head
    again = ask(plain, "retry-429", more="connection: close\r\nx-stainless-retry-count: 1\r\n")
    assert b"".join(again.chunks()[0]) == scenario("chat-lf").body


def test_an_sdk_s_own_retry_gets_the_stream(secure: Provider) -> None:
    """One 429, one wait of 20 ms, one stream, as the openai client asks for them."""
    import openai

    message: Any = {"role": "user", "content": "Say hello."}
    http = openai.DefaultHttpxClient(verify=secure.ssl_context(), trust_env=False)
    with openai.OpenAI(base_url=secure.url + "/v1", api_key=secure.key, http_client=http, max_retries=1) as sdk:
        chunks = list(sdk.chat.completions.create(model="retry-429", messages=[message], stream=True))
    assert len(chunks) == 11
    assert [exchange.status for exchange in secure.wait_ended()] == [429, 200]


DECODERS: dict[str, Callable[[], Callable[[bytes], bytes]]] = {
    "gzip": lambda: zlib.decompressobj(31).decompress,
    "deflate": lambda: zlib.decompressobj(15).decompress,
    "br": lambda: brotli.Decompressor().process,
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj().decompress,
}


@pytest.mark.parametrize("coding", DECODERS)
def test_a_coding_keeps_the_pieces(plain: Provider, ask: Ask, coding: str) -> None:
    """Each transfer chunk gives exactly its piece to a decoder that had the chunks before; and the coding is named."""
    answer = ask(plain, f"chat-{coding}")
    assert f"\r\ncontent-encoding: {coding}\r\n".encode() in answer.head
    decode, (chunks, complete) = DECODERS[coding](), answer.chunks()
    assert [decode(chunk) for chunk in chunks] == [piece.data for piece in scenario("chat-lf").pieces]
    assert complete
    assert sum(map(len, chunks)) < 700  # of 2440


@pytest.mark.parametrize(("coding", "package"), [("br", "brotli"), ("zstd", "zstandard")])
def test_a_coding_without_its_package(monkeypatch: pytest.MonkeyPatch, coding: str, package: str) -> None:
    """The answer says what to install; the server lives on."""
    monkeypatch.setitem(sys.modules, package, None)
    answer = scenario(f"chat-{coding}")
    assert isinstance(answer, Scenario)
    assert (answer.status, f"pip install {package}".encode() in answer.body) == (501, True)


def test_the_sdks_read_their_dialects(secure: Provider) -> None:
    """anthropic, and openai's Responses and Azure clients, with nothing changed but where they go."""
    import anthropic
    import openai

    text = "Say hello."
    message: Any = {"role": "user", "content": text}
    http = openai.DefaultHttpxClient(verify=secure.ssl_context(), trust_env=False)
    with openai.OpenAI(base_url=secure.url + "/v1", api_key=secure.key, http_client=http, max_retries=0) as sdk:
        *_, final = sdk.responses.create(model="responses", input=text, stream=True)
        assert final.type == "response.completed"
        assert final.response.output_text == "Hello from a response. 再见 👋"
    http = openai.DefaultHttpxClient(verify=secure.ssl_context(), trust_env=False)
    with openai.AzureOpenAI(
        azure_endpoint=secure.url, api_key=secure.key, api_version="2024-10-21", http_client=http, max_retries=0
    ) as sdk:
        chunks = list(sdk.chat.completions.create(model="azure", messages=[message], stream=True))
        assert "".join(each.choices[0].delta.content or "" for each in chunks if each.choices) == "From a deployment."
    client = anthropic.DefaultHttpxClient(verify=secure.ssl_context(), trust_env=False)
    with (
        anthropic.Anthropic(base_url=secure.url, api_key=secure.key, http_client=client, max_retries=0) as sdk,
        sdk.messages.stream(model="anthropic", max_tokens=64, messages=[message]) as stream,
    ):
        assert stream.get_final_text() == "Hello from a message: naïve, 日本, 👋."
    assert [exchange.ended for exchange in secure.wait_ended()] == ["complete"] * 3
