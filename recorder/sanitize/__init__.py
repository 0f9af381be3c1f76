"""From what was seen to what may be stored: clean, scan again by other means, and only then write.

This room owns saving: nothing else reaches the cassette room's store.
"""

from recorder.sanitize._from_tape import interaction_from_tape
from recorder.sanitize._members import MemberTable, pointer_step
from recorder.sanitize._residue import Residue
from recorder.sanitize._rule import Allow, Example, HeaderAction, Rule
from recorder.sanitize._sanitizer import Cleaned, Sanitizer
from recorder.sanitize._save import Growing, check_place, cleaned, sanitized, save_cassette, update_cassette
from recorder.sanitize._stand_ins import REDACTED, fits, holds_stand_in, is_number_stand_in, is_stand_in
from recorder.sanitize._table import DEFAULT_RULES

__all__ = [
    "DEFAULT_RULES",
    "REDACTED",
    "Allow",
    "Cleaned",
    "Example",
    "Growing",
    "HeaderAction",
    "MemberTable",
    "Residue",
    "Rule",
    "Sanitizer",
    "check_place",
    "cleaned",
    "fits",
    "holds_stand_in",
    "interaction_from_tape",
    "is_number_stand_in",
    "is_stand_in",
    "pointer_step",
    "sanitized",
    "save_cassette",
    "update_cassette",
]
