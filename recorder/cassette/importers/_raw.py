"""The bytes of a response in a file: with its head, as `curl -i` prints it, or without."""

from __future__ import annotations

import re
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Headers, Request, Response
from recorder.cassette.importers._draft import EVENT_STREAM, NO_HOST, Draft, converted
from recorder.cassette.importers._http import response_head, unframed
from recorder.cassette.importers._protocol import Source

NAME = "raw event stream"
WITH_HEAD = "raw response with its head"
_ENDINGS = (".sse", ".eventstream", ".event-stream")
_OTHERS = (".yaml", ".yml", ".toml", ".md", ".py")  # where a line `data:` means something else
_FIELD = re.compile(rb"[\r\n ]*(?:(?:data|event|id|retry)?:|data[\r\n])")


def sniff(path: Path, head: bytes) -> bool:
    """A status line, a field or a comment of an event stream, or a name that says it is one."""
    if path.suffix.lower() in _ENDINGS or head.startswith(b"HTTP/"):
        return True
    return _FIELD.match(head) is not None and path.suffix.lower() not in _OTHERS


def load(source: Source) -> Converted:
    """The response in such a file, with a request that is made up."""
    request = Request("POST", f"{NO_HOST}/", Headers({"accept": EVENT_STREAM}))
    data = source.text
    if not data.startswith(b"HTTP/"):
        response = Response(200, Headers({"content-type": EVENT_STREAM}), source.data, reason="OK")
        return converted(NAME, [Draft(request, response, {Unknown.REQUEST, Unknown.HOST, Unknown.HEAD})])
    head = response_head(data)
    status = None if head is None else head.status()
    if head is None or status is None:
        raise source.fail("it begins with a status line, and no empty line ends the head; was it cut off?")
    body = unframed(head.headers, data[head.end :])
    response = Response(status[0], head.headers, body, reason=status[1])
    return converted(WITH_HEAD, [Draft(request, response, {Unknown.REQUEST, Unknown.HOST}, http=status[2])])
