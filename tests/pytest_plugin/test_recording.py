"""Recording from tests: against the loopback provider, through the application's own client."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder import contracts, load_cassette, read

Project = Callable[..., pytest.Pytester]
Runs = Callable[..., pytest.RunResult]

TEST = """
import app, httpx, pytest

@pytest.fixture
def client(sse_provider):
    key = {"authorization": f"Bearer {sse_provider.key}"}
    with httpx.Client(base_url=sse_provider.url, verify=sse_provider.ssl_context(), headers=key) as client:
        yield client

def ask(client, model):
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "Hi"}]}
    with client.stream("POST", "/v1/chat/completions", json=body) as response:
        return app.text_of(response.iter_raw())

@pytest.mark.sse_cassette(match_on=["method", "path", "body"])
def test_it(client):
    assert ask(client, "chat-lf").startswith("Hello")
"""


def test_recorded_once_and_replayed_without_a_network(project: Project, run: Runs) -> None:
    made = project(TEST)
    result = run("--sse-record=once")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["sse-recorder: 0 played, 1 recorded, 0 rewritten, 0 unused files"])
    path = made.path / "cassettes" / "test_it" / "test_it.yaml"
    verdict = read([load_cassette(path).interactions[0].response.body], contracts.chat_text())
    assert verdict.ok
    assert verdict.events == 12
    assert not re.search(r"Bearer (?!REDACTED)\S", path.read_text())
    result = run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["sse-recorder: 1 played, 0 recorded, 0 rewritten, 0 unused files"])


def test_rewrite_and_the_ini_files(project: Project, run: Runs) -> None:
    made = project(TEST, ini="sse_record = once")
    run().assert_outcomes(passed=1)
    result = run("--sse-record=rewrite")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["sse-recorder: 0 played, 1 recorded, 1 rewritten, 0 unused files"])
    (made.path / "tox.ini").unlink()
    (made.path / "pyproject.toml").write_text('[tool.recorder.pytest]\nrecord = "all"\n[tool.pytest.ini_options]\n')
    result = run()
    result.stdout.fnmatch_lines(["sse-recorder: 0 played, 1 recorded, 1 rewritten, 0 unused files"])
    assert len(load_cassette(made.path / "cassettes" / "test_it" / "test_it.yaml").interactions) == 1


def test_a_request_the_cassette_does_not_know(project: Project, run: Runs) -> None:
    made = project(TEST)
    run("--sse-record=once").assert_outcomes(passed=1)
    module = made.path / "test_it.py"
    module.write_text(module.read_text().replace('"chat-lf"', '"chat-crlf"'))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*the cassette does not know; to record it too: pytest test_it.py::test_it --sse-record=new_episodes"]
    )
    run("--sse-record=new_episodes")
    assert len(load_cassette(made.path / "cassettes" / "test_it" / "test_it.yaml").interactions) == 2


def test_a_port_that_changes_is_not_recorded_again(project: Project, run: Runs) -> None:
    project(TEST.replace('match_on=["method", "path", "body"]', ""))
    run("--sse-record=once").assert_outcomes(passed=1)
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a server whose port is another in each run: match_on=*"])
    result.stdout.no_fnmatch_line("*--sse-record=new_episodes*")


@pytest.mark.parametrize("text", ['record = "sometimes"', "plam = 1", "block-network = 3"])
def test_a_table_that_is_wrong_is_told(project: Project, run: Runs, text: str) -> None:
    made = project(TEST)
    (made.path / "pyproject.toml").write_text(f"[tool.recorder.pytest]\n{text}\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert re.search(r"one of|would be right", "\n".join([*result.errlines, *result.outlines]))


def test_workers_record_and_play_side_by_side(project: Project, pytester: pytest.Pytester) -> None:
    """Into one file, with pytest-xdist."""
    made = project(
        TEST.replace("@pytest.mark.sse_cassette(", '@pytest.mark.sse_cassette("all.yaml", allow_unplayed=True, ')
        .replace("def test_it(client)", '@pytest.mark.parametrize("n", range(4))\ndef test_it(client, n)')
        .replace('ask(client, "chat-lf")', 'ask(client, ["chat-lf", "chat-usage", "chat-length", "openrouter"][n])')
        .replace('.startswith("Hello")', "")
    )
    result = pytester.runpytest_subprocess("-n", "2", "--sse-record=new_episodes", "-p", "no:randomly")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["sse-recorder: 0 played, 4 recorded, *"])
    stored = load_cassette(made.path / "cassettes" / "all.yaml").interactions
    assert len(stored) == 4
    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:randomly", "--sse-block-network")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["sse-recorder: 4 played, 0 recorded, 0 rewritten, 0 unused files"])


def test_a_test_that_fails_is_recorded_all_the_same(project: Project, run: Runs) -> None:
    made = project(TEST.replace('.startswith("Hello")', " == 1"))
    run("--sse-record=once").assert_outcomes(failed=1)
    assert Path(made.path / "cassettes" / "test_it" / "test_it.yaml").is_file()
