"""Rules for identifiers: of an organization, a project, an account, a person, a device, a session, a request.

Rule: a header or a JSON member of that name is replaced whatever it holds, since its value has no form of its own; in
other text only the forms count that providers give their identifiers. The ids of messages, completions, tool calls and
responses are not identifiers in this sense: they belong to the recorded answer.
"""

from __future__ import annotations

from recorder.sanitize._checks import is_hardware
from recorder.sanitize._rule import Example, Rule

_ID = r"(?=[A-Za-z]{0,19}\d)[A-Za-z0-9]{20,32}(?![\w-])"

IDENTIFIER_RULES = (
    Rule(
        name="organization",
        what="organization ids and names: headers, JSON members, and ids of the form org-...",
        kind="org",
        headers=("anthropic-organization-id", "openai-organization", "x-organization-id"),
        members=(
            "$.metadata.organization", "$.organization", "org_id", "org_uuid", "organization_id", "organization_uuid",
            "tenant_id",
        ),
        pattern=rf"(?<![\w-])org-{_ID}",
        anchors=("org-",),
        everywhere=True,
        examples=(
            Example("openai-organization: acme-corp-7", "openai-organization: org-REDACTED-0001"),
            Example('{"organization_id":"acme-7"}', '{"organization_id":"org-REDACTED-0001"}'),
            Example(
                "limit reached in organization org-AbCdEfGh1JkLmNoPqRsTuVwX on tokens",
                "limit reached in organization org-REDACTED-0001 on tokens",
            ),
        ),
        misses=("org-mode", "org-wide settings for 2024", "cyborg-AbCdEfGh1JkLmNoPqRsTuVwX", "org-REDACTED-0001"),
    ),
    Rule(
        name="project",
        what="project and workspace ids: headers, JSON members, ids of the form proj_..., Google resource names",
        kind="project",
        headers=("openai-project", "x-goog-user-project", "x-project-id"),
        members=("project_id", "project_uuid", "workspace_id"),
        pattern=rf"(?<![\w-])(proj_{_ID})|(?<![\w-])projects/([a-z][a-z0-9-]{{4,28}}[a-z0-9]|\d{{6,20}})/(?:locations|regions|global)",
        anchors=("proj_", "projects/"),
        everywhere=True,
        examples=(
            Example("openai-project: proj_x", "openai-project: project-REDACTED-0001"),
            Example('{"project_id":"blue-whale-42"}', '{"project_id":"project-REDACTED-0001"}'),
            Example("proj_AbCdEfGh1JkLmNoPqRsTuVwX has no access", "project-REDACTED-0001 has no access"),
            Example(
                "see projects/blue-whale-42/locations/eu", "see projects/project-REDACTED-0001/locations/eu"
            ),
        ),
        misses=("proj_name", "projects/readme.md", "the projects/demo folder"),
    ),
    Rule(
        name="account",
        what="account and subscription ids: JSON members, acct_..., the account number of an AWS resource name",
        kind="account",
        headers=("chatgpt-account-id", "cf-account-id", "x-account-id"),
        members=("account_id", "account_uuid", "chatgpt_account_id", "customer_id", "subscription_id"),
        pattern=r"(?<![\w-])(acct_(?=[A-Za-z]{0,15}\d)[A-Za-z0-9]{14,24})(?![\w-])|arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:(\d{12}):",
        anchors=("acct_", "arn:aws"),
        everywhere=True,
        examples=(
            Example('{"account_id":"a-778"}', '{"account_id":"account-REDACTED-0001"}'),
            Example("acct_1MZbQ2Lk9vXy7TpQ is closed", "account-REDACTED-0001 is closed"),
            Example(
                "arn:aws:bedrock:eu-west-1:123456789012:model/x",
                "arn:aws:bedrock:eu-west-1:account-REDACTED-0001:model/x",
            ),
        ),
        misses=("acct_number", "arn:aws:s3:::a-bucket", "chart:aws:1:2:123456789012:"),
    ),
    Rule(
        name="user",
        what="ids of people: JSON members, ids of the form user-..., Anthropic's metadata.user_id",
        kind="user",
        headers=("chatgpt-user-id", "x-user-id"),
        members=(
            "$.response.user", "$.user", "chatgpt_user_id", "end_user_id", "prompt_cache_key", "safety_identifier",
            "user_id", "user_uuid",
        ),
        pattern=(
            rf"(?<![\w-])user-{_ID}"
            r"|(?<![\w-])user_[0-9a-f]{64}(?:_account_[0-9a-f-]{0,36})?(?:_session_[0-9a-f-]{36})?(?![\w-])"
        ),
        anchors=("user-", "user_"),
        everywhere=True,
        examples=(
            Example('{"user":"alice-1987"}', '{"user":"user-REDACTED-0001"}'),
            Example('{"metadata":{"user_id":"u-4711"}}', '{"metadata":{"user_id":"user-REDACTED-0001"}}'),
            Example("user-AbCdEfGh1JkLmNoPqRsTuVwX asked", "user-REDACTED-0001 asked"),
        ),
        misses=("user-agent", "user-friendly-interface-2024", "user_name", '{"role":"user"}'),
    ),
    Rule(
        name="device",
        what="device, installation and machine ids: JSON members and MAC addresses",
        kind="device",
        headers=("x-device-id", "x-client-id", "x-installation-id"),
        members=("anonymous_id", "device_id", "installation_id", "machine_id"),
        pattern=r"(?<![\w:-])(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?![\w:-])",
        anchors=(":",),
        check=is_hardware,
        everywhere=True,
        examples=(
            Example('{"device_id":"a1b2"}', '{"device_id":"device-REDACTED-0001"}'),
            Example("eth0 3c:22:fb:9a:01:7e up", "eth0 device-REDACTED-0001 up"),
        ),
        misses=("ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "SHA1 3c:22:fb:9a:01:7e:11:22:33", "12:30:45"),
    ),
    Rule(
        name="session",
        what="session ids: headers and JSON members",
        kind="session",
        headers=("mcp-session-id", "session-id", "x-session-id"),
        members=("session_id",),
        everywhere=True,
        examples=(
            Example("mcp-session-id: 9f2c", "mcp-session-id: session-REDACTED-0001"),
            Example('{"session_id":"s-9f2c"}', '{"session_id":"session-REDACTED-0001"}'),
        ),
    ),
    Rule(
        name="request-id",
        what="request ids: headers, JSON members, ids of the form req_...",
        kind="request",
        headers=(
            "anthropic-request-id", "apim-request-id", "request-id", "x-amzn-requestid", "x-client-request-id",
            "x-debug-trace-id", "x-groq-request-id", "x-ms-client-request-id", "x-request-id",
        ),
        members=("request_id",),
        pattern=r"(?<![\w-])req_(?=[A-Za-z]{0,19}\d)[A-Za-z0-9]{20,40}(?![\w-])",
        anchors=("req_",),
        examples=(
            Example("x-request-id: req_1", "x-request-id: request-REDACTED-0001"),
            Example('{"request_id":"b2c3d4"}', '{"request_id":"request-REDACTED-0001"}'),
            Example("(request id req_011CSHoEeqs5C35K2UUqR7Fy)", "(request id request-REDACTED-0001)"),
        ),
        misses=("req_body", "prereq_011CSHoEeqs5C35K2UUqR7Fy", "req_per_minute_and_tokens"),
    ),
    Rule(
        name="uri-ids",
        what="ids in the path of a URI, behind accounts/, projects/, organizations/, users/, subscriptions/ ...",
        kind="id",
        pattern=(
            r"/(?:accounts|projects|organizations|orgs|tenants|users|workspaces|subscriptions|resourceGroups)"
            r"/([^/?#:]{2,})"
        ),
        paths_only=True,
        examples=(
            Example(
                "https://api.example.com/v4/accounts/38bc1f7f0948/ai/run",
                "https://api.example.com/v4/accounts/id-REDACTED-0001/ai/run",
            ),
        ),
        misses=("https://api.example.com/v1/chat/completions", "https://api.example.com/accounts/"),
    ),
)  # fmt: skip
