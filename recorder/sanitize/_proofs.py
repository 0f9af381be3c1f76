"""What was cleaned and scanned before in this process: the same again, under the same rules, is taken as it is.

Rule: a proof is for one content, byte by byte, and one set of rules; any difference and there is none. Values that
became known since are looked for in everything the scan had read there; where that cannot be said, there is no proof
either, and the long way decides. A proof holds what was clean, never a value that is known.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recorder.cassette import Interaction
from recorder.sanitize._known import Known
from recorder.sanitize._residue import forms
from recorder.sanitize._rule import AnyRule, Rule
from recorder.sanitize._stand_ins import Numbered

LARGEST = 64 * 1024 * 1024
"""Bytes of readings that are kept at most."""

_BETWEEN = b"\xff\x00\xff"  # a value found over it is found by mistake, which only makes for more work
_MOST_RULES = 64
_OVERHEAD = 4096  # bytes that a proof takes without its readings, by and large
_SALT = secrets.token_bytes(16)


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """That an interaction may be stored as it is.

    Attributes:
        readings: all that the scan had read; None when that was too much to keep, or nothing was looked for.
        shortest: of so many bytes a value has to be to be found in them for sure.
        stand_ins: those it holds.
        declared: the names its request says, where texts are shaped.
        absent: what was looked for and is not there, as digests.
    """

    readings: bytes | None
    shortest: int
    stand_ins: frozenset[Numbered]
    declared: frozenset[str]
    absent: set[bytes] = field(default_factory=set)

    def excludes(self, wanted: Mapping[bytes, Wanted]) -> bool:
        """Whether it is sure that none of these is there, which are given by their digests."""
        for digest in wanted.keys() - self.absent:
            each = wanted[digest]
            if self.readings is None or each.shortest < self.shortest:
                return False
            if any(form in self.readings for form in each.forms):
                return False
            self.absent.add(digest)
        return True


class Wanted:
    """A known value as the scan looks for it.

    Attributes:
        forms: how it may be written where everything is decoded.
        shortest: the length of the shortest.
        digest: its name; says nothing about it outside of this process.
    """

    __slots__ = ("digest", "forms", "shortest")

    def __init__(self, known: Known) -> None:
        self.forms = forms(known)
        self.shortest = min(map(len, self.forms))
        self.digest = hashlib.blake2b(self.forms[0], key=_SALT, digest_size=16).digest()


def wanted_of(known: Iterable[Known]) -> dict[bytes, Wanted]:
    """Known values as the scan looks for them, by their digests."""
    return {each.digest: each for each in map(Wanted, known)}


Key = tuple[int, bytes]


class Proofs:
    """Proofs, the least recently used of which are forgotten when they grow too large. Safe to use from any thread.

    Args:
        largest: bytes of readings that are kept at most.
    """

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest, self._size = largest, 0
        self._rules: dict[object, int] = {}
        self._proofs: OrderedDict[Key, tuple[Proof, int]] = OrderedDict()
        self._lock = threading.Lock()

    def keys(self, rules: Iterable[AnyRule], shaped: bool, interactions: Iterable[Interaction]) -> list[Key]:
        """What proofs of these interactions are found by."""
        # rules are equal that differ in their check alone
        identity = (shaped, tuple([(rule, rule.check if isinstance(rule, Rule) else None) for rule in rules]))
        with self._lock:
            if len(self._rules) >= _MOST_RULES and identity not in self._rules:
                self._rules.clear()
                self._proofs.clear()
                self._size = 0
            number = self._rules.setdefault(identity, len(self._rules))
        return [(number, _digest(each)) for each in interactions]

    def get(self, key: Key) -> Proof | None:
        """The proof of an interaction, if there is one."""
        with self._lock:
            if key not in self._proofs:
                return None
            self._proofs.move_to_end(key)
            return self._proofs[key][0]

    def keep(self, key: Key, proof: Proof) -> None:
        """Keep a proof."""
        size = _OVERHEAD + len(proof.readings or b"")
        with self._lock:
            if key in self._proofs:
                self._size -= self._proofs.pop(key)[1]
            self._proofs[key] = (proof, size)
            self._size += size
            while self._size > self._largest:
                self._size -= self._proofs.popitem(last=False)[1][1]


def bounded(proofs: Sequence[Proof], largest: int = LARGEST) -> list[Proof]:
    """The same proofs, where the first ones go without their readings if those of all are too large together.

    Args:
        proofs: the last ones are the most recent.
        largest: bytes of readings that are kept at most.
    """
    kept: list[Proof] = []
    for proof in reversed(proofs):
        largest -= len(proof.readings or b"")
        kept.append(proof if largest >= 0 else replace(proof, readings=None))
    return kept[::-1]


def joined(readings: Iterable[bytes]) -> bytes:
    """Readings as one, in which what is in none of them is not found, but for mistakes on the safe side."""
    return _BETWEEN.join(readings)


def _digest(interaction: Interaction) -> bytes:
    """Of everything that is cleaned or scanned, which is all but status, chunks, end and times."""
    request, response = interaction.request, interaction.response
    told = response.recording
    facts = told and (told.wire, told.client, told.outcome, told.imported, told.recorded, told.tool, told.extra)
    heads = [(request.method, request.uri, response.reason), [*request.headers.items()], [*response.headers.items()]]
    bodies = (request.body or b"", response.body)
    digest = hashlib.sha256(ascii((heads, facts, request.body is None, [len(body) for body in bodies])).encode())
    for body in bodies:
        digest.update(body)
    return digest.digest()
