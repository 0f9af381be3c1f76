"""Every scenario that ships, by name. A new family is one file and one line here."""

from __future__ import annotations

from recorder.provider._anthropic import ANTHROPIC_SCENARIOS
from recorder.provider._chat import CHAT_SCENARIOS
from recorder.provider._chat_kinds import CHAT_KINDS
from recorder.provider._coded import CODED_SCENARIOS
from recorder.provider._cohere import COHERE_SCENARIOS
from recorder.provider._completions import COMPLETIONS_SCENARIOS
from recorder.provider._faults import FAULT_SCENARIOS
from recorder.provider._gemini import GEMINI_SCENARIOS
from recorder.provider._generation import GENERATION_SCENARIOS
from recorder.provider._mcp import MCP_SCENARIOS
from recorder.provider._request import SeenRequest
from recorder.provider._responses import RESPONSES_SCENARIOS
from recorder.provider._scenario import AnyScenario, BuiltScenario, Scenario

_FAMILIES: tuple[tuple[AnyScenario, ...], ...] = (
    CHAT_SCENARIOS,
    FAULT_SCENARIOS,
    CHAT_KINDS,
    CODED_SCENARIOS,
    COMPLETIONS_SCENARIOS,
    RESPONSES_SCENARIOS,
    ANTHROPIC_SCENARIOS,
    GEMINI_SCENARIOS,
    COHERE_SCENARIOS,
    MCP_SCENARIOS,
    GENERATION_SCENARIOS,
)
CATALOG: dict[str, AnyScenario] = {one.name: one for family in _FAMILIES for one in family}

_EXAMPLE = SeenRequest(
    "POST", "/v1/chat/completions", "1.1", (("authorization", "Bearer sk-loopback-example"),), b"{}", True
)


def scenario_names() -> tuple[str, ...]:
    """The names of the shipped scenarios: what a request's `model` may say."""
    return tuple(CATALOG)


def scenario(name: str, request: SeenRequest | None = None) -> Scenario:
    """A shipped scenario.

    Args:
        name: one of `scenario_names()`.
        request: what a scenario that depends on the request is built from; one with the key "sk-loopback-example"
            unless given.

    Raises:
        ValueError: no such scenario ships.
    """
    if name not in CATALOG:
        raise ValueError(f"scenario({name!r}): the provider ships {', '.join(CATALOG)}")
    found = CATALOG[name]
    return found(request or _EXAMPLE) if isinstance(found, BuiltScenario) else found
