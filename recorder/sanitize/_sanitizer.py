"""What makes an interaction storable: one frozen value, applied to a whole cassette.

Rule: the default is on always. Applying it twice changes nothing the second time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from recorder.cassette import Cassette, Interaction, Recording, Request, Response
from recorder.sanitize._headers import (
    CREDENTIAL_HEADERS,
    QUERY_PARAMETERS,
    REDACTED,
    REQUEST_HEADERS,
    RESPONSE_HEADERS,
    clean_headers,
    clean_uri,
    credentials,
)
from recorder.sanitize._residue import Residue, scan
from recorder.sanitize._secrets import Replacer, check_secrets

RULES = ("known-secret", "query", "request-headers", "response-headers")


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """Cleans cassettes, and scans them for what is left.

    Attributes:
        secrets: values known in advance; never shown.
        text: "keep" stores prompts and generated text as they are.
    """

    secrets: tuple[str, ...] = field(default=(), repr=False)
    text: Literal["keep"] = "keep"

    @classmethod
    def default(
        cls, secrets: Iterable[str] = (), secret_env: Iterable[str] = (), text: Literal["keep"] = "keep"
    ) -> Sanitizer:
        """The sanitizer that is on always, told of further secrets.

        Args:
            secrets: values to be found in any form and replaced.
            secret_env: names of environment variables that hold such values; one that is not set is passed over.
            text: only "keep" so far.

        Raises:
            ValueError: a secret has fewer than 4 characters, or `text` is unknown.
        """
        if text != "keep":
            raise ValueError(f'text={text!r} is not known: use "keep"')
        named = [os.environ[name] for name in secret_env if os.environ.get(name)]
        return cls(check_secrets([*secrets, *named]), text)

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that identify the rules, not the secrets."""
        tables = [RULES, *map(sorted, (CREDENTIAL_HEADERS, REQUEST_HEADERS, RESPONSE_HEADERS, QUERY_PARAMETERS))]
        return hashlib.sha256(repr((tables, self.text)).encode()).hexdigest()[:12]

    def knowing(self, cassette: Cassette) -> Sanitizer:
        """This sanitizer, which also knows the credentials that the cassette's own requests show."""
        own = [credentials(each.request.headers, each.request.uri) for each in cassette.interactions]
        return replace(self, secrets=check_secrets([*self.secrets, *frozenset().union(*own)]))

    def apply(self, cassette: Cassette) -> Cassette:
        """The cassette as it may be stored."""
        replacer = Replacer(self.knowing(cassette).secrets, REDACTED)
        return replace(cassette, interactions=tuple(self._clean(each, replacer) for each in cassette.interactions))

    def scan(self, cassette: Cassette) -> tuple[Residue, ...]:
        """The secrets that can still be read in the cassette; empty when it may be stored."""
        return scan(cassette, self.knowing(cassette).secrets)

    def _clean(self, interaction: Interaction, replacer: Replacer) -> Interaction:
        request, in_request = _clean_request(interaction.request, replacer)
        response, in_response = _clean_response(interaction.response, replacer)
        return Interaction(request, self._noted(response, in_request + in_response))

    def _noted(self, response: Response, replacements: int) -> Response:
        recording = response.recording or Recording()
        if not replacements and (recording.sanitizer or response.recording is None):
            return response
        total = int(recording.sanitizer.get("replacements", 0)) + replacements
        note: dict[str, str | int] = {"rules": self.fingerprint, "replacements": total}
        return replace(response, recording=replace(recording, sanitizer=note))


def _clean_request(request: Request, replacer: Replacer) -> tuple[Request, int]:
    uri, in_uri = clean_uri(request.uri)
    uri, in_path = replacer.text(uri)
    headers, in_headers = clean_headers(request.headers, REQUEST_HEADERS)
    body, in_body = (None, 0) if request.body is None else replacer.data(request.body)
    return replace(request, uri=uri, headers=headers, body=body), in_uri + in_path + in_headers + in_body


def _clean_response(response: Response, replacer: Replacer) -> tuple[Response, int]:
    headers, in_headers = clean_headers(response.headers, RESPONSE_HEADERS)
    if response.chunks is None:
        body, in_body = replacer.data(response.body)
        return replace(response, headers=headers, body=body), in_headers + in_body
    body, chunks, in_body = replacer.chunked(response.body, response.chunks)
    return replace(response, headers=headers, body=body, chunks=chunks), in_headers + in_body
