"""The embedded loopback provider: a real HTTPS server on 127.0.0.1 that streams synthetic answers, whole or broken.

It is what the demo, the tests and the notebooks record from: bearer auth, TLS from an authority made on the spot,
transfer chunks exactly as a scenario lists them, and every way in which a stream can end. It knows nothing of
recording.
"""

from recorder.provider._catalog import scenario, scenario_names
from recorder.provider._gate import Hold
from recorder.provider._ledger import Exchange
from recorder.provider._provider import Provider
from recorder.provider._request import SeenRequest
from recorder.provider._scenario import BuiltScenario, End, Piece, Scenario

__all__ = [
    "BuiltScenario",
    "End",
    "Exchange",
    "Hold",
    "Piece",
    "Provider",
    "Scenario",
    "SeenRequest",
    "scenario",
    "scenario_names",
]
