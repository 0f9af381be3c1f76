"""From what was seen to what may be stored: clean, scan again by other means, and only then write.

This room owns saving: nothing else reaches the cassette room's store.
"""

from recorder.sanitize._from_tape import interaction_from_tape
from recorder.sanitize._residue import Residue
from recorder.sanitize._sanitizer import Sanitizer
from recorder.sanitize._save import save_cassette, save_recording

__all__ = ["Residue", "Sanitizer", "interaction_from_tape", "save_cassette", "save_recording"]
