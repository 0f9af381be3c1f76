"""Where the well-known services are, how they want their key, and what a body with one prompt looks like.

Rule: facts only, one line a service; `cometapi` and all others of OpenAI's shape share a body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

Body = Callable[[str, str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Service:
    """One service.

    Attributes:
        url: with `{model}` where the path names the model.
        key_env: the environment variable its documentation uses.
        body: of a model and a prompt.
        contract: the contract that reads its stream.
        auth_header: the header of the key.
        headers: further ones it demands.
    """

    url: str
    key_env: str
    body: Body
    contract: str = "chat"
    auth_header: str = "authorization"
    headers: Mapping[str, str] = field(default_factory=dict)


def contract_for(url: str) -> str:
    """The name of the contract that reads what an endpoint streams, as its path tells; "chat" for any other."""
    path = urlsplit(url).path.rstrip("/")
    return next((name for ending, name in _BY_PATH if path.endswith(ending)), "chat")


_BY_PATH = (
    ("/chat/completions", "chat"),
    ("/completions", "completions"),
    ("/responses", "responses"),
    ("/messages", "messages"),
    (":streamGenerateContent", "gemini"),
    ("/v2/chat", "cohere"),
)


def _chat(model: str, prompt: str) -> dict[str, Any]:
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": prompt}]}


def _anthropic(model: str, prompt: str) -> dict[str, Any]:
    return {"max_tokens": 256, **_chat(model, prompt)}


def _responses(model: str, prompt: str) -> dict[str, Any]:
    return {"model": model, "stream": True, "input": prompt}


def _gemini(_: str, prompt: str) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": prompt}]}]}


SERVICES: Mapping[str, Service] = {
    "anthropic": Service(
        "https://api.anthropic.com/v1/messages",
        "ANTHROPIC_API_KEY",
        _anthropic,
        "messages",
        "x-api-key",
        {"anthropic-version": "2023-06-01"},
    ),
    "cohere": Service("https://api.cohere.com/v2/chat", "CO_API_KEY", _chat, "cohere"),
    "cometapi": Service("https://api.cometapi.com/v1/chat/completions", "COMETAPI_KEY", _chat),
    "deepseek": Service("https://api.deepseek.com/chat/completions", "DEEPSEEK_API_KEY", _chat),
    "gemini": Service(
        "https://generativelanguage.googleapis.com/v1beta/models/{model}:streamGenerateContent?alt=sse",
        "GEMINI_API_KEY",
        _gemini,
        "gemini",
        "x-goog-api-key",
    ),
    "groq": Service("https://api.groq.com/openai/v1/chat/completions", "GROQ_API_KEY", _chat),
    "mistral": Service("https://api.mistral.ai/v1/chat/completions", "MISTRAL_API_KEY", _chat),
    "openai": Service("https://api.openai.com/v1/chat/completions", "OPENAI_API_KEY", _chat),
    "openai-responses": Service("https://api.openai.com/v1/responses", "OPENAI_API_KEY", _responses, "responses"),
    "openrouter": Service("https://openrouter.ai/api/v1/chat/completions", "OPENROUTER_API_KEY", _chat),
    "together": Service("https://api.together.xyz/v1/chat/completions", "TOGETHER_API_KEY", _chat),
    "xai": Service("https://api.x.ai/v1/chat/completions", "XAI_API_KEY", _chat),
}
