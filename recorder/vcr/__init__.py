"""`use_cassette`: vcrpy's modes and patch points, with our streaming stand-ins, our matching and our store."""

from recorder.vcr._force import AmbiguousCassetteError
from recorder.vcr._mode import Mode
from recorder.vcr._session import Session
from recorder.vcr._streaming import streaming
from recorder.vcr._use import CassetteUse, use_cassette

__all__ = ["AmbiguousCassetteError", "CassetteUse", "Mode", "Session", "streaming", "use_cassette"]
