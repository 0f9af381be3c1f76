"""The exit statuses, the same for every command; of several that fit, the highest holds."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """What a command's end means."""

    FINE = 0
    NO = 1  # the answer: rejected, another result, a difference, a secret left
    CANNOT = 2  # no answer: wrong usage, input that cannot be read, output that cannot be written
    INTERRUPTED = 130  # 128 and the number of the signal, as shells have it: SIGINT, Ctrl-C
    UNREAD = 141  # the same of SIGPIPE: whoever read the output has enough
    TERMINATED = 143  # the same of SIGTERM


MEANING = (
    "Exit status: 0 when all is well; 1 when the answer is no (a stream was rejected, a reader failed, two recordings "
    "differ, a secret is left); 2 when there is no answer (wrong usage, input that cannot be read)."
)
