"""Rules for the keys and tokens that providers and services give out: each has a form of its own.

Rule: a form begins where no letter, digit, hyphen or underscore stands before it, so none is found inside base64. Keys
without a form (Mistral's, Cohere's, Azure's) are found next to their provider's name.
"""

from __future__ import annotations

from recorder.sanitize._checks import has_digit, is_mixed
from recorder.sanitize._rule import Example, Rule

_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"
_NEAR = r"[^\n\x00]{0,40}?"


def _key(name: str, what: str, pattern: str, anchors: tuple[str, ...], found: str, misses: tuple[str, ...]) -> Rule:
    return Rule(
        name=name,
        what=what,
        kind="key",
        pattern=pattern,
        anchors=anchors,
        check=has_digit,
        examples=(Example(f"use {found} here", "use key-REDACTED-0001 here"),),
        misses=misses,
    )


def _near(name: str, what: str, pattern: str, anchors: tuple[str, ...], examples: tuple[Example, ...]) -> Rule:
    return Rule(name=name, what=what, kind="key", pattern=pattern, anchors=anchors, check=is_mixed, examples=examples)


KEY_RULES = (
    _key(
        "anthropic-key",
        "keys of Anthropic",
        rf"{_START}sk-ant-[A-Za-z0-9_-]{{20,}}",
        ("sk-ant-",),
        "sk-ant-api03-Pl4nT3dPl4nT3dPl4nT3dPl4nT3d-AA",
        ("sk-ant-api03-...", "sk-ant-your-key"),
    ),
    _key(
        "openai-key",
        "keys of OpenAI (sk-, sk-proj-, sk-admin-, ek_) and of all who took over the form: OpenRouter, DeepSeek",
        rf"{_START}(?:sk-[A-Za-z0-9_-]{{16,}}|ek_[A-Za-z0-9]{{24,}})",
        ("sk-", "ek_"),
        "sk-proj-Pl4nT3dPl4nT3dT3BlbkFJPl4nT3dPl4nT3d",
        ("sk-...", "sk-fading-circle-loading-animation", "task-1234567890abcdef1234", "<sk-your-api-key-0123456789>"),
    ),
    _key(
        "google-key",
        "keys and OAuth tokens of Google",
        rf"{_START}(?:AIza[A-Za-z0-9_-]{{35}}|GOCSPX-[A-Za-z0-9_-]{{28}}|ya29\.[A-Za-z0-9_-]{{20,}}){_END}",
        ("AIza", "GOCSPX-", "ya29."),
        "AIzaSyPl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nA",
        ("AIza...", "AIzawa", "ya29.x"),
    ),
    _key(
        "groq-key",
        "keys of Groq",
        rf"{_START}gsk_[A-Za-z0-9]{{20,}}",
        ("gsk_",),
        "gsk_Pl4nT3dPl4nT3dPl4nT3dWGdyb3FYPl4nT3dPl4nT3dPl4n",
        ("gsk_...", "gsk_xxxxxxxxxxxxxxxxxxxxxxxx"),
    ),
    _key(
        "huggingface-key",
        "tokens of Hugging Face",
        rf"{_START}(?:hf|api_org)_[A-Za-z0-9]{{30,}}",
        ("hf_", "api_org_"),
        "hf_Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3",
        ("hf_transfer", "hf_hub_download", "hf_..."),
    ),
    _key(
        "xai-key",
        "keys of xAI",
        rf"{_START}xai-[A-Za-z0-9]{{40,}}",
        ("xai-",),
        "xai-Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3d",
        ("xai-sdk", "xai-..."),
    ),
    _near(
        "mistral-key",
        "keys of Mistral, next to that name",
        rf"(?i:mistral){_NEAR}{_START}([A-Za-z0-9]{{32}}){_END}",
        ("istral", "ISTRAL"),
        (Example("MISTRAL_API_KEY=Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4n", "MISTRAL_API_KEY=key-REDACTED-0001"),),
    ),
    _near(
        "cohere-key",
        "keys of Cohere, next to that name",
        rf"(?:(?i:cohere)|CO_API_KEY){_NEAR}{_START}([A-Za-z0-9]{{40}}){_END}",
        ("ohere", "OHERE", "CO_API_KEY"),
        (Example("CO_API_KEY=Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT", "CO_API_KEY=key-REDACTED-0001"),),
    ),
    Rule(
        name="aws-key",
        what="access key ids of AWS, secret keys next to their name, request signatures",
        kind="key",
        pattern=(
            rf"{_START}((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}){_END}"
            rf"|(?i:aws[_-]?secret|secret[_-]?access[_-]?key){_NEAR}(?<![A-Za-z0-9/+=])([A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])"
            r"|Signature=([0-9a-f]{64})(?![0-9a-f])"
        ),
        anchors=("AKIA", "ASIA", "ABIA", "ACCA", "ecret", "ECRET", "Signature="),
        examples=(
            Example("AWS_ACCESS_KEY_ID=AKIAPL4NT3DPL4NT3DPL", "AWS_ACCESS_KEY_ID=key-REDACTED-0001"),
            Example(
                "aws_secret_access_key = Pl4nT3d/Pl4nT3d+Pl4nT3dPl4nT3dPl4nT3dPl4",
                "aws_secret_access_key = key-REDACTED-0001",
            ),
        ),
        misses=("AKIA...", "AKIAlike", "secretaccess 2fd4e1c67a2d28fced849ee1bb76e7391b93eb1"),
    ),
    Rule(
        name="azure-key",
        what="keys of Azure: of storage accounts, of AI services, and 32 hex digits next to the header's name",
        kind="key",
        pattern=(
            rf"AccountKey=([A-Za-z0-9+/]{{86}}==)|{_START}([A-Za-z0-9]{{52}}JQQJ99[A-Za-z0-9]{{26}}){_END}"
            rf"|(?i:azure|subscription-key|api-key){_NEAR}{_START}([0-9a-f]{{32}}){_END}"
        ),
        anchors=("AccountKey=", "JQQJ99", "zure", "ZURE", "ubscription-", "pi-key", "PI-KEY"),
        check=has_digit,
        examples=(
            Example("subscription-key is 0f1e2d3c4b5a69788796a5b4c3d2e1f0", "subscription-key is key-REDACTED-0001"),
            Example("azure 1f1e2d3c4b5a69788796a5b4c3d2e1f0 set", "azure key-REDACTED-0001 set"),
        ),
        misses=("md5 0f1e2d3c4b5a69788796a5b4c3d2e1f0", "AccountKey=<key>"),
    ),
    _key(
        "github-token",
        "tokens of GitHub and GitLab",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{30,}}|github_pat_[A-Za-z0-9_]{{30,}}|glpat-[A-Za-z0-9_-]{{20,}}){_END}",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
        "ghp_Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3d",
        ("ghp_...", "ghs_runner", "github_pattern"),
    ),
    _key(
        "slack-token",
        "tokens and web hooks of Slack and Discord",
        rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{10,}}"
        r"|https://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/([A-Za-z0-9_/-]{20,})",
        ("xox", "hooks.slack.com", "/api/webhooks/"),
        "xoxb-314159265358-Pl4nT3dPl4nT3d",
        ("xoxo", "xoxb-...", "https://hooks.slack.com/services/..."),
    ),
    _key(
        "stripe-key",
        "keys and web hook secrets of Stripe",
        rf"{_START}(?:[sr]k_(?:live|test)_[A-Za-z0-9]{{16,}}|whsec_[A-Za-z0-9+/=]{{24,}})",
        ("k_live_", "k_test_", "whsec_"),
        "sk_live_Pl4nT3dPl4nT3dPl4nT3dPl4n",
        ("sk_live_...", "pk_live_Pl4nT3dPl4nT3dPl4nT3dPl4n", "risk_test_case_number_1234567"),
    ),
    _key(
        "service-key",
        "keys of other services with a form: Perplexity, Replicate, NVIDIA, Databricks, Cerebras, LangSmith, npm, "
        "PyPI, SendGrid, Pinecone, Tavily",
        rf"{_START}(?:pplx-[A-Za-z0-9]{{40,}}|r8_[A-Za-z0-9]{{30,}}|nvapi-[A-Za-z0-9_-]{{40,}}|dapi[0-9a-f]{{32}}"
        r"|csk-[a-z0-9]{40,}|fw_[A-Za-z0-9]{22,}|lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}|npm_[A-Za-z0-9]{36}"
        r"|pypi-AgEI[A-Za-z0-9_-]{50,}|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|pcsk_[A-Za-z0-9_]{40,}"
        rf"|tvly-[A-Za-z0-9-]{{20,}}|[sp]k-lf-[0-9a-f-]{{36}}){_END}",
        (
            "pplx-", "r8_", "nvapi-", "dapi", "csk-", "fw_", "lsv2_", "npm_", "pypi-AgEI", "SG.", "pcsk_", "tvly-",
            "k-lf-",
        ),
        "pplx-Pl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3dPl4nT3d",
        ("pplx-70b-online", "r8_...", "nvapi-key", "npm_config_registry", "SG.x"),
    ),
)  # fmt: skip
