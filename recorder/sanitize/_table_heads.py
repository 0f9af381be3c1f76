"""Rules for the head of a message and its URI: allowlists, credential headers, cookies.

Rule: what is on a list stays, the rest does not (both ways). A credential header keeps its name and loses its value, so
that the file still shows how the request was authorized.
"""

from __future__ import annotations

from recorder.sanitize._checks import holds_digit
from recorder.sanitize._rule import KNOWN_SECRET, URI_PARTS, Allow, Example, HeaderAction, Rule

_COOKIES = (
    "__cf_bm|_cfuvid|__cfruid|__cflb|cf_clearance|AWSALB(?:CORS|TG|TGCORS)?|JSESSIONID|PHPSESSID|ASP\\.NET_SessionId"
    "|connect\\.sid|csrftoken|sessionid|session|sid|auth_token|__Host-[\\w.-]{1,40}|__Secure-[\\w.-]{1,40}"
)

HEAD_RULES = (
    Rule(
        name=KNOWN_SECRET,
        what="values known in advance (the request's credential, --secret-env, secrets=), in any encoding, anywhere",
        kind="secret",
        examples=(Example("your key is c2stcGxhbnRlZC0zMTQx", "your key is secret-REDACTED-0001"),),
    ),
    Rule(
        name="credential-headers",
        what="headers that carry a credential: the name stays, the value is REDACTED and looked for everywhere else",
        kind="secret",
        headers=(
            "api-key", "apikey", "authorization", "ocp-apim-subscription-key", "proxy-authorization", "x-access-token",
            "x-amz-security-token", "x-api-key", "x-auth-token", "x-goog-api-key", "x-portkey-api-key",
        ),
        header_action=HeaderAction.REDACT,
        everywhere=True,
        examples=(Example("authorization: Bearer sk-planted-3141592653", "authorization: REDACTED"),),
    ),
    Rule(
        name="cookie",
        what="cookie and set-cookie headers are dropped; well-known session cookies in a text are replaced",
        kind="cookie",
        headers=("cookie", "set-cookie"),
        header_action=HeaderAction.DROP,
        pattern=rf"(?<![\w.-])(?:{_COOKIES})=([^;,\s\"'\\<>\x00]{{8,}})",
        anchors=("=",),
        check=holds_digit,
        everywhere=True,
        examples=(
            Example("set-cookie: __cf_bm=Zq3vN8-1735, path=/", ""),
            Example("curl -b __cf_bm=Zq3vN8tYx4-1735", "curl -b __cf_bm=cookie-REDACTED-0001"),
            Example("cookie: theme=dark; sessionid=8f2kq01mvz", ""),
        ),
        misses=("document.cookie = 'theme=dark'", "sessionid=<your session>", "session=closed", "sid=1"),
    ),
    Allow(
        name="request-headers",
        what="request headers that may be stored; the others are dropped",
        names=(
            "accept", "accept-encoding", "accept-language", "anthropic-beta", "anthropic-version", "content-type",
            "last-event-id", "mcp-protocol-version", "openai-beta",
        ),
        examples=(Example("user-agent: me/1.0 (my-laptop)", ""),),
    ),
    Allow(
        name="response-headers",
        what="response headers that may be stored; the others are dropped",
        names=(
            "cache-control", "content-language", "content-type", "date", "location", "mcp-protocol-version",
            "openai-version", "retry-after", "retry-after-ms", "vary", "x-should-retry",
        ),
        examples=(Example("x-forwarded-for: 198.51.100.7", ""),),
    ),
    Allow(
        name="query",
        what="query parameters that may be stored; the others are removed and, when long, looked for everywhere",
        names=("$alt", "alt", "api-version", "beta", "include", "limit", "order", "stream"),
        examples=(
            Example("https://api.example.com/v1?alt=sse&key=AbC123456", "https://api.example.com/v1?alt=sse"),
        ),
    ),
    Rule(
        name=URI_PARTS,
        what="user name, password and fragment of a URI are removed",
        kind="secret",
        everywhere=True,
        examples=(Example("https://me:pa55word@api.example.com/v1#top", "https://api.example.com/v1"),),
    ),
)  # fmt: skip
