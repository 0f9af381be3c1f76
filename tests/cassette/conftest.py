"""What the tests of this room share, and which of them are collected.

`test_compat.py` builds virtual environments and needs a package index: RECORDER_COMPAT=1 asks for it.
`test_corpus.py` reads the public cassettes in the folder RECORDER_CORPUS names.
"""

from __future__ import annotations

import os

import pytest

from recorder.cassette import (
    Cassette,
    Chunk,
    EndKind,
    Headers,
    Interaction,
    Recording,
    Request,
    Response,
    StreamEnd,
)

collect_ignore = [
    *([] if os.environ.get("RECORDER_COMPAT") == "1" else ["test_compat.py"]),
    *([] if os.environ.get("RECORDER_CORPUS") else ["test_corpus.py"]),
]

WHOLE_FILE = """\
# Recorded for the tests.

version: 1
interactions:
- request:
    method: POST
    uri: https://api.example.com/v1/chat/completions?alt=sse
    body: '{"model":"m","stream":true}'
    headers:
      accept: [text/event-stream]
      content-type: [application/json]
      authorization: [REDACTED]
  response:
    status: {code: 200, message: OK}
    headers:
      content-type: [text/event-stream; charset=utf-8]
      set-cookie: ['a=1, b', c=2]
    body:
      string: |+
        data: {"text":"漢字 🙂"}

        data: [DONE]

    recorder:
      format: 1
      sha256: '31ce4f494c0dc3709c481c7d2d322a603f7429b79d129d1503e9fd91873db42f'
      head_ms: 212
      chunks: [[0, 30], [34, 14]]
      end: {kind: client_closed, after_ms: 3, terminal_seen: true}
      wire: {http: '1.1', content_encoding: gzip, framing: chunked}
      recorded: '2026-11-30T12:00:00Z'
      client: {name: httpx2, version: '2.16.2'}
      tool: '0.1.0'
      outcome: {contract: chat_text/openai, code: accepted}
      sanitizer: {rules: '3f1c', replacements: 4}
      later: [1.5, null, true]
"""


@pytest.fixture
def whole_cassette() -> Cassette:
    """One interaction with every member set."""
    return Cassette(
        (
            Interaction(
                Request(
                    "POST",
                    "https://api.example.com/v1/chat/completions?alt=sse",
                    Headers(
                        {"accept": "text/event-stream", "content-type": "application/json", "authorization": "REDACTED"}
                    ),
                    b'{"model":"m","stream":true}',
                ),
                Response(
                    200,
                    Headers({"content-type": "text/event-stream; charset=utf-8", "set-cookie": ["a=1, b", "c=2"]}),
                    'data: {"text":"漢字 🙂"}\n\ndata: [DONE]\n\n'.encode(),
                    (Chunk(0.0, 30), Chunk(0.034, 14)),
                    StreamEnd(EndKind.CLIENT_CLOSED, 0.003, True),
                    "OK",
                    Recording(
                        0.212,
                        {"http": "1.1", "content_encoding": "gzip", "framing": "chunked"},
                        "2026-11-30T12:00:00Z",
                        {"name": "httpx2", "version": "2.16.2"},
                        "0.1.0",
                        {"contract": "chat_text/openai", "code": "accepted"},
                        {"rules": "3f1c", "replacements": 4},
                        {"later": [1.5, None, True]},
                    ),
                ),
            ),
        ),
        "# Recorded for the tests.\n\n",
    )


@pytest.fixture
def whole_file() -> str:
    """The file of `whole_cassette`."""
    return WHOLE_FILE
