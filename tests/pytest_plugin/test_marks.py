"""A marked test runs with its cassette in force, and fails for what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[..., pytest.Pytester]
Runs = Callable[..., pytest.RunResult]

CHAT = {"chat.yaml": "chat-lf"}


def test_a_named_cassette_answers(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_by_the_mark_alone():
            assert app.ask().startswith("Hello, reader.")

        @pytest.mark.sse_cassette("chat.yaml")
        def test_with_the_fixture(sse_cassette):
            assert sse_cassette.played == 0
            app.ask()
            assert (sse_cassette.played, sse_cassette.unplayed) == (1, ())
            assert len(sse_cassette.cassette.interactions) == 1
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["sse-recorder: 2 played, 0 recorded, 0 rewritten, 0 unused files"])


def test_a_test_without_a_name_has_a_file_of_its_own(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest
        pytestmark = pytest.mark.sse_cassette

        def test_plain():
            assert app.ask()

        class TestGroup:
            @pytest.mark.parametrize("text", ["a", "b/c"])
            def test_each(self, text):
                assert app.ask()
        """,
        cassettes={
            "test_it/test_plain.yaml": "chat-lf",
            "test_it/TestGroup.test_each[a].yaml": "chat-lf",
            "test_it/TestGroup.test_each[b-c]-0e02db3c.yaml": "chat-lf",
        },
    )
    run().assert_outcomes(passed=3)


def test_the_nearest_mark_wins(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest
        pytestmark = pytest.mark.sse_cassette("absent.yaml")

        @pytest.mark.sse_cassette("absent-too.yaml")
        class TestGroup:
            @pytest.mark.sse_cassette("chat.yaml")
            def test_it(self):
                assert app.ask()
        """,
        cassettes=CHAT,
    )
    run().assert_outcomes(passed=1)


def test_a_plan_is_how_the_stream_comes(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml", plan="chunks=bytes:1")
        def test_pieces():
            assert app.ask(read=lambda pieces: {len(piece) for piece in pieces}) == {1}

        @pytest.mark.sse_cassette("chat.yaml", plan="end=eof@event:3")
        def test_cut():
            with pytest.raises(RuntimeError, match="cut off"):
                app.ask()
        """,
        cassettes=CHAT,
    )
    run().assert_outcomes(passed=2)


def test_a_missing_cassette_says_how_to_record_it(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette
        @pytest.mark.parametrize("n", [1])
        def test_it(n):
            app.ask()
        """
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "no cassette cassettes/test_it/test_it[[]1].yaml: record it with",
            "    pytest 'test_it.py::test_it[[]1]' --sse-record=once",
        ]
    )


def test_the_name_of_a_shipped_cassette_is_no_file(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat-lf")
        def test_it():
            app.ask()
        """
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "no cassette cassettes/chat-lf.yaml: record it with",
            "the shipped cassette of that name is recorder.gallery()[[]'chat-lf']",
        ]
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("mode='never'", "*test_it.py::test_it: @pytest.mark.sse_cassette: record mode 'never': one of none, *"),
        ("plam='x'", "*test_it.py::test_it: @pytest.mark.sse_cassette: plam is not known; options: plan, *"),
    ],
)
def test_what_a_mark_says_wrongly_is_told_with_the_test(project: Project, run: Runs, option: str, said: str) -> None:
    project(
        f"""
        import pytest

        @pytest.mark.sse_cassette("chat.yaml", {option})
        def test_it(): pass
        """
    )
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_a_plan_that_is_none_is_told_once(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml", plan="chunk=1")
        def test_it():
            app.ask()
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(errors=1)
    assert result.stdout.str().count("\n'chunk=1' is not a term: use chunks=") == 1
    result = run("--sse-plan=chunk=2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--sse-plan: 'chunk=2' is not a term: use chunks=*"])


def test_what_is_not_played_fails_the_test(project: Project, run: Runs) -> None:
    project(
        """
        import pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_nothing_asked():
            pass

        @pytest.mark.sse_cassette("chat.yaml", allow_unplayed=True)
        def test_allowed():
            pass
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["recorded but not played: 1: POST https://loopback.invalid/v1/chat/completions of *"])
    project("", ini="sse_allow_unplayed = true")
    (project("").path / "test_it.py").write_text(
        "import pytest\n@pytest.mark.sse_cassette('chat.yaml')\ndef test_it(): pass\n"
    )
    run().assert_outcomes(passed=1)


def test_a_response_left_open_fails_the_test(project: Project, run: Runs) -> None:
    project(
        """
        import app, httpx, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_left_open():
            client = httpx.Client()
            app.kept = client.send(client.build_request("POST", "https://loopback.invalid/v1/chat/completions", json={
                "model": "chat-lf", "stream": True,
                "messages": [{"role": "user", "content": "Say hello in five languages."}]}), stream=True)
            app.pieces = app.kept.iter_raw()
            next(app.pieces)
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["left open: POST https://loopback.invalid/v1/chat/completions: read the response *"])


def test_a_swallowed_miss_fails_the_test(project: Project, run: Runs) -> None:
    project(
        """
        import app, contextlib, pytest

        @pytest.mark.sse_cassette("chat.yaml", allow_unplayed=True)
        def test_it():
            with contextlib.suppress(Exception):
                app.ask(model="another")

        @pytest.mark.sse_cassette("chat.yaml", allow_unplayed=True, allow_misses=True)
        def test_allowed():
            with pytest.raises(Exception, match="no recorded answer"):
                app.ask(model="another")
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["a request was refused, and the test did not notice (or allow_misses=True):"])


def test_a_cassette_that_is_not_clean_fails_the_test(project: Project, run: Runs) -> None:
    made = project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_it():
            app.ask()
        """,
        cassettes=CHAT,
    )
    path = made.path / "cassettes" / "chat.yaml"
    path.write_text(path.read_text().replace("Hello, ", "Hullo, "))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["not clean: *chat.yaml*"])
