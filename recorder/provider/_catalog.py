"""Every scenario that ships, by name. A new family is one file and one line here."""

from __future__ import annotations

from recorder.provider._chat import CHAT_SCENARIOS
from recorder.provider._faults import FAULT_SCENARIOS
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import AnyScenario, BuiltScenario, Scenario

CATALOG: dict[str, AnyScenario] = {one.name: one for one in (*CHAT_SCENARIOS, *FAULT_SCENARIOS)}

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
