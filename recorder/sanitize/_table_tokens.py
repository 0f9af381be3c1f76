"""Rules for credentials by their form or their surroundings: members, assignments, schemes, JWT, PEM, signed URLs.

Rule: each says what surrounds the value and replaces the value alone.
"""

from __future__ import annotations

from recorder.sanitize._checks import is_basic, is_password, is_random
from recorder.sanitize._rule import Example, Rule

_BASE64 = r"[A-Za-z0-9+/]"
_NAMED = r"api[_-]?key|(?:access|auth|bearer)[_-]?token|client[_-]?secret|secret[_-]?key|password|passwd"

TOKEN_RULES = (
    Rule(
        name="credential-members",
        what="JSON members and form fields named like a credential: password, api_key, access_token ...",
        kind="secret",
        members=(
            "*_access_key", "*_access_token", "*_api_key", "*_auth_token", "*_authorization", "*_bearer_token",
            "*_bot_token", "*_csrf_token", "*_github_token", "*_hf_token", "*_passphrase", "*_password",
            "*_private_key", "*_refresh_token", "*_secret", "*_secret_key", "*_security_token", "*_session_token",
            "*_slack_token", "$..client_secret.value", "id_token", "passwd",
        ),
        everywhere=True,
        examples=(
            Example('{"access_token":"opaque-1"}', '{"access_token":"secret-REDACTED-0001"}'),
            Example('{"db":{"password":"hunter2"}}', '{"db":{"password":"secret-REDACTED-0001"}}'),
            Example('{"env":{"ACME_API_KEY":"opaque-1"}}', '{"env":{"ACME_API_KEY":"secret-REDACTED-0001"}}'),
        ),
        misses=('{"password":null}', '{"api_key":"<filtered>"}', '{"password":{"type":"string"}}', '{"token":"Hello"}'),
    ),
    Rule(
        name="assigned-secret",
        what="in a text: a random value given to a name such as API_KEY, password, client_secret",
        kind="secret",
        pattern=rf"(?i:{_NAMED}|\bsecret|\btoken)[\"']?\s{{0,3}}(?::=|=>|[:=])\s{{0,3}}[\"']?([A-Za-z0-9+/_=.~-]{{12,1024}})(?![\w(\[.])",
        anchors=(
            "key", "KEY", "Key", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW",
        ),
        check=is_random,
        examples=(Example('export APP_API_KEY="q7Rt2LmZx09KpWv"', 'export APP_API_KEY="secret-REDACTED-0001"'),),
        misses=(
            "api_key=YOUR_API_KEY", "password: correct horse", "max_tokens=4096", "token = os.environ['T0KEN']",
            "secret: 2026-11-30", "token: get_token_2(user)",
        ),
    ),
    Rule(
        name="bearer",
        what="credentials of the schemes Bearer and Basic in a text",
        kind="token",
        pattern=r"(?<![\w-])(?i:bearer)\s{1,3}([A-Za-z0-9._~+/-]{16,}={0,2})",
        anchors=("earer", "EARER"),
        check=is_random,
        examples=(Example("say Bearer q7Rt2LmZx09KpWv1", "say Bearer token-REDACTED-0001"),),
        misses=("Bearer authentication", "Bearer <token>", "the bearer of 12345678901234567", "Bearer $OPENAI_API_KEY"),
    ),
    Rule(
        name="basic",
        what="credentials of the scheme Basic in a text",
        kind="token",
        pattern=rf"(?<![\w-])(?i:basic)\s{{1,3}}({_BASE64}{{8,}}={{0,2}})",
        anchors=("asic", "ASIC"),
        check=is_basic,
        examples=(Example("authorization: Basic bWU6cGE1NXdvcmQ=", "authorization: Basic token-REDACTED-0001"),),
        misses=("Basic authentication", "basic understanding", "Basic bWV0aG9kcw=="),
    ),
    Rule(
        name="url-password",
        what="the password in a URL within a text, of a data base for example",
        kind="secret",
        pattern=r"(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>\x00]{0,64}:([^\s/@\"'<>\x00]{3,256})@(?=[\w\[])",
        anchors=("://",),
        check=is_password,
        examples=(Example("postgres://app:q7Rt2LmZx09@db:5432/x", "postgres://app:secret-REDACTED-0001@db:5432/x"),),
        misses=("postgres://user:password@db/x", "https://example.com:8080/@me", "redis://:<password>@db"),
    ),
    Rule(
        name="jwt",
        what="JSON web tokens (RFC 7519), signed or encrypted",
        kind="jwt",
        pattern=(
            r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?"
            r"|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
        ),
        anchors=("eyJ",),
        examples=(
            Example(
                "id eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ.",
                "id jwt-REDACTED-0001.",
            ),
        ),
        misses=("eyJhbGciOiJIUzI1NiJ9", "eyJ0eXBlIjoidGV4dCJ9 is base64", "eyJhbGciOi.x.y"),
    ),
    Rule(
        name="private-key",
        what="private keys in PEM (RFC 7468)",
        kind="pem",
        pattern=(
            r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\r|\\n)*"
            r"(?:[A-Za-z0-9+/]{16}|Proc-Type|Version)[^\x00]*?"
            r"(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=\x00)|\Z)"
        ),
        anchors=("PRIVATE KEY",),
        examples=(
            Example(
                "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEAplanted0planted1\n-----END PRIVATE KEY-----\n",
                "pem-REDACTED-0001\n",
            ),
        ),
        misses=("-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n", "it starts with -----BEGIN PRIVATE KEY----- and"),
    ),
    Rule(
        name="signed-url",
        what="signatures and credentials in the query of a URL within a text",
        kind="signature",
        pattern=(
            r"[?&;](?:X-Amz-(?:Signature|Credential|Security-Token)|X-Goog-(?:Signature|Credential)|Signature|sig|skoid|sktid"
            r"|Key-Pair-Id|Policy|AWSAccessKeyId)=([A-Za-z0-9%+/_.~-]{6,}={0,2})"
            r"|[?&](?:api[_-]?key|key|access_token|auth|token|code|subscription-key)=([A-Za-z0-9%+/_.~-]{12,}={0,2})"
        ),
        anchors=("=",),
        examples=(
            Example(
                "https://x.blob.core.windows.net/a?se=2026&sig=Pl4nT3d%2Bx%3D",
                "https://x.blob.core.windows.net/a?se=2026&sig=signature-REDACTED-0001",
            ),
            Example("GET /v1?key=Pl4nT3dPl4nT3d", "GET /v1?key=signature-REDACTED-0001"),
        ),
        misses=("https://x.example/?key=name", "https://x.example/?sig=<sig>", "design=modern&signature=none"),
    ),
)  # fmt: skip  # fmt: skip
