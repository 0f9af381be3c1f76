"""httprr, the trace format of Go's own tests: raw HTTP/1.1 requests and responses, with their lengths in between."""

from __future__ import annotations

import re
from pathlib import Path

from recorder.cassette._imported import Converted, Unknown
from recorder.cassette._model import Request, Response
from recorder.cassette.importers._draft import NO_HOST, Draft, converted
from recorder.cassette.importers._http import head_at, response_head, unframed
from recorder.cassette.importers._protocol import Source

NAME = "httprr"
_MARK = b"httprr trace v1\n"
_LENGTHS = re.compile(rb"(\d{1,12}) (\d{1,12})\n")


def sniff(path: Path, head: bytes) -> bool:
    """The first line names the format."""
    return head.startswith(_MARK)


def load(source: Source) -> Converted:
    """The cassette in an httprr trace."""
    drafts: list[Draft] = []
    at, data = len(_MARK), source.text
    while at < len(data):
        place, lengths = f"exchange {len(drafts) + 1}", _LENGTHS.match(data, at)
        if lengths is None:
            raise source.fail("no line with the two lengths of an exchange", place)
        middle = lengths.end() + int(lengths[1])
        at = middle + int(lengths[2])
        if at > len(data):
            raise source.fail("its lengths reach beyond the end of the file, which was cut off or edited", place)
        drafts.append(_draft(source, place, data[lengths.end() : middle], data[middle:at]))
    return converted(NAME, drafts)


def _draft(source: Source, place: str, asked: bytes, answered: bytes) -> Draft:
    sent, received = head_at(asked), response_head(answered)
    line, status = sent.request() if sent else None, received.status() if received else None
    if sent is None or line is None:
        raise source.fail("its request does not begin with an HTTP head", place)
    if received is None or status is None:
        raise source.fail("its response does not begin with an HTTP head", place)
    method, target, _ = line
    host = sent.headers.first("host")
    base = f"https://{host}" if host else NO_HOST
    return Draft(
        Request(
            method,
            target if "://" in target else base + target,
            sent.headers,
            unframed(sent.headers, asked[sent.end :]) or None,
        ),
        Response(status[0], received.headers, unframed(received.headers, answered[received.end :]), reason=status[1]),
        set() if host or "://" in target else {Unknown.HOST},
        http=status[2],
    )
