"""The grammar as data, for help texts and forms: the values of each term, in order, as the grammar writes them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from recorder.plans._framing import Framing
from recorder.plans._places import COUNTED, NAMED
from recorder.plans.delays import DELAYS
from recorder.plans.edits import EDITS
from recorder.plans.ends import ENDS
from recorder.plans.partitions import PARTITIONS

GRAMMAR: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chunks": tuple(each.form for each in PARTITIONS.values()),
        "delay": tuple(each.form for each in DELAYS.values()),
        "end": tuple(each.form for each in ENDS.values()),
        "framing": tuple(Framing),
        "edit": tuple(each.form for each in EDITS.values()),
        "POS": COUNTED + NAMED,
    }
)
