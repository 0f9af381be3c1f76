"""Headers and query parameters: what is on the list stays, the rest does not (an allowlist, both ways).

A credential header keeps its name and loses its value, so that the file still shows how the request was authorized.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from recorder.cassette import Headers

REDACTED = "REDACTED"

CREDENTIAL_HEADERS = frozenset(
    {"api-key", "authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token", "x-goog-api-key"}
)
REQUEST_HEADERS = frozenset(
    {"accept", "accept-encoding", "anthropic-beta", "anthropic-version", "content-type", "openai-beta"}
)
RESPONSE_HEADERS = frozenset({"cache-control", "content-type", "date", "location", "retry-after"})
QUERY_PARAMETERS = frozenset({"alt", "api-version", "beta", "stream"})


def credentials(headers: Headers, uri: str) -> frozenset[str]:
    """The secrets a request itself shows: credential header values (also without scheme), and dropped query values."""
    found = {value for name in CREDENTIAL_HEADERS for value in headers.get(name, ())}
    found |= {value.partition(" ")[2].strip() for value in found if " " in value}
    parts = urlsplit(uri)
    found |= {value for name, value in parse_qsl(parts.query) if name.lower() not in QUERY_PARAMETERS}
    found |= {part for part in (parts.username, parts.password) if part}
    return frozenset(value for value in found if len(value) >= 8 and value != REDACTED)


def clean_headers(headers: Headers, allowed: frozenset[str]) -> tuple[Headers, int]:
    """The headers that may be stored, and how many were dropped or redacted."""
    kept: list[tuple[str, tuple[str, ...]]] = []
    changed = 0
    for name, values in headers.items():
        lower = name.lower()
        if lower in allowed:
            kept.append((lower, values))
        elif lower in CREDENTIAL_HEADERS and lower != "cookie":
            kept.append((lower, (REDACTED,)))
            changed += values != (REDACTED,)
        else:
            changed += 1
    return Headers(sorted(kept)), changed


def clean_uri(uri: str) -> tuple[str, int]:
    """The URI without user information, fragment and the query parameters off the list; and how many were removed."""
    parts = urlsplit(uri)
    query = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in query if name.lower() in QUERY_PARAMETERS]
    host = parts.netloc.rpartition("@")[2]
    removed = len(query) - len(kept) + (host != parts.netloc) + bool(parts.fragment)
    return (urlunsplit((parts.scheme, host, parts.path, urlencode(kept), "")), removed) if removed else (uri, 0)
