"""The published readers of text-only chat streams, as data: limits, and checks in the order each makes them.

Rule: a profile is read from top to bottom; the first step that objects gives the code. The limits are these readers'
own safeguards, not limits of a provider.

It does not know how a step works nor how the bytes are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recorder.contracts import _chat_steps as steps
from recorder.contracts._chat_steps import DoneStep, Step
from recorder.sse import Limit


@dataclass(frozen=True, slots=True)
class Profile:
    """One reader.

    Attributes:
        utf8: "strict", or "replace" for U+FFFD.
        max_line, max_event: what the parser keeps of one line and of the joined data of one event.
        max_output: the accumulated text.
        max_events: delivered events, the terminal one included; None for no limit.
        max_depth: nesting of the JSON.
        constants: whether NaN and Infinity pass, as Python's decoder lets them.
        named_events: whether an event with a name of its own is rejected or read like any other.
        chunk: what is looked at in each chunk, in order.
        done: what is looked at when `[DONE]` arrives, in order.
        marked: whether `object` must be the marker (the typed path's share of `chunk`).
    """

    utf8: Literal["strict", "replace"]
    max_line: Limit
    max_event: Limit
    max_output: Limit
    max_events: int | None
    max_depth: int
    constants: bool
    named_events: Literal["rejected", "ignored"]
    chunk: tuple[Step, ...]
    done: tuple[DoneStep, ...]
    marked: bool


COMETAPI_NODE = Profile(
    utf8="strict",
    max_line=Limit(65_536, "utf16", counts="fields"),
    max_event=Limit(65_536, "utf16"),
    max_output=Limit(65_536, "utf16"),
    max_events=10_000,
    max_depth=512,
    constants=False,
    named_events="rejected",
    chunk=(
        steps.object_chunk,
        steps.no_error,
        steps.marked,
        steps.choices_listed,
        steps.usage_taken,
        steps.no_choice_is_enough,
        steps.one_choice,
        steps.index_number_zero,
        steps.before_finish,
        steps.object_delta,
        steps.null_tools,
        steps.text_content,
        steps.within_output,
        steps.text_appended,
        steps.stop_or_none,
    ),
    done=(steps.finish_seen, steps.some_text, steps.no_half_left),
    marked=True,
)

COMETAPI_DOTNET = Profile(
    utf8="strict",
    max_line=Limit(65_536, "utf16"),
    max_event=Limit(65_536, "utf16"),
    max_output=Limit(65_536, "utf16"),
    max_events=10_000,
    max_depth=32,
    constants=False,
    named_events="rejected",
    chunk=(
        steps.object_chunk,
        steps.marked,
        steps.choices_there,
        steps.choices_listed,
        steps.usage_taken,
        steps.no_choice_is_enough,
        steps.one_choice,
        steps.object_choice,
        steps.before_finish,
        steps.index_integer_zero,
        steps.delta_there,
        steps.object_delta,
        steps.null_tools,
        steps.text_content,
        steps.whole_content,
        steps.within_output,
        steps.text_appended,
        steps.whole_finish,
        steps.stop_or_none,
    ),
    done=(steps.finish_seen, steps.text_not_blank),
    marked=True,
)

_FLOWBAR_HEAD: tuple[Step, ...] = (
    steps.object_chunk,
    steps.no_error,
    steps.choices_listed,
    steps.usage_object,
    steps.usage_taken,
    steps.no_choice_is_enough,
    steps.one_choice,
    steps.index_number_zero,
    steps.object_delta,
)
_FLOWBAR_TAIL: tuple[Step, ...] = (
    steps.text_content,
    steps.before_finish,
    steps.within_output,
    steps.text_appended,
    steps.stop_or_none,
)

FLOWBAR = Profile(
    utf8="replace",
    max_line=Limit(65_536, "bytes", counts="raw"),
    max_event=Limit(262_144, "bytes", per_line=1),
    max_output=Limit(100_000, "code_points"),
    max_events=None,
    max_depth=512,
    constants=True,
    named_events="ignored",
    chunk=(*_FLOWBAR_HEAD, steps.falsy_tools_and_audio, *_FLOWBAR_TAIL),
    done=(steps.finish_seen, steps.no_half_left),
    marked=False,
)

OPENAI = Profile(
    utf8="strict",
    max_line=Limit(1_048_576, "bytes"),
    max_event=Limit(1_048_576, "bytes"),
    max_output=Limit(1_048_576, "code_points"),
    max_events=100_000,
    max_depth=64,
    constants=False,
    named_events="rejected",
    chunk=(*_FLOWBAR_HEAD, steps.null_tools_and_audio, *_FLOWBAR_TAIL),
    done=(steps.finish_seen, steps.no_half_left),
    marked=False,
)

PROFILES = {
    "openai": OPENAI,
    "cometapi-node": COMETAPI_NODE,
    "cometapi-dotnet": COMETAPI_DOTNET,
    "flowbar": FLOWBAR,
}
