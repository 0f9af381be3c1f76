"""The rules that are on unless removed, in their order: where two hit the same text, the earlier one names it."""

from __future__ import annotations

from recorder.sanitize._rule import AnyRule, Rule
from recorder.sanitize._table_heads import HEAD_RULES
from recorder.sanitize._table_identifiers import IDENTIFIER_RULES
from recorder.sanitize._table_keys import KEY_RULES
from recorder.sanitize._table_people import PEOPLE_RULES
from recorder.sanitize._table_tokens import TOKEN_RULES

DEFAULT_RULES: tuple[AnyRule, ...] = (*HEAD_RULES, *TOKEN_RULES, *KEY_RULES, *IDENTIFIER_RULES, *PEOPLE_RULES)

NAMED_HEADERS = frozenset(name for rule in DEFAULT_RULES if isinstance(rule, Rule) for name in rule.headers)
"""Headers with a rule of their own. Who removes the rule wants them kept, so the allowlists do not drop them."""
