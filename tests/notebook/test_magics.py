"""`%load_ext recorder`, in a shell without a front end, against the loopback provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import recorder
from recorder.provider import Provider

ASK = json.dumps({"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": "a private prompt"}]})


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InteractiveShell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    settings = Config()
    settings.HistoryManager.enabled = False
    made = InteractiveShell(config=settings)
    made.run_line_magic("load_ext", "recorder")
    return made


def test_record_once_from_a_cell(
    shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One request with a key from the environment; a second time none at all, unless told to overwrite."""
    with Provider(pace=0) as provider:
        monkeypatch.setenv("THE_KEY", provider.key)
        (tmp_path / "ca.pem").write_bytes(provider.ca_pem)
        line = f"chat.yaml --url {provider.url}/v1/chat/completions --auth-env THE_KEY --cacert ca.pem"
        verdict = shell.run_cell_magic("sse_record", line, ASK)
        with pytest.raises(UsageError, match=r"no request was made: pass overwrite=True \(--overwrite\) to replace it"):
            shell.run_cell_magic("sse_record", line, ASK)
        assert len(provider.requests) == 1
        assert shell.run_cell_magic("sse_record", f"{line} --overwrite", ASK) == verdict
        assert len(provider.requests) == 2
        key = provider.key
    assert verdict.ok
    shown = str(verdict._repr_mimebundle_()) + "".join(capsys.readouterr())
    assert key not in shown
    assert "private" not in shown
    assert "Hello, reader" not in shown
    assert key not in (tmp_path / "chat.yaml").read_text("utf-8")


def test_record_says_what_is_wrong_and_not_what_was_typed(shell: Any) -> None:
    """No URL, a body that is not JSON, a header without a colon, a key that is not set, an unknown contract."""
    for line, cell, told in (
        ("a.yaml", "{}", "--url"),
        ("a.yaml --url https://a.example", "{secret", "must be the request body as JSON"),
        ("a.yaml --url https://a.example -H secret", "{}", "name: value"),
        ("a.yaml --url https://a.example --auth-env NOT_SET_HERE", "{}", "NOT_SET_HERE"),
        ("a.yaml --url https://a.example --contract nope", "{}", "is not a contract"),
    ):
        with pytest.raises(UsageError, match=told) as caught:
            shell.run_cell_magic("sse_record", line, cell)
        assert "secret" not in str(caught.value)


def test_replay(shell: Any) -> None:
    """The result is a run, shown with its picture."""
    run = shell.run_line_magic("sse_replay", 'chat-lf --plan "chunks=bytes:1; end=eof@event:3" --contract chat')
    assert (run.verdict.code, run.verdict.events) == ("missing_terminal", 3)
    with pytest.raises(UsageError, match="is not a term"):
        shell.run_line_magic("sse_replay", "chat-lf --plan nonsense=1")
    with pytest.raises(UsageError, match="has 1 event stream"):
        shell.run_line_magic("sse_replay", "chat-lf --interaction 2")


def test_a_reader_in_a_cell_is_swept(shell: Any, tmp_path: Path) -> None:
    """The last function of the cell, which stays defined."""
    recorder.save_cassette(recorder.Cassette((recorder.Interaction.from_body(b"data: 1\n\n"),)), tmp_path / "a.yaml")
    cell = "def other():\n    pass\n\ndef count(chunks):\n    return len(list(chunks))\n"
    report = shell.run_cell_magic("sse_reader", "a.yaml --kind cuts", cell)
    assert not report.ok
    assert shell.user_ns["count"]([b"1"]) == 1
    truthful = "import recorder\ndef joined(chunks):\n    return b''.join(chunks)\n"
    assert shell.run_cell_magic("sse_reader", "a.yaml --kind cuts", truthful).ok
    with pytest.raises(UsageError, match="must define the reader as a function"):
        shell.run_cell_magic("sse_reader", "a.yaml", "x = 1")
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("sse_reader", "a.yaml", "def f(chunks):\n    pass\n1 / 0")


def test_await_at_top_level(shell: Any, tmp_path: Path) -> None:
    """`await recorder.arecord_stream(...)`, and `recorder.record_stream(...)` too although a loop runs there."""
    with Provider(pace=0) as provider:
        shell.user_ns |= {"provider": provider, "ask": json.loads(ASK)}
        given = (
            "f'{provider.url}/v1/chat/completions', json=ask, verify=provider.ssl_context(), "
            "headers={'authorization': f'Bearer {provider.key}'}"
        )
        shell.run_cell(f"import recorder\na = await recorder.arecord_stream({given}, path='a.yaml')").raise_error()
        shell.run_cell(
            f"import asyncio\nasync def f():\n    return recorder.record_stream({given}, path='b.yaml')\nb = await f()"
        ).raise_error()
    assert shell.user_ns["a"].ok
    assert shell.user_ns["a"] == shell.user_ns["b"]
