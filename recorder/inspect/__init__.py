"""Looking at cassettes: show what is in one, and verify that it is in order."""

from recorder.inspect._show import describe, show, show_json
from recorder.inspect._verify import accept, verify

__all__ = ["accept", "describe", "show", "show_json", "verify"]
