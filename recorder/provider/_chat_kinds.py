"""More of the chat family: what a chat completion stream may hold beside one plain text, and how gateways dress it.

Rule: each is complete and shows one thing, but for the two at the end, which show what a careless reader makes of
bytes. Synthetic text, the same bytes in every run.
"""

from __future__ import annotations

from typing import Any

from recorder.provider._blocks import Cut, block, pieces
from recorder.provider._heads import AZURE, OPENAI, OPENROUTER
from recorder.provider._scenario import HeaderPairs, Scenario

_DONE = block("[DONE]")
_USAGE = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}


def _choice(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}


def _chunk(*choices: dict[str, Any], **members: Any) -> bytes:
    head = {
        "id": "chatcmpl-loopback-0003",
        "object": "chat.completion.chunk",
        "created": 1764500000,
        "model": "loopback-1",
        "system_fingerprint": "fp_loopback",
    }
    return block({**head, "choices": list(choices), **members})


def _role(index: int = 0, **more: Any) -> dict[str, Any]:
    return _choice({"role": "assistant", "content": "", **more}, index=index)


def _text(*texts: str) -> list[bytes]:
    return [_chunk(_choice({"content": text})) for text in texts]


def _stop(finish: str = "stop") -> bytes:
    return _chunk(_choice({}, finish))


def _chat(name: str, *blocks: bytes, cuts: tuple[Cut, ...] = (), headers: HeaderPairs = OPENAI) -> Scenario:
    return Scenario(name, headers=headers, pieces=pieces(blocks, cuts))


# Scripts with combining marks, both directions, code points of two, three and four bytes, and JSON's own escapes.
_TEXTS = (
    "Ελληνικά, Русский, עברית. ",
    "नमस्ते, ไทย, 한국어. ",
    "日本語と中文。 ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𓀀 🧑🏽\u200d💻 🏳️\u200d🌈 🇪🇺. ",
    "e\u0301 is é; \u200frtl\u200e mark; \ufeffno break; ",
)
_ESCAPED = rb'"\u00e9\u4e16\ud83d\ude42 \u2028 \"\\\" ok"'
_MULTILINGUAL = (
    _chunk(_role()),
    *_text(*_TEXTS),
    _chunk(_choice({"content": "@"})).replace(b'"@"', _ESCAPED),
    _stop(),
    _DONE,
)


def _call(index: int, arguments: str, **named: Any) -> dict[str, Any]:
    function = {**({"name": named["name"]} if named else {}), "arguments": arguments}
    opened = {"id": named["id"], "type": "function"} if named else {}
    return {"tool_calls": [{"index": index, **opened, "function": function}]}


_TOOLS = (
    _chunk(_choice({"role": "assistant", "content": None, **_call(0, "", id="call_loopback_1", name="get_weather")})),
    _chunk(_choice(_call(0, '{"city":'))),
    _chunk(_choice(_call(0, '"Zürich ☀"}'))),
    _chunk(_choice(_call(1, "", id="call_loopback_2", name="get_time"))),
    _chunk(_choice(_call(1, '{"zone":"Euro'))),
    _chunk(_choice(_call(1, 'pe/Zurich","utc":false}'))),
    _stop("tool_calls"),
    _DONE,
)
_TWO = (
    _chunk(_role(0)),
    _chunk(_role(1)),
    _chunk(_choice({"content": "The first "}, index=0)),
    _chunk(_choice({"content": "The second "}, index=1)),
    _chunk(_choice({"content": "goes on."}, index=1)),
    _chunk(_choice({}, "stop", index=1)),
    _chunk(_choice({"content": "ends later."}, index=0)),
    _chunk(_choice({}, "stop", index=0)),
    _DONE,
)
_REFUSAL = (
    _chunk(_choice({"role": "assistant", "content": None, "refusal": ""})),
    _chunk(_choice({"refusal": "Synthetic refusal: "})),
    _chunk(_choice({"refusal": "this is not answered."})),
    _stop(),
    _DONE,
)
_DETAILS = {
    **_USAGE,
    "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 5, "accepted_prediction_tokens": 0},
}
_WITH_USAGE = (
    _chunk(_role(), usage=None),
    _chunk(_choice({"content": "Counted."}), usage=None),
    _chunk(_choice({}, "stop"), usage=None),
    _chunk(usage=_DETAILS),
    _DONE,
)

_SAFE = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}
_AZURE_HEAD = block(
    {
        "choices": [],
        "created": 0,
        "id": "",
        "model": "",
        "object": "",
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _SAFE}],
    }
)
_AZURE = (
    _AZURE_HEAD,
    _chunk({**_role(), "content_filter_results": {}}),
    _chunk({**_choice({"content": "From a deployment."}), "content_filter_results": _SAFE}),
    _chunk({**_choice({}, "stop"), "content_filter_results": {}}),
    _DONE,
)
_PROCESSING = b": OPENROUTER PROCESSING\n\n"
_OPENROUTER = (
    _PROCESSING,
    _PROCESSING,
    _chunk({**_role(), "native_finish_reason": None}, provider="Loopback"),
    _PROCESSING,
    _chunk({**_choice({"content": "Routed."}), "native_finish_reason": None}, provider="Loopback"),
    _chunk({**_choice({"content": ""}, "stop"), "native_finish_reason": "stop"}, provider="Loopback"),
    _chunk(_choice({"role": "assistant", "content": ""}), provider="Loopback", usage={**_USAGE, "cost": 0.000021}),
    _DONE,
)

# One transfer chunk holds the broken JSON and, after it, a byte that is not UTF-8. Who decodes chunk by chunk and
# strictly meets the second fault and never the first; in other chunks the same bytes give the same reader the first.
_BAD_JSON = _chunk(_choice({"content": "broken"})).replace(b'"finish_reason":null}]', b'"finish_reason":nul')
_BAD_UTF8 = _chunk(_choice({"content": "not @ UTF-8"})).replace(b"@", b"\xff")

CHAT_KINDS = (
    _chat(
        "chat-multilingual",
        *_MULTILINGUAL,
        cuts=(("Ελλ", -1), ("नमस्", -2), ("日", 1), ("𝔘", 3), ("\u0301", 1), ("\\ud83d\\ude42", 6)),
    ),
    _chat("chat-usage", *_WITH_USAGE),
    _chat("chat-tools", *_TOOLS, cuts=(('{\\"city\\"', -1), ("Zü", -1), ("Euro", 4))),
    _chat("chat-n2", *_TWO),
    _chat("chat-refusal", *_REFUSAL),
    _chat("chat-length", _chunk(_role()), *_text("This answer stops in the mid"), _stop("length"), _DONE),
    _chat("azure", *_AZURE, headers=AZURE),
    _chat("openrouter", *_OPENROUTER, headers=OPENROUTER),
    _chat("marker-only", _DONE),
    _chat("json-then-utf8", _chunk(_role()), *_text("Good so far. "), _BAD_JSON + _BAD_UTF8, _stop(), _DONE),
)
