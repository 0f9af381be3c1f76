"""Record modes: vcrpy's words with vcrpy's meaning, and pytest-recording's `rewrite`."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """When a request is recorded.

    `none`: never. `once`: only where there was no cassette yet. `new_episodes`: what the cassette does not answer.
    `all`: every request; a recording takes the place of what it matches. `rewrite`: every request, into a new cassette.
    """

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REWRITE = "rewrite"

    @classmethod
    def of(cls, mode: object) -> Mode:
        """The mode of this name; vcrpy's `RecordMode` members will do too.

        Raises:
            ValueError: there is none.
        """
        value = str(getattr(mode, "value", mode))
        if value not in set(cls):
            raise ValueError(f"mode={value!r} is not a record mode: one of {', '.join(cls)} would be right")
        return cls(value)

    def plays(self, found: bool) -> bool:
        """Whether stored interactions answer requests, given whether there was a cassette."""
        return self in (Mode.NONE, Mode.NEW_EPISODES) or (self is Mode.ONCE and found)

    def records(self, found: bool) -> bool:
        """Whether a request that nothing answers is made, and recorded."""
        return self is not Mode.NONE and not (self is Mode.ONCE and found)
