"""Which answer a request gets: the paths, the credentials they take, and refusals in OpenAI's error shape.

Rule: a pure function of the request. Order: key, path, method, size, JSON (not of a GET), scenario; an unauthorized
client learns nothing else. It does not know the wire.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from recorder.provider._request import SeenRequest
from recorder.provider._scenario import AnyScenario, BuiltScenario, HeaderPairs, Scenario, document


@dataclass(frozen=True, slots=True)
class Route:
    """One kind of path.

    Args:
        path: the whole path; a group named `model` names the scenario.
        default: the scenario when the body has no `model`.
        key_header: where the key may be, beside the bearer header.
        key_query: the query parameter where it may be.
        method: the one that is answered; a GET has no body to look at.
    """

    path: re.Pattern[str]
    default: str | None = None
    key_header: str | None = None
    key_query: str | None = None
    method: str = "POST"


ROUTES = (
    Route(re.compile(r"(/openai)?/v1/chat/completions"), default="chat-lf"),
    Route(re.compile(r"/v1/(completions|responses)")),
    Route(re.compile(r"/openai/deployments/(?P<model>[^/]+)/chat/completions"), key_header="api-key"),  # Azure
    Route(re.compile(r"/api/v1/chat/completions")),  # OpenRouter
    Route(re.compile(r"/v1/messages"), key_header="x-api-key"),
    Route(re.compile(r"/v1(beta)?/models/(?P<model>[^/:]+):streamGenerateContent"), None, "x-goog-api-key", "key"),
    Route(re.compile(r"/v2/chat")),
    Route(re.compile(r"/mcp"), default="mcp"),
    Route(re.compile(r"/v1/generations/(?P<model>[^/]+)/events"), method="GET"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What to answer.

    Args:
        answer: the scenario to send.
        name: by which name it was asked for; None when the provider refuses the request itself.
    """

    answer: Scenario
    name: str | None = None


def authorized(request: SeenRequest, key: str) -> bool:
    """Whether the request carries `key` where its path takes it."""
    route = _route(request.path)
    found = [request.bearer]
    if route and route.key_header:
        found.append(request.header(route.key_header))
    if route and route.key_query:
        found.append(request.query(route.key_query))
    return any(hmac.compare_digest(one.encode(), key.encode()) for one in found if one is not None)


def choose(request: SeenRequest, too_large: bool, scenarios: Mapping[str, AnyScenario]) -> Choice:
    """The answer to a request: the scenario its model names, or a refusal."""
    route = _route(request.path)
    if not request.authorized:
        return refusal(401, "Incorrect API key provided.", "invalid_api_key", (("www-authenticate", "Bearer"),))
    if route is None:
        return refusal(404, "Unknown path.", "unknown_url")
    if request.method != route.method:
        allowed = (("allow", route.method),)
        return refusal(405, f"Only {route.method} is answered here.", "method_not_allowed", allowed)
    if too_large:
        return refusal(413, "The request body is too large.", "request_too_large")
    if route.method == "GET":
        return _named(_model(route, request.path, {}), request, scenarios)
    try:
        body = request.json()
    except ValueError:
        return refusal(400, "The request body is not JSON.", "invalid_json")
    if not isinstance(body, dict):
        return refusal(400, "The request body is not a JSON object.", "invalid_type")
    return _named(_model(route, request.path, body), request, scenarios)


def refusal(status: int, message: str, code: str, headers: HeaderPairs = ()) -> Choice:
    """An error of the provider itself."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    body = json.dumps({"error": error}, separators=(",", ":")).encode()
    return Choice(document(f"refusal-{status}", status, "application/json", body, headers))


def _route(path: str) -> Route | None:
    return next((route for route in ROUTES if route.path.fullmatch(path)), None)


def _model(route: Route, path: str, body: Mapping[str, object]) -> object:
    match = route.path.fullmatch(path)
    if match and "model" in match.groupdict():
        return match["model"]
    return body.get("model", route.default)


def _named(model: object, request: SeenRequest, scenarios: Mapping[str, AnyScenario]) -> Choice:
    if not isinstance(model, str):
        return refusal(400, "model: a text that names a scenario.", "invalid_type")
    if model not in scenarios:
        return refusal(404, "The model does not exist.", "model_not_found")
    found = scenarios[model]
    return Choice(found(request) if isinstance(found, BuiltScenario) else found, model)
