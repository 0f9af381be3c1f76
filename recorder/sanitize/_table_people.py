"""Rules for what points at people and machines: e-mail, telephone, home directories, addresses.

Rule: what is reserved for nobody (loopback, `/home/user`) is no hit; reserved example domains and numbers are, since
people who write about themselves change just enough.
"""

from __future__ import annotations

from recorder.sanitize._checks import is_address, is_mail, is_person, is_phone
from recorder.sanitize._rule import Example, Rule

_LOCAL = "A-Za-z0-9\u00c0-\u024f._%+-"

PEOPLE_RULES = (
    Rule(
        name="email",
        what="e-mail addresses in a text, and members named like one",
        kind="email",
        members=("author_email", "email", "email_address", "user_email"),
        pattern=(
            rf"(?<![{_LOCAL}])[{_LOCAL}]{{1,64}}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{{0,61}}[A-Za-z0-9])?\.){{1,8}}"
            r"[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
        ),
        anchors=("@",),
        check=is_mail,
        examples=(
            Example("write to jane.doe@example.com.", "write to email-REDACTED-0001."),
            Example('{"email":"jane at example"}', '{"email":"email-REDACTED-0001"}'),
        ),
        misses=(
            "@app.route", "user@localhost", "logo@2x.png", "git@github.com:a/b.git", "pkg@1.2.3", '{"email":"string"}',
        ),
    ),
    Rule(
        name="phone",
        what="telephone numbers: international with a plus sign, or North American with separators",
        kind="phone",
        pattern=(
            r"(?:\+(?<![\w.+-]\+)[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}"
            r"|\((?<![\w.+-]\()\d{3}\) ?\d{3}-\d{4}|\d(?<![\w.+-]\d)\d{2}-\d{3}-\d{4})(?![\w-]|\.\d)"
        ),
        check=is_phone,
        examples=(
            Example("call +1 415-555-0132 now", "call phone-REDACTED-0001 now"),
            Example("call (415) 555-0132 now", "call phone-REDACTED-0001 now"),
            Example("call +44 20 7946 0958 now", "call phone-REDACTED-0001 now"),
        ),
        misses=(
            "2026-11-30", "1736921538", "0.12345678901", "a+123456789012b", "978-3-16-148410-0", "1+1 222 333 4444",
        ),
    ),
    Rule(
        name="home-path",
        what="the user's name in a home directory",
        kind="home",
        pattern=(
            r"(?<![\w.])(?:/Users/|/home/)([^/\\\s\"'`:;,<>|()\[\]{}*?\x00]{1,64})(?=[/\\\s\"'`:;,)]|\.?\Z|\x00)"
            r"|(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}(?:Users|Documents and Settings)[\\/]{1,4}"
            r"([^/\\\s\"'`:;,<>|()*?\x00]{1,64})"
        ),
        anchors=("/Users/", "/home/", "Users", "Documents and Settings"),
        check=is_person,
        examples=(
            Example("in /Users/jdoe/work/app.py", "in /Users/home-REDACTED-0001/work/app.py"),
            Example("in C:\\Users\\jdoe\\work", "in C:\\Users\\home-REDACTED-0001\\work"),
        ),
        misses=(
            "/home/user/app", "https://example.com/home/index.html", "/home/runner/work", "/Users/<name>/x",
            "GET /users/5",
        ),
    ),
    Rule(
        name="ip-address",
        what="private and public IP addresses",
        kind="ip",
        pattern=(
            r"(?:[1-9](?<![\w.:-][1-9])(?<![A-Za-z]/[1-9])\d{0,2}(?:\.\d{1,3}){3}(?![\w-]|\.\d)"
            r"|[23fF](?<![\w.:-][23fF])[0-9A-Fa-f]{3}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:]|\.\d))"
        ),
        anchors=(".", ":"),
        check=is_address,
        examples=(
            Example("from 203.0.113.7 port 22", "from ip-REDACTED-0001 port 22"),
            Example("from http://10.11.12.13:8000/", "from http://ip-REDACTED-0001:8000/"),
            Example("from 2001:db8:85a3::8a2e:370:7334 on", "from ip-REDACTED-0001 on"),
        ),
        misses=(
            "127.0.0.1", "0.0.0.0", "Chrome/120.0.0.0", "v1.22.3.4", "1.2.3.4", "255.255.255.0", "::1", "12:34:56",
            "std::fmt",
        ),
    ),
)  # fmt: skip
