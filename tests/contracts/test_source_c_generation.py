"""The tests the generation reader lists for itself, with literal codes."""

from __future__ import annotations

import pytest

from recorder.contracts import GenerationAccepted, generation, read
from recorder.sse import Event

JOB = generation("job-7")


def event(name: str, data: str, end: str = "\n") -> bytes:
    return (f"event: {name}{end}" * bool(name) + f"data: {data}{end}{end}").encode()


RUNNING = event("progress", '{"state":"running","progress":50,"outputs":null,"error":null}')
RECORD = '{"state":"succeeded","progress":100,"outputs":["画像.png"],"error":null}'
DONE = event("done", RECORD)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_whole_buffer_equals_byte_by_byte_at_every_split(judge_at_every_cut, end: str) -> None:
    """Multibyte text, a split CRLF, a comment, two events in one chunk: one answer."""
    body = (b": hi\n\n" + RUNNING + DONE).replace(b"\n", end.encode())
    verdict = judge_at_every_cut(body, JOB)
    assert isinstance(verdict, GenerationAccepted)
    assert (verdict.state, verdict.succeeded, verdict.outputs, verdict.progress) == (
        "succeeded",
        True,
        ["画像.png"],
        100,
    )
    assert (verdict.error, verdict.job_id, verdict.events) == (None, "job-7", 2)


def test_a_block_ends_at_its_second_cr() -> None:
    """No byte after it is waited for."""

    def source():
        yield DONE.replace(b"\n", b"\r")
        raise AssertionError("asked for another chunk")

    assert read(source(), JOB).ok


def test_several_data_lines(judge) -> None:
    """They join with line feeds, which are white space between JSON tokens."""
    assert judge(event("done", '{"state":"succeeded",\ndata: "outputs":[1]}'), JOB).outputs == [1]


def test_a_truncated_last_event_stays_uncommitted(judge) -> None:
    """Data without a final blank line is not an event."""
    verdict = judge(RUNNING + DONE.removesuffix(b"\n"), JOB)
    assert (verdict.code, verdict.events, verdict.job_id) == ("missing_terminal", 1, "job-7")
    assert (verdict.partial.state, verdict.partial.progress) == ("running", 50)


def test_malformed_json_names_the_job_id(judge) -> None:
    """The rejection has the id, and its explanation says to ask for the job, never to start it again."""
    verdict = judge(RUNNING + event("progress", '{"state":'), JOB)
    assert (verdict.code, verdict.at_event, verdict.job_id) == ("invalid_json", 2, "job-7")
    assert "with a GET of job-7; never start a new generation" in verdict.explain()
    assert "job-7" not in repr(verdict)


@pytest.mark.parametrize("data", ["[]", "null", '"done"', '{"state":1}', '{"progress":"50"}', '{"progress":true}'])
def test_a_record_of_another_shape(judge, data: str) -> None:
    """State is a text or null, progress a number or null."""
    assert judge(event("progress", data), JOB).code == "invalid_chunk"


def test_terminal_state_before_outputs(judge) -> None:
    """Outputs in a record that is not terminal are not used."""
    early = event("progress", '{"state":"running","outputs":["half.png"]}')
    assert judge(early, JOB).code == "missing_terminal"
    assert judge(early + event("done", '{"state":"running","outputs":["half.png"]}'), JOB).outputs is None
    assert judge(early + DONE, JOB).outputs == ["画像.png"]


def test_null_progress(judge) -> None:
    """Unknown is not 0 %."""
    assert judge(event("done", '{"state":"succeeded","progress":null}'), JOB).progress is None
    assert judge(event("done", '{"state":"succeeded","progress":0}'), JOB).progress == 0
    assert judge(event("done", '{"state":"succeeded","progress":99.5}'), JOB).progress == 99.5
    assert judge(event("progress", '{"state":"running","progress":null}'), JOB).partial.progress is None


def test_a_repeated_terminal_is_collected_once(judge) -> None:
    """A terminal progress record followed by `done` is one result, the first; the run stays decided."""
    verdict = judge(event("progress", RECORD) + DONE, JOB)
    assert (verdict.events, verdict.bytes_read) == (1, len(event("progress", RECORD)))
    run = JOB.start()
    first = run.event(Event("progress", RECORD, ""))
    assert run.event(Event("done", RECORD, "")) is first
    assert run.eof() is first


def test_caps_that_are_not_reached(judge) -> None:
    """N itself passes, and None lifts the cap."""
    body = RUNNING + DONE
    assert judge(body, generation("job-7", max_events=2)).ok
    assert judge(RUNNING * 20 + DONE, generation("job-7", max_events=None)).events == 21


def test_caps_that_are_none() -> None:
    """Misuse raises and names the argument."""
    for name in ("max_line", "max_event", "max_events"):
        with pytest.raises(TypeError, match=rf"^{name}='1': a number"):
            generation("job-7", **{name: "1"})


@pytest.mark.parametrize(("limits", "code"), [
    ({"max_line": 20}, "line_limit"),
    ({"max_event": 20}, "event_size_limit"),
    ({"max_events": 1}, "event_count_limit"),
])  # fmt: skip
def test_a_cap_reached_disconnects(limits, code: str) -> None:
    """A cap is a rejection with the job id and a closed source, not a memory error."""
    closed: list[bool] = []

    def source():
        try:
            yield RUNNING
            yield RUNNING
            yield DONE
        finally:
            closed.append(True)

    verdict = read(source(), generation("job-7", **limits))
    assert (verdict.code, verdict.job_id, closed) == (code, "job-7", [True])


@pytest.mark.parametrize("state", ["failed", "cancelled", "canceled"])
def test_a_failed_or_cancelled_job_is_a_true_answer(judge, state: str) -> None:
    """The stream was complete: the verdict is accepted and says how the job ended."""
    verdict = judge(event("progress", f'{{"state":"{state}","error":{{"code":3}}}}'), JOB)
    assert (verdict.ok, verdict.state, verdict.succeeded, verdict.error) == (True, state, False, {"code": 3})


def test_the_event_named_error_is_data_about_a_failed_job(judge) -> None:
    """Not an HTTP failure, not an exception; its outputs are never used, whatever it says."""
    verdict = judge(event("error", '{"state":"failed","error":"no memory","outputs":["x"]}'), JOB)
    assert (verdict.ok, verdict.state, verdict.outputs, verdict.succeeded) == (True, "failed", None, False)
    assert verdict.error == "no memory"
    assert judge(event("error", '{"state":"succeeded","outputs":["x"]}'), JOB).succeeded is False
    assert judge(event("error", '{"error":"no memory"}'), JOB).error == "no memory"
    assert judge(event("error", '{"state":"running","outputs":["x"]}'), JOB).outputs is None


def test_done_without_a_state(judge) -> None:
    """It ends the job; that it succeeded nobody said."""
    verdict = judge(event("done", '{"outputs":["x"]}'), JOB)
    assert (verdict.ok, verdict.state, verdict.outputs, verdict.succeeded) == (True, None, ["x"], False)


def test_an_unnamed_record_and_an_unknown_name(judge) -> None:
    """An empty or absent name is `message`; the state decides whatever the name."""
    for name in ("", "message", "status"):
        assert judge(event(name, '{"state":"succeeded"}'), JOB).succeeded is True


def test_the_set_of_terminal_states_is_an_argument(judge) -> None:
    """Another provider's words; which of them mean success is said apart."""
    contract = generation("job-7", terminal={"FINISHED", "EXPIRED"}, succeeded={"FINISHED"})
    assert judge(event("progress", '{"state":"succeeded"}'), contract).code == "missing_terminal"
    assert judge(event("progress", '{"state":"FINISHED"}'), contract).succeeded is True
    assert judge(event("progress", '{"state":"EXPIRED"}'), contract).succeeded is False


def test_one_string_is_no_set_of_states() -> None:
    """`terminal="failed"` would be six one-letter states."""
    for argument in ("terminal", "succeeded"):
        with pytest.raises(TypeError) as caught:
            generation("job-7", **{argument: "failed"})
        assert str(caught.value) == (
            "terminal and succeeded take a set of states, such as {'succeeded', 'failed'}, not one string"
        )


def test_bytes_that_are_not_utf8_are_replaced(judge) -> None:
    """UTF-8 with replacement, one BOM removed."""
    body = b"\xef\xbb\xbf" + event("done", '{"state":"succeeded","outputs":["a#"]}').replace(b"#", b"\xff")
    assert judge(body, JOB).outputs == ["a\ufffd"]


def test_event_ids_are_reported_only(judge) -> None:
    """The last event ID is told; nothing reconnects."""
    assert judge(b"id: 41\n\nid: 42\nretry: 5\n" + DONE, JOB).last_event_id == "42"


def test_contracts_with_and_without_a_job_are_values() -> None:
    """Equal when made alike; the job id stays out of the representation."""
    assert generation("a") == generation("a") != generation("b")
    assert len({generation("a"), generation("a"), generation()}) == 2
    assert repr(generation("job-7", terminal={"b", "a"})) == "Generation(terminal=['a', 'b'])"


def test_the_states_that_are_known() -> None:
    """Five end a job, two of them well; any other goes on."""
    found = {}
    for state in ("succeeded", "completed", "failed", "cancelled", "canceled", "running", "Failed", ""):
        verdict = read([event("progress", f'{{"state":"{state}"}}')], generation())
        found[state] = verdict.ok and verdict.succeeded
        assert verdict.code == ("accepted" if state in list(found)[:5] else "missing_terminal")
    assert [state for state, succeeded in found.items() if succeeded] == ["succeeded", "completed"]
