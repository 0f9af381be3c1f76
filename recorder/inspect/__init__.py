"""Looking at cassettes: show what is in one, tell two apart, and verify that one is in order."""

from recorder.inspect._diff import Comparison, Difference, diff
from recorder.inspect._escape import json_text, safe, safe_bytes
from recorder.inspect._facts import describe
from recorder.inspect._show import show, show_json
from recorder.inspect._told import told
from recorder.inspect._verify import accept, verify

__all__ = [
    "Comparison",
    "Difference",
    "accept",
    "describe",
    "diff",
    "json_text",
    "safe",
    "safe_bytes",
    "show",
    "show_json",
    "told",
    "verify",
]
