"""Looking at cassettes: show what is in one."""

from recorder.inspect._show import describe, show, show_json

__all__ = ["describe", "show", "show_json"]
