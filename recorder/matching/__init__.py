"""Which stored request answers a live one, and, where none does, which came nearest and in what it differs."""

from recorder.matching._matchers import DEFAULT_MATCH_ON, MatchOn
from recorder.matching._miss import NoMatch
from recorder.matching._playback import Playback, Played

__all__ = ["DEFAULT_MATCH_ON", "MatchOn", "NoMatch", "Playback", "Played"]
