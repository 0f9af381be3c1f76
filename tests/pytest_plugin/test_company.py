"""Beside what else a suite uses: unittest, fixtures of ours, sweeps, servers, unused files, vcr marks."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Project = Callable[..., pytest.Pytester]
Runs = Callable[..., pytest.RunResult]

CHAT = {"chat.yaml": "chat-lf"}


def test_a_method_of_unittest(project: Project, run: Runs) -> None:
    project(
        """
        import unittest, app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        class TestGroup(unittest.TestCase):
            def test_it(self):
                self.assertTrue(app.ask().startswith("Hello"))
        """,
        cassettes=CHAT,
    )
    run().assert_outcomes(passed=1)


def test_the_server_and_the_sweep(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest
        pytestmark = pytest.mark.sse_cassette("chat.yaml")

        def test_server(sse_server):
            assert app.ask(url=sse_server).startswith("Hello")
            assert app.ask(url=sse_server + "/~chunks=bytes:7").startswith("Hello")
            assert [each.status for each in sse_server.server.wait_quiet(count=2)] == [200, 200]

        def test_sweep(sse_sweep):
            assert sse_sweep(app.text_of, "cuts").ok

        def test_naive(sse_sweep):
            sse_sweep(app.naive, "cuts")
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "stream: chat",
            "*chunks=at:616*",
            "again: recorder sweep cassettes/chat.yaml --plan chunks=at:616 --reader app:naive",
            "again: pytest test_it.py::test_naive",
        ]
    )
    told = result.stdout.str().partition("short test summary info")[0]  # where CI is set, it holds whole messages
    assert told.count("again: recorder sweep") == 1, "a story is told once"


def test_a_failure_tells_what_the_server_had_no_answer_for(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_elsewhere(sse_server):
            app.ask(url=sse_server + "/v2")
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(failed=1)
    told = "the replay server did not answer POST /v2/v1/chat/completions (no_match, status 404): *"
    result.stdout.fnmatch_lines([told])


def test_unused_files_are_counted_and_listed(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_it(): app.ask()
        """,
        cassettes={**CHAT, "old.yaml": "chat-lf", "test_it/test_gone.yaml": "chat-lf"},
    )
    run().stdout.fnmatch_lines(["sse-recorder: 1 played, *, 2 unused files (--sse-unused lists them)"])
    run("--sse-unused").stdout.fnmatch_lines(
        [
            "sse-recorder: 1 played, *, 2 unused files",
            "  unused: cassettes/old.yaml",
            "  unused: cassettes/test_it/test_gone.yaml",
        ]
    )
    run("test_it.py::test_it").stdout.fnmatch_lines(["sse-recorder: 1 played, *, 0 unused files"])


def test_both_marks_on_one_test(project: Project, run: Runs) -> None:
    project(
        """
        import pytest

        @pytest.mark.vcr
        @pytest.mark.sse_cassette
        def test_it(): pass
        """,
        ini="markers = vcr",
    )
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_it.py::test_it: marked both sse_cassette and vcr: one test has one cassette;*"])


def test_vcr_marks_are_taken_over(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.vcr
        @pytest.mark.parametrize("n", ["a?"])
        def test_it(n):
            assert app.ask(read=lambda pieces: {len(piece) for piece in pieces}) != {2440}

        @pytest.mark.vcr(match_on=["method"])
        class TestGroup:
            def test_it(self):
                assert app.ask(model="another")
        """,
        ini="markers = vcr\nsse_adopt_vcr = true",
        cassettes={"test_it/test_it[a-].yaml": "chat-lf", "test_it/TestGroup.test_it.yaml": "chat-lf"},
    )
    result = run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["sse-recorder: 2 played, *"])


def test_what_vcr_config_says_holds_too(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.fixture(scope="module")
        def vcr_config():
            return {"match_on": ["method", "path"], "allow_playback_repeats": True, "filter_headers": ["x"]}

        @pytest.mark.vcr
        def test_it():
            assert app.ask(model="another") == app.ask(model="others")

        @pytest.mark.vcr(match_on=["method", "body"])
        def test_the_mark_wins():
            app.ask(model="another")
        """,
        ini="markers = vcr\nsse_adopt_vcr = true",
        cassettes={"test_it/test_it.yaml": "chat-lf", "test_it/test_the_mark_wins.yaml": "chat-lf"},
    )
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["E *no recorded answer for POST *"])


def test_it_can_be_left_out(project: Project, run: Runs) -> None:
    project("def test_it(): pass\n")
    run("-p", "no:recorder").assert_outcomes(passed=1)


def test_help_and_markers(project: Project, run: Runs) -> None:
    project("")
    text = run("--help").stdout.str()
    assert re.search(r"--sse-record=\{none,once,new_episodes,all,rewrite\}", text)
    assert "sse_adopt_vcr (bool):" in text
    run("--markers").stdout.fnmatch_lines(["@pytest.mark.sse_cassette(*", "@pytest.mark.sse_partitions(*"])
