"""The register of open responses."""

from __future__ import annotations

from recorder.adapters import OpenResponses
from recorder.cassette import Request


def test_a_response_is_open_until_it_is_closed() -> None:
    """In the order of opening, without what may be secret in a URL; closing twice does no harm."""
    responses = OpenResponses()
    first = responses.opened(Request("POST", "https://a.example/v1?key=secret"))
    second = responses.opened(Request("GET", "https://user:secret@b.example:8443/v2"))
    assert responses.names == ("POST https://a.example/v1", "GET https://b.example/v2")
    first()
    first()
    assert responses.names == ("GET https://b.example/v2",)
    assert len(responses) == 1
    second()
    assert responses.names == ()
