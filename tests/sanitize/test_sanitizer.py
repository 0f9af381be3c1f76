"""The sanitizer as a whole: what stays, what goes, and that a second time changes nothing."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Recording, Request, Response
from recorder.sanitize import Sanitizer

KEY = "sk-planted-3141592653589793"
BODY = b'data: {"choices":[{"index":0,"delta":{"content":"your key is %s"}}]}\r\n\r\n' % KEY.encode()


def recorded() -> Cassette:
    request = Request(
        "POST",
        f"https://user:{KEY}@api.example.com/v1/chat?alt=sse&key={KEY}&trace=abc#frag",
        Headers(
            {
                "Authorization": f"Bearer {KEY}",
                "Cookie": "session=1234567890",
                "Content-Type": "application/json",
                "User-Agent": "me/1.0 (my-laptop)",
                "Accept": "text/event-stream",
            }
        ),
        b'{"model":"m","api_key":"%s"}' % KEY.encode(),
    )
    response = Response(
        200,
        Headers(
            {"Content-Type": "text/event-stream", "Set-Cookie": "a=1", "openai-organization": "acme", "X-Echo": KEY}
        ),
        BODY,
        chunks=(Chunk(0.1, 60), Chunk(0.2, len(BODY) - 60)),
        reason="OK",
        recording=Recording(tool="0.1.0"),
    )
    return Cassette((Interaction(request, response),))


def test_what_may_be_stored() -> None:
    """Allowlists for headers and the query, the credential's name kept, the key replaced wherever it stands."""
    request = Sanitizer.default().apply(recorded()).interactions[0].request
    assert request.uri == "https://api.example.com/v1/chat?alt=sse"
    assert dict(request.headers) == {
        "accept": ("text/event-stream",),
        "authorization": ("REDACTED",),
        "content-type": ("application/json",),
    }
    assert request.body == b'{"model":"m","api_key":"secret-REDACTED-0001"}'


def test_the_framing_survives() -> None:
    """Line ends, event count and chunk count stay; lengths shift with the text."""
    response = Sanitizer.default().apply(recorded()).interactions[0].response
    assert (
        response.body
        == b'data: {"choices":[{"index":0,"delta":{"content":"your key is secret-REDACTED-0001"}}]}\r\n\r\n'
    )
    assert response.chunks == (Chunk(0.1, 60), Chunk(0.2, 30))  # 61 bytes, the stand-in's 20, 9 bytes
    assert dict(response.headers) == {
        "content-type": ("text/event-stream",),
        "openai-organization": ("org-REDACTED-0001",),
    }


def test_the_number_of_replacements_is_noted() -> None:
    """4 in the URI (user, two parameters, fragment), 3 + 1 in the rest of the request, 3 + 1 in the response."""
    recording = Sanitizer.default().apply(recorded()).interactions[0].response.recording
    assert recording is not None
    assert recording.sanitizer["replacements"] == 4 + 3 + 1 + 3 + 1
    assert len(str(recording.sanitizer["rules"])) == 12


def test_a_second_time_changes_nothing() -> None:
    """Sanitizing is a fixed point, the recorded count of replacements included."""
    once = Sanitizer.default([KEY]).apply(recorded())
    assert Sanitizer.default([KEY]).apply(once) == once
    assert Sanitizer.default([KEY]).scan(once) == ()


def test_the_callers_cassette_is_not_touched() -> None:
    """What was passed in is still what it was."""
    before = recorded()
    Sanitizer.default().apply(before)
    assert before == recorded()


def test_named_environment_variables_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is not set is passed over."""
    monkeypatch.setenv("RECORDER_TEST_SECRET", "from-the-environment")
    monkeypatch.delenv("RECORDER_TEST_ABSENT", raising=False)
    sanitizer = Sanitizer.default(secret_env=["RECORDER_TEST_SECRET", "RECORDER_TEST_ABSENT"])
    dirty = Cassette((Interaction.from_body(b"data: from-the-environment\n\n"),))
    assert sanitizer.apply(dirty).interactions[0].response.body == b"data: secret-REDACTED-0001\n\n"


def test_frames_with_lengths_are_never_edited() -> None:
    """An AWS event stream with a secret in it is left as it is, and refused."""
    frame = (60).to_bytes(4, "big") + (32).to_bytes(4, "big") + b"\x00\x00\x00\x00\x0b:event-type\x07\x00\x05chunk"
    dirty = Cassette((Interaction.from_body(frame + KEY.encode()),))
    sanitizer = Sanitizer.default([KEY])
    assert sanitizer.apply(dirty).interactions[0].response.body == frame + KEY.encode()
    assert sanitizer.scan(sanitizer.apply(dirty))


def test_a_sanitizer_can_travel() -> None:
    """To another process, with its rules."""
    sanitizer = Sanitizer.default(text="shape").without("cookie")
    assert pickle.loads(pickle.dumps(sanitizer)) == sanitizer
    assert hash(sanitizer) == hash(Sanitizer.default(text="shape").without("cookie"))


def test_a_plain_cassette_is_left_as_it_is() -> None:
    """Nothing to clean: no note is added."""
    plain = Cassette((Interaction.from_body(b"data: 1\n\n"),))
    assert Sanitizer.default().apply(plain) == plain


def test_secrets_do_not_show() -> None:
    """The repr of a sanitizer has no secrets in it."""
    assert KEY not in repr(Sanitizer.default([KEY]))


def test_an_unknown_text_policy_is_refused() -> None:
    """The message says what is allowed."""
    with pytest.raises(ValueError, match='use "keep" or "shape"'):
        Sanitizer.default(text="mask")  # type: ignore[arg-type]


def test_a_sanitizer_is_frozen() -> None:
    """It is a value."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Sanitizer.default().text = "keep"  # type: ignore[misc]
