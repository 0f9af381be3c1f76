"""vcrpy's own stand-ins, for the libraries we do not stream (plain http.client, httplib2, tornado).

Rule: what they read whole is sanitized and stored like everything else, and what they play comes from the cassette that
is found at each request. Their connections lift every stand-in in the process while they connect: ours stay.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from recorder.adapters import is_event_stream
from recorder.cassette import Headers, Interaction, Request, Response
from recorder.errors import CassetteWarning
from recorder.plans import End, Ending, steps
from recorder.vcr import _urllib3
from recorder.vcr._layers import Find, Patch
from recorder.vcr._session import Answer

_ANSWER = "_recorder_answer"


def streamed_names() -> tuple[str, ...]:
    """The names that vcrpy has for what we stream."""
    pools = ("boto3", "requests", "urllib3") if _urllib3.streams() else ()
    return ("aiohttp", "httpx", "httpx2", *pools)


def patchers(find: Find) -> Iterable[Any]:
    """vcrpy's patches, as context managers."""
    from vcr.patch import CassettePatcherBuilder  # type: ignore[import-untyped]  # vcrpy has no types

    patches: Iterable[Any] = CassettePatcherBuilder(Bridge(find)).build()
    return patches


class Bridge:
    """What vcrpy's stand-ins take for their cassette."""

    _path = "recorder"
    custom_patches = ()
    write_protected = False  # a request that may not be made has been refused before they look

    def __init__(self, find: Find) -> None:
        self._find = find
        self.skip_patchers = streamed_names()

    def can_play_response_for(self, request: Any) -> bool:
        """Whether the cassette answers; asked several times for one request, it is answered once.

        Raises:
            CannotOverwriteExistingCassetteException: nothing does, and the mode makes no new requests.
        """
        if not hasattr(request, _ANSWER):
            desk = self._find()
            setattr(request, _ANSWER, None if desk is None else desk.answer(request_of(request)))
        return getattr(request, _ANSWER) is not None

    def play_response(self, request: Any) -> dict[str, Any]:
        """The answer, whole: a plan, or a recorded end that is none, has no effect here, which is said."""
        answer: Answer = getattr(request, _ANSWER)
        if _asks_for_more(answer):
            plan = str(answer.plan) or "end=recorded"
            warnings.warn(
                f"the plan {plan!r} has no effect: this library is not streamed, and reads the recorded body whole. "
                "httpx, httpx2, requests, urllib3 and aiohttp are; recorder.serve serves any other",
                CassetteWarning,
                stacklevel=2,
            )
        return response_dict(answer.interaction)

    def filter_request(self, request: Any) -> Any:
        """Every request is recorded."""
        return request

    def append(self, request: Any, response: dict[str, Any]) -> None:
        """Record what was read."""
        desk = self._find()
        if desk is not None:
            desk.keep(Interaction(request_of(request), _response(response)))


def _asks_for_more(answer: Answer) -> bool:
    if not is_event_stream(answer.interaction):
        return False
    *_, last = steps(answer.plan, answer.interaction)
    is_quiet = isinstance(last, End) and last.ending in (Ending.COMPLETE, Ending.EOF)  # the recorded bytes, and no more
    return str(answer.plan) != "" or not is_quiet


def request_of(request: Any) -> Request:
    """A request of vcrpy as ours."""
    body = request.body_bytes
    if body is not None and not isinstance(body, bytes):
        body = bytes(body)
    headers = Headers([(str(name), _text(value)) for name, value in request.headers.items()])
    return Request(request.method, request.uri, headers, body or None)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _response(response: dict[str, Any]) -> Response:
    status, pairs = response["status"], response["headers"]
    pairs = pairs.items() if isinstance(pairs, dict) else pairs  # from tornado's stand-in it is a list
    headers = Headers([(name, tuple(map(_text, values))) for name, values in pairs])
    return Response(status["code"], headers, response["body"].get("string") or b"", reason=status["message"] or "")


def response_dict(interaction: Interaction) -> dict[str, Any]:
    """A stored response as vcrpy has them."""
    response = interaction.response
    return {
        "status": {"code": response.status, "message": response.reason},
        "headers": {name: list(values) for name, values in response.headers.items()},
        "body": {"string": response.body},
    }


def keep_ours(patches: Iterable[Patch]) -> Patch:
    """vcrpy's `force_reset`, which puts back originals for a moment, but for what we stand in for."""
    import vcr.patch  # type: ignore[import-untyped]  # vcrpy has no types

    ours = {(id(patch.owner), patch.name) for patch in patches}

    @contextmanager
    def force_reset() -> Iterator[None]:
        with ExitStack() as stack:
            for patcher in vcr.patch.reset_patchers():
                if (id(patcher.getter()), patcher.attribute) not in ours:
                    stack.enter_context(patcher)
            yield

    return Patch(vcr.patch, "force_reset", force_reset)
