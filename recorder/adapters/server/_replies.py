"""Which answer a request gets: the plan in front of the path or in a header, the recorded interaction, or an error.

Rule: whatever is not recorded is answered with JSON that says so, in the shape in which the providers' SDKs look for a
message; it never repeats a prompt. Any web page may read the answers (CORS): a cassette holds no secrets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from recorder.adapters import PlanChoice
from recorder.adapters._choice import WHOLE
from recorder.adapters._message import Message, message
from recorder.adapters.loopback import HttpRequest
from recorder.cassette import Headers, Request
from recorder.coding import CodingError
from recorder.errors import PlanError
from recorder.matching import NoMatch, Playback
from recorder.plans import Contract, Deliver, End, Ending, Framing

_ABSOLUTE = re.compile(r"\Ahttps?://[^/?]*", re.IGNORECASE)  # the absolute form, RFC 9112 section 3.2.2
PLAN_HEADER = "x-recorder-plan"
_ALLOWED_ORIGIN = frozenset(
    {"access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers"}
)
_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,4})?|[A-Za-z0-9.-]+:[1-5][0-9]{4}")
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with what chooses its plan taken out.

    Attributes:
        request: as it came.
        path: without the plan in front and without the query.
        target: without the plan in front.
        plan: the text of the plan it asks for; None leaves it to the server.
    """

    request: HttpRequest
    path: str
    target: str = field(repr=False)
    plan: str | None

    @classmethod
    def of(cls, request: HttpRequest) -> Asked:
        """Take apart `/~<plan>/v1/...`, or `/v1/...` with the header."""
        target = _ABSOLUTE.sub("", request.target) or "/"
        plan = request.header(PLAN_HEADER)
        if target.startswith("/~") and not target.startswith("/~recorder/"):
            segment, slash, rest = target[2:].partition("/")
            plan, target = unquote(segment), slash + rest or "/"
        return cls(request, target.partition("?")[0], target, plan)

    def as_recorded(self, scheme: str, method: str | None = None) -> Request:
        """The request as it is compared with those that were recorded."""
        headers = [(name, value) for name, value in self.request.headers if name != PLAN_HEADER]
        host = self.request.header("host") or ""
        host = host if _HOST.fullmatch(host) else "127.0.0.1"
        uri = f"{scheme}://{host}{self.target}"
        return Request(method or self.request.method, uri, Headers(headers), self.request.body or None)


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, and what is noted of it.

    Attributes:
        message: what is sent.
        interaction: the number of the recorded interaction, from 1; None when it is not recorded.
        attempt: how many requests like it came before.
        plan: the plan of the delivery.
        error: why nothing recorded is sent.
    """

    message: Message
    interaction: int | None = None
    attempt: int | None = None
    plan: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Replies:
    """What is served.

    Attributes:
        playback: the recorded interactions.
        choice: the plans of requests that ask for none.
        scheme: "http" or "https".
        contract: says which event is the terminal one; detected unless given.
    """

    playback: Playback
    choice: PlanChoice
    scheme: str
    contract: Contract | None = None

    def reply(self, asked: Asked) -> Reply:
        """What to send. Nothing that a client asks for raises here.

        Raises:
            Exception: what a callable raises that the owner of the server gave as the plan.
        """
        method = asked.request.method
        if method == "OPTIONS" and not self._has(asked, "OPTIONS"):
            return _options(asked, self._allowed(asked))
        if method == "HEAD" and not self._has(asked, "HEAD"):
            return self._head(asked)
        request = asked.as_recorded(self.scheme)
        try:
            played = self.playback.answer(request)
        except NoMatch as miss:
            return self._miss(asked, miss)
        position, interaction = played.position + 1, played.interaction
        try:
            choice = self.choice if asked.plan is None else PlanChoice.of(asked.plan, self.contract)
            plan = choice.for_request(request, played.attempt, interaction)
            answer = message(interaction, plan, method=method, contract=self.contract)
        except (PlanError, CodingError) as error:
            code = "plan_error" if isinstance(error, PlanError) else "coding_error"
            return refusal(400, code, str(error), asked)
        return Reply(_shared(answer, asked), position, played.attempt, str(plan))

    def _has(self, asked: Asked, method: str) -> bool:
        return bool(self.playback.matches(asked.as_recorded(self.scheme, method)))

    def _head(self, asked: Asked) -> Reply:
        """HEAD is answered as GET would be, but for the body, and plays nothing."""
        matching = self.playback.matches(asked.as_recorded(self.scheme, "GET"))
        if not matching:
            return self._miss(asked, self.playback.miss(asked.as_recorded(self.scheme)))
        interaction = self.playback.cassette.interactions[matching[0]]
        return Reply(_shared(message(interaction, WHOLE, method="HEAD"), asked), matching[0] + 1, None, str(WHOLE))

    def _miss(self, asked: Asked, miss: NoMatch) -> Reply:
        """404, or 405 where another method would find something (RFC 9110 section 15.5.6)."""
        told = miss.to_dict()
        code = told.pop("error")
        allowed = self._allowed(asked) if miss.methods else ()
        if not allowed or asked.request.method in allowed:  # HEAD of what GET finds with another query
            return refusal(404, code, str(miss), asked, **told)
        reply = refusal(405, "method_not_recorded", str(miss), asked, **told)
        allow = ("allow", ", ".join(allowed))
        return replace(reply, message=replace(reply.message, headers=(*reply.message.headers, allow)))

    def _allowed(self, asked: Asked) -> tuple[str, ...]:
        """The methods that a path has an answer for: those recorded, HEAD for GET, and OPTIONS; none if unrecorded."""
        recorded = self.playback.methods(asked.as_recorded(self.scheme))
        if not recorded:
            return ()
        more = {"HEAD"} if "GET" in recorded else set()
        return tuple(sorted({*recorded, *more, "OPTIONS"}, key=lambda method: (method == "OPTIONS", method)))


def document(status: int, content: Any, asked: Asked | None = None) -> Message:
    """A JSON document, in one piece."""
    body = json.dumps(content, indent=2).encode() + b"\n"
    headers = (("content-type", "application/json"), ("cache-control", "no-store"))
    end = End(Ending.COMPLETE)
    if asked is not None and asked.request.method == "HEAD":
        return _shared(Message(status, HTTPStatus(status).phrase, headers, [end]), asked)
    whole = Message(status, HTTPStatus(status).phrase, headers, [Deliver(body), end], Framing.LENGTH, len(body))
    return whole if asked is None else _shared(whole, asked)


def refusal(status: int, code: str, message: str, asked: Asked | None = None, **more: Any) -> Reply:
    """An error of the server's own."""
    error = {"message": message, "type": "recorder", "code": code, **more}
    return Reply(document(status, {"error": error}, asked), error=code)


def _options(asked: Asked, allowed: tuple[str, ...]) -> Reply:
    """A preflight request (Fetch standard, CORS protocol), or a question about methods.

    A page may ask with any method, so that it can read why there is no answer.
    """
    headers = [("allow", ", ".join(allowed) or METHODS)]
    if asked.request.header("access-control-request-method") is not None:
        wanted = asked.request.header("access-control-request-headers") or "*"
        headers.append(("access-control-allow-methods", METHODS))
        headers.append(("access-control-allow-headers", wanted))  # listed, for `*` leaves out authorization
        headers.append(("access-control-max-age", "600"))
    return Reply(_shared(Message(204, "No Content", tuple(headers), [End(Ending.COMPLETE)]), asked))


def _shared(message: Message, asked: Asked) -> Message:
    """With the headers that let a web page read it, where one asks; what was recorded of them is about another page."""
    if asked.request.header("origin") is None:
        return message
    kept = [pair for pair in message.headers if pair[0].lower() not in _ALLOWED_ORIGIN]
    ours = (("access-control-allow-origin", "*"), ("access-control-expose-headers", "*"))
    return replace(message, headers=(*kept, *ours))
