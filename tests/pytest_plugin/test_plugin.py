"""The plugin: its fixture works in a project of its own, and loading it costs nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recorder.provider import Provider

TEST = """
import ssl, urllib.request

def test_the_provider_runs(sse_provider):
    assert sse_provider.url.startswith("https://127.0.0.1:")
    request = urllib.request.Request(sse_provider.url + "/v1/chat/completions", b'{"model":"empty-200"}',
                                     {"authorization": f"Bearer {sse_provider.key}"})
    with urllib.request.urlopen(request, context=sse_provider.ssl_context()) as response:
        assert response.status == 200
"""


def test_the_fixture_serves_one_test(tmp_path: Path) -> None:
    """In another folder, without any configuration."""
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_failing_check_shows_the_line_of_the_test_and_the_story(tmp_path: Path) -> None:
    """And nothing of how it is checked."""
    (tmp_path / "test_it.py").write_text(
        "import recorder\n"
        "def naive(chunks):\n"
        "    return ''.join(chunk.decode('utf-8', 'replace') for chunk in chunks)\n"
        "def test_it():\n"
        "    recorder.check_reader(naive, recorder.gallery()['chat-lf'], kind='bytewise')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "recorder.check_reader(naive, " in done.stdout
    assert "differs: the same bytes, delivered in other pieces" in done.stdout
    assert "report = sweep(" not in done.stdout


def test_two_tests_have_two_keys(sse_provider: Provider) -> None:
    """A run has its own key; this suite uses the plugin itself."""
    with Provider() as other:
        assert other.key != sse_provider.key


def test_loading_the_plugin_is_light() -> None:
    """No room and no library until a fixture is used."""
    code = "import sys, pytest, recorder.pytest_plugin\nprint(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert "recorder.pytest_plugin" in loaded
    assert loaded.isdisjoint({"yaml", "vcr", "httpx", "httpx2", "h11", "recorder.provider", "recorder.cassette"})


def test_the_plugin_can_be_left_out(pytestconfig: pytest.Config) -> None:
    """It is registered under the name `recorder`, so `-p no:recorder` works."""
    assert pytestconfig.pluginmanager.has_plugin("recorder")


def test_runs_in_this_process_leave_its_libraries_alone(
    project: Callable[..., pytest.Pytester], run: Callable[..., pytest.RunResult]
) -> None:
    """What other tests of this process hold of a library is what it raises."""
    project("import httpcore, yaml, xml.sax.expatreader as lazy\ndef test_it(): pass\n")
    run().assert_outcomes(passed=1)
    first = sys.modules["xml.sax.expatreader"]
    run().assert_outcomes(passed=1)
    assert sys.modules["xml.sax.expatreader"] is first
