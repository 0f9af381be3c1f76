"""One test, many deliveries: an item each while they are few, one item that tells the first failure when many."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Project = Callable[..., pytest.Pytester]
Runs = Callable[..., pytest.RunResult]

CHAT = {"chat.yaml": "chat-lf"}


def test_a_list_of_plans(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions(["chunks=bytes:1", "chunks=at:5,9; edit=crlf", ""])
        def test_it(sse_plan, sse_replay):
            text = b"".join(sse_replay())
            assert (b"\\r\\n" in text) == ("crlf" in str(sse_plan))
        """,
        cassettes=CHAT,
    )
    result = run("-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_it[[]chunks=bytes:1] PASSED*",
            "test_it.py::test_it[[]chunks=at:5,9;edit=crlf] PASSED*",
            "test_it.py::test_it[[]as-recorded] PASSED*",
        ]
    )


def test_the_classes_are_an_item_each_and_a_client_meets_them(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("classes")
        def test_right():
            assert app.ask().startswith("Hello")

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("classes")
        def test_naive():
            assert "\\ufffd" not in app.ask(read=app.naive)
        """,
        cassettes=CHAT,
    )
    result = run("-v")
    outcomes = result.parseoutcomes()
    right = [line for line in result.outlines if line.startswith("test_it.py::test_right[")]
    assert 15 < len(right) < 40
    assert all("PASSED" in line for line in right)
    failed = [line for line in result.outlines if line.startswith("test_it.py::test_naive[") and "FAILED" in line]
    assert len(failed) == outcomes["failed"] > 2
    assert all("-inside-a-code-point-" in line for line in failed)


def test_many_are_one_item_that_tells_the_first_failure(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("cuts")
        def test_right(sse_replay):
            assert app.text_of(sse_replay()).startswith("Hello")

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("cuts")
        def test_naive(sse_replay):
            assert "\\ufffd" not in app.naive(sse_replay())
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "delivered by the plan: chunks=at:616 (the first of 2441 that fails, after 616 that do not)",
            "cut at byte 616, inside a code point, 1 of 3: *",
            "again: pytest test_it.py::test_naive --sse-plan=chunks=at:616",
        ]
    )


def test_the_command_that_is_told_reproduces(project: Project, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("cuts")
        def test_naive(sse_replay):
            assert "\\ufffd" not in app.naive(sse_replay())
        """,
        cassettes=CHAT,
    )
    run("test_it.py::test_naive", "--sse-plan=chunks=at:616").assert_outcomes(failed=1)
    run("test_it.py::test_naive", "--sse-plan=chunks=at:615").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("cassette", "what", "said"),
    [
        ("html-200", "'cuts'", "*page.yaml: the cassette has no response with the content-type text/event-stream*"),
        ("chat-lf", "['chunks=some']", "*page.yaml: chunks=some: unknown; use whole*"),
        ("chat-lf", "[5]", "*page.yaml: *int*"),
    ],
)
def test_what_cannot_be_cut_names_its_test(project: Project, run: Runs, cassette: str, what: str, said: str) -> None:
    """Without a traceback through the plugin."""
    project(
        f"""
        import pytest

        @pytest.mark.sse_cassette("page.yaml")
        @pytest.mark.sse_partitions({what})
        def test_page(sse_replay):
            pass
        """,
        cassettes={"page.yaml": cassette},
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"test_it.py::test_page: @pytest.mark.sse_partitions with {said}"])
    result.stdout.no_fnmatch_line("*_partitions.py*")


def test_a_damaged_file_is_named_once(project: Project, run: Runs) -> None:
    made = project(
        """
        import pytest

        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("cuts")
        def test_it(sse_replay):
            pass
        """,
        cassettes=CHAT,
    )
    path = made.path / "cassettes" / "chat.yaml"
    path.write_text("version: 1\ninteractions: {\n")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"test_it.py::test_it: @pytest.mark.sse_partitions with {path}:3: not YAML*"])


def test_a_wrong_plan_is_told_without_a_traceback(project: Project, run: Runs) -> None:
    project(
        """
        import pytest

        @pytest.mark.sse_cassette("chat.yaml", plan="some")
        def test_it():
            pass
        """,
        cassettes=CHAT,
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["'some' is not a term: use chunks=, delay=, end=, framing=, edit="])
    result.stdout.no_fnmatch_line("*_running.py*")


def test_a_plan_that_does_not_fit_fails_its_tests_only(project: Project, run: Runs) -> None:
    """No such place in this body, and a body that is no event stream."""
    project(
        """
        import app, pytest

        @pytest.mark.sse_cassette("chat.yaml")
        def test_short():
            app.ask()

        @pytest.mark.sse_cassette("page.yaml", match_on=["method"])
        def test_page():
            assert app.ask() == "no page"

        @pytest.mark.sse_cassette("chat.yaml", allow_unplayed=True)
        def test_right():
            pass
        """,
        cassettes={**CHAT, "page.yaml": "html-200"},
    )
    result = run("--sse-plan=end=eof@event:99")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*PlanError: end=eof@event:99: 'event:99' is not a place in this body: it has 12 events"]
    )
    result.stdout.fnmatch_lines(["again: pytest test_it.py::test_page --sse-plan=end=eof@event:99"])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_little_of_the_stream_is_shown_unless_asked(project: Project, run: Runs) -> None:
    project(
        """
        import pytest

        @pytest.mark.sse_cassette("chat.yaml", plan="chunks=whole")
        @pytest.mark.sse_partitions(["chunks=at:900"])
        def test_it(sse_replay):
            list(sse_replay())
            raise KeyError
        """,
        cassettes=CHAT,
    )
    shown = [line for line in run().outlines if line.startswith("cut at byte 900")]
    more = [line for line in run("--sse-show-text").outlines if line.startswith("cut at byte 900")]
    assert len(shown) == len(more) == 1
    assert len(shown[0]) < 120 < 200 < len(more[0])


def test_async_too(project: Project, pytester: pytest.Pytester, run: Runs) -> None:
    project(
        """
        import app, pytest

        @pytest.mark.anyio
        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("bytewise")
        async def test_it(sse_replay):
            assert {len(chunk) async for chunk in sse_replay()} == {1}

        @pytest.mark.anyio
        @pytest.mark.sse_cassette("chat.yaml")
        @pytest.mark.sse_partitions("cuts")
        async def test_all(sse_replay):
            assert len(b"".join([chunk async for chunk in sse_replay()])) == 2440
        """,
        cassettes=CHAT,
    )
    (pytester.path / "conftest.py").write_text(
        "import pytest\n@pytest.fixture\ndef anyio_backend(): return 'asyncio'\n"
    )
    run(anyio=True).assert_outcomes(passed=2)


def test_without_a_cassette_there_is_one_item(project: Project, run: Runs) -> None:
    project(
        """
        import pytest

        @pytest.mark.sse_cassette("absent.yaml")
        @pytest.mark.sse_partitions("cuts")
        def test_it(): pass
        """
    )
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["no cassette cassettes/absent.yaml: record it with"])


@pytest.mark.parametrize("given", ['"cutz"', '"cuts", fews=3', ""])
def test_what_the_mark_says_wrongly_is_told(project: Project, run: Runs, given: str) -> None:
    project(f"import pytest\n@pytest.mark.sse_partitions({given})\ndef test_it(): pass\n")
    result = run()
    assert result.ret != 0
    text = "\n".join([*result.outlines, *result.errlines])
    assert "@pytest.mark.sse_partitions takes one of 'cuts', 'bytewise', 'classes' or a list of plans" in text
