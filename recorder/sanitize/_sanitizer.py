"""What makes a cassette storable: one frozen value made of rules, applied to a whole cassette.

Rule: the default is on always. Applying it twice changes nothing the second time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from recorder.cassette import Cassette, Interaction, Recording
from recorder.sanitize._configuration import Configuration, nearest_configuration, read_configuration
from recorder.sanitize._credentials import Learner
from recorder.sanitize._interactions import Cleaner, Names, declared_by, stand_ins_of
from recorder.sanitize._known import Known, check_secrets
from recorder.sanitize._proofs import Proof, joined
from recorder.sanitize._residue import Residue, Scanner, scan
from recorder.sanitize._rule import Allow, AnyRule
from recorder.sanitize._table import DEFAULT_RULES

TextPolicy = Literal["keep", "shape"]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cassette as it may be stored, and what was done.

    Attributes:
        cassette: the clean one.
        counts: how many replacements each rule made; a rule that made none is not in it.
    """

    cassette: Cassette
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """Cleans cassettes, and scans them for what is left.

    Attributes:
        known: values known in advance; never shown.
        text: "keep" stores prompts and generated text as they are, "shape" only their shape.
        rules: what is in force, in the order in which they name a hit.
    """

    known: tuple[Known, ...] = field(default=(), repr=False)
    text: TextPolicy = "keep"
    rules: tuple[AnyRule, ...] = field(default=DEFAULT_RULES, repr=False)

    @classmethod
    def default(
        cls, secrets: Iterable[str] = (), secret_env: Iterable[str] = (), text: TextPolicy = "keep"
    ) -> Sanitizer:
        """The sanitizer that is on always, told of further secrets.

        Args:
            secrets: values to be found in any form and replaced.
            secret_env: names of environment variables that hold such values; one that is not set is passed over.
            text: "keep", or "shape": generated text and prompts become text of the same shape, byte for byte; known
                values in them become as many bytes that are all the same. One that is a shape itself, such as `xxxx`,
                cannot be told from the other texts there, and is looked for everywhere else.

        Raises:
            ValueError: a secret has fewer than 4 characters, or `text` is unknown.
        """
        return cls().with_text(text).with_secrets(secrets, secret_env)

    @classmethod
    def configured(cls, pyproject: str | os.PathLike[str] | None = None) -> Sanitizer:
        """The default, changed by `[tool.recorder]` of a project.

        Args:
            pyproject: the `pyproject.toml`; the nearest one above the working directory unless given.

        Raises:
            ValueError: the table holds what is not known, with the file's name.
            OSError: the given file cannot be read.
        """
        found = nearest_configuration() if pyproject is None else read_configuration(pyproject)
        try:
            return cls.default() if found is None else cls.default()._changed(found)
        except ValueError as error:
            raise ValueError(f"{found.where if found else ''}: [tool.recorder]: {error}") from None

    def _changed(self, by: Configuration) -> Sanitizer:
        new = self.without(*by.without).with_rules(*by.rules).with_secrets((), by.secret_env)
        return replace(new, text=by.text or new.text).allowing(**by.allow)

    # -- other sanitizers ---------------------------------------------------------------------------------------------

    def with_secrets(self, secrets: Iterable[str] = (), secret_env: Iterable[str] = ()) -> Sanitizer:
        """This sanitizer, which also knows these values and those of these environment variables.

        Raises:
            ValueError: one has fewer than 4 characters.
        """
        named = [value for name in secret_env if (value := os.environ.get(name, "").strip())]
        return self._knowing(check_secrets([*secrets, *named]))

    def with_text(self, text: TextPolicy) -> Sanitizer:
        """This sanitizer with another policy for generated text and prompts.

        Raises:
            ValueError: it is neither "keep" nor "shape".
        """
        if text not in ("keep", "shape"):
            raise ValueError(f'text={text!r} is not known: use "keep" or "shape"')
        return replace(self, text=text)

    def with_rules(self, *rules: AnyRule) -> Sanitizer:
        """This sanitizer with further rules, which come first; one of the same name is replaced."""
        names = {rule.name for rule in rules}
        return replace(self, rules=(*rules, *[rule for rule in self.rules if rule.name not in names]))

    def without(self, *names: str) -> Sanitizer:
        """This sanitizer without the rules of these names.

        Raises:
            ValueError: there is no such rule.
        """
        unknown = set(names) - {rule.name for rule in self.rules}
        if unknown:
            listed = ", ".join(rule.name for rule in self.rules)
            raise ValueError(f"no rule is called {', '.join(sorted(unknown))}: one of {listed}")
        return replace(self, rules=tuple([rule for rule in self.rules if rule.name not in names]))

    def allowing(
        self, *, request_headers: Iterable[str] = (), response_headers: Iterable[str] = (), query: Iterable[str] = ()
    ) -> Sanitizer:
        """This sanitizer, which also lets these headers and query parameters be stored."""
        more = {"request-headers": request_headers, "response-headers": response_headers, "query": query}
        return replace(
            self,
            rules=tuple(
                [
                    replace(rule, names=(*rule.names, *more[rule.name])) if isinstance(rule, Allow) else rule
                    for rule in self.rules
                ]
            ),
        )

    def knowing(self, cassette: Cassette) -> Sanitizer:
        """This sanitizer, which also knows the credentials and identifiers that the cassette's own messages show."""
        learner = Learner(self.rules)
        return self._knowing(known for each in cassette.interactions for known in learner.known(each))

    def _knowing(self, more: Iterable[Known]) -> Sanitizer:
        order = {rule.name: number for number, rule in enumerate(self.rules)}
        by_rank = sorted(more, key=lambda each: (-order.get(each.rule, len(order)), each))
        by_value = {each.value: each for each in by_rank} | {each.value: each for each in self.known}
        ordered = sorted(by_value.values(), key=lambda each: (-len(each.value), each.value))
        return replace(self, known=tuple(ordered))

    # -- what it does -------------------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that identify the rules, not the secrets."""
        described = repr(([rule.data() for rule in self.rules], self.text))
        return hashlib.sha256(described.encode()).hexdigest()[:12]

    def apply(self, cassette: Cassette) -> Cassette:
        """The cassette as it may be stored."""
        return self.clean(cassette).cassette

    def clean(self, cassette: Cassette) -> Cleaned:
        """The cassette as it may be stored, with the number of replacements by rule."""
        return self.knowing(cassette).clean_known(cassette)

    def clean_known(
        self, cassette: Cassette, proofs: Sequence[Proof | None] = (), names: Names | None = None
    ) -> Cleaned:
        """`clean`, without learning from the cassette.

        Args:
            cassette: what to clean.
            proofs: for each interaction, that it may be stored as it is, or None; none at all unless given.
            names: what was given a name before; receives more.
        """
        names, shaped = names or Names(), self.text == "shape"
        proofs = proofs or [None] * len(cassette.interactions)
        for each, proof in zip(cassette.interactions, proofs, strict=True):
            names.stand_ins.follow(proof.stand_ins if proof else stand_ins_of(each))
        cleaner = Cleaner(self.rules, self.known, names, shape=shaped)
        preamble = cleaner.preamble(cassette.preamble)
        interactions, fingerprint = [], self.fingerprint
        for each, proof in zip(cassette.interactions, proofs, strict=True):
            before = cleaner.counts.total()
            if proof is None:
                clean = cleaner.interaction(each)
            else:
                clean = each
                names.shaper.declare(proof.declared)
            interactions.append(_noted(clean, cleaner.counts.total() - before, fingerprint))
        counts = {name: count for name, count in sorted(cleaner.counts.items()) if count}
        return Cleaned(replace(cassette, interactions=tuple(interactions), preamble=preamble), counts)

    def scan(self, cassette: Cassette) -> tuple[Residue, ...]:
        """What must not be stored and still is there; empty when the cassette may be stored."""
        return self.knowing(cassette).scan_known(cassette)

    def scan_known(self, cassette: Cassette) -> tuple[Residue, ...]:
        """`scan`, without learning from the cassette."""
        return scan(cassette, self.rules, self.known, shaped=self.text == "shape")

    def prove(self, cassette: Cassette, proofs: Sequence[Proof | None]) -> tuple[tuple[Residue, ...], list[Proof]]:
        """`scan_known`, but for what is proven; and the proof of each interaction, which counts if nothing is left.

        Args:
            cassette: a clean one.
            proofs: for each interaction, that it need not be scanned, or None.
        """
        shaped = self.text == "shape"
        scanner = Scanner(self.rules, self.known, shaped)
        left, found = [*scanner.preamble(cassette.preamble)], list[Proof]()
        for number, (each, proof) in enumerate(zip(cassette.interactions, proofs, strict=True), 1):
            if proof is None:
                residue, readings = scanner.readings(each, number)
                left += residue
                read = joined(readings) if scanner.shortest else None
                declared = frozenset(declared_by(each.request) if shaped else ())
                proof = Proof(read, scanner.shortest, frozenset(stand_ins_of(each)), declared)
            found.append(proof)
        return tuple(left), found


def _noted(interaction: Interaction, replacements: int, fingerprint: str) -> Interaction:
    response = interaction.response
    recording = response.recording or Recording()
    if not replacements and (recording.sanitizer or response.recording is None):
        return interaction
    before = recording.sanitizer.get("replacements", 0)
    total = replacements + (before if isinstance(before, int) else 0)
    note: dict[str, str | int] = {"rules": fingerprint, "replacements": total}
    return replace(interaction, response=replace(response, recording=replace(recording, sanitizer=note)))
