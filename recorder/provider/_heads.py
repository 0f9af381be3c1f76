"""The heads that providers send with a stream, header by header; every value is synthetic.

Rule: the names and their spelling are those of the provider, what the server itself sends (framing, connection) is left
to it, and nothing depends on time or chance.
"""

from __future__ import annotations

from recorder.provider._scenario import HeaderPairs

OPENAI: HeaderPairs = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("access-control-expose-headers", "X-Request-ID"),
    ("cache-control", "no-cache"),
    ("openai-organization", "org-loopback-example"),
    ("openai-processing-ms", "12"),
    ("openai-project", "proj_loopbackexample00000001"),
    ("openai-version", "2020-10-01"),
    ("x-ratelimit-limit-requests", "10000"),
    ("x-ratelimit-remaining-requests", "9999"),
    ("x-request-id", "req_loopback0001"),
    ("set-cookie", "__cf_bm=synthetic-loopback-cookie-1; path=/; HttpOnly; Secure; SameSite=None"),
    ("server", "cloudflare"),
    ("cf-ray", "0000000000000001-XXX"),
)
AZURE: HeaderPairs = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("apim-request-id", "00000000-0000-4000-8000-000000000001"),
    ("azureml-model-session", "loopback-session-1"),
    ("strict-transport-security", "max-age=31536000; includeSubDomains; preload"),
    ("x-accel-buffering", "no"),
    ("x-content-type-options", "nosniff"),
    ("x-ms-client-request-id", "00000000-0000-4000-8000-000000000002"),
    ("x-ms-deployment-name", "loopback-1"),
    ("x-ms-rai-invoked", "true"),
    ("x-ms-region", "Nowhere"),
    ("x-ratelimit-remaining-requests", "99"),
    ("x-request-id", "00000000-0000-4000-8000-000000000003"),
)
OPENROUTER: HeaderPairs = (
    ("content-type", "text/event-stream"),
    ("access-control-allow-origin", "*"),
    ("cache-control", "no-cache"),
    ("permissions-policy", "payment=(self)"),
    ("referrer-policy", "no-referrer, strict-origin-when-cross-origin"),
    ("x-content-type-options", "nosniff"),
    ("server", "cloudflare"),
    ("cf-ray", "0000000000000002-XXX"),
)
ANTHROPIC: HeaderPairs = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("anthropic-ratelimit-requests-limit", "50"),
    ("anthropic-ratelimit-requests-remaining", "49"),
    ("request-id", "req_loopback0002"),
    ("anthropic-organization-id", "00000000-0000-4000-8000-000000000004"),
    ("via", "1.1 google"),
    ("x-robots-tag", "none"),
    ("cf-cache-status", "DYNAMIC"),
    ("server", "cloudflare"),
    ("cf-ray", "0000000000000003-XXX"),
)
GEMINI: HeaderPairs = (
    ("content-type", "text/event-stream"),
    ("content-disposition", "attachment"),
    ("vary", "Origin"),
    ("vary", "X-Origin"),
    ("vary", "Referer"),
    ("server", "scaffolding on HTTPServer2"),
    ("x-xss-protection", "0"),
    ("x-frame-options", "SAMEORIGIN"),
    ("x-content-type-options", "nosniff"),
    ("server-timing", "gfet4t7; dur=12"),
    ("alt-svc", 'h3=":443"; ma=2592000,h3-29=":443"; ma=2592000'),
)
COHERE: HeaderPairs = (
    ("access-control-expose-headers", "X-Debug-Trace-ID"),
    ("cache-control", "no-cache, no-store, no-transform, must-revalidate, private, max-age=0"),
    ("content-type", "text/event-stream"),
    ("expires", "Thu, 01 Jan 1970 00:00:00 UTC"),
    ("pragma", "no-cache"),
    ("vary", "Origin"),
    ("x-accel-expires", "0"),
    ("x-debug-trace-id", "00000000000000000000000000000001"),
    ("x-endpoint-monthly-call-limit", "1000"),
    ("server", "envoy"),
    ("via", "1.1 google"),
)
MCP: HeaderPairs = (
    ("content-type", "text/event-stream"),
    ("cache-control", "no-cache, no-transform"),
    ("mcp-session-id", "loopback-session-2"),
    ("x-accel-buffering", "no"),
    ("server", "uvicorn"),
)
GENERATION: HeaderPairs = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache, no-transform"),
    ("x-accel-buffering", "no"),
)
