"""The readers of this folder can be imported by name, as a user's own can."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
