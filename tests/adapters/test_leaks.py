"""The register of open responses."""

from __future__ import annotations

from recorder.adapters import OpenResponses


def test_a_response_is_open_until_it_is_closed() -> None:
    """In the order of opening; closing twice does no harm."""
    responses = OpenResponses()
    first, second = responses.opened("POST https://a.example/"), responses.opened("POST https://b.example/")
    assert responses.names == ("POST https://a.example/", "POST https://b.example/")
    first()
    first()
    assert responses.names == ("POST https://b.example/",)
    assert len(responses) == 1
    second()
    assert responses.names == ()
