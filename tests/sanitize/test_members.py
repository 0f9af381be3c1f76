"""JSON paths, and the members they mean."""

from __future__ import annotations

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import Rule, Sanitizer
from recorder.sanitize._members import MemberTable

TABLE = MemberTable(
    [
        ("exact", ["$.metadata.user_id"]),
        ("deep", ["$..x[0]['y/z']"]),
        ("list", ["$.items[*].name", "$.grid[*][1]"]),
        ("name", ["api_key"]),
        ("any", ["$.open.*"]),
    ]
)


@pytest.mark.parametrize(
    ("name", "pointer", "meant"),
    [
        ("user_id", "/metadata/user_id", "exact"),
        ("userId", "/metadata/userId", None),
        ("user_id", "/a/metadata/user_id", None),
        ("y/z", "/a/x/0/y~1z", "deep"),
        ("y/z", "/x/0/y~1z", "deep"),
        ("y/z", "/x/1/y~1z", None),
        ("name", "/items/12/name", "list"),
        ("name", "/items/12/13/name", None),
        ("grid", "/grid/4/1", "list"),
        ("api_key", "/a/b/0/api_key", "name"),
        ("apiKey", "/apiKey", "name"),
        ("X-API-KEY", "/X-API-KEY", None),
        ("API-Key", "/API-Key", "name"),
        ("whatever", "/open/whatever", "any"),
        ("whatever", "/open/a/whatever", None),
    ],
)
def test_a_path_means_a_member(name: str, pointer: str, meant: str | None) -> None:
    """A full path is exact; a bare name means any depth and spelling."""
    assert TABLE.get(name, pointer) == meant


@pytest.mark.parametrize("path", ["$", "$.", "a.b", "$.a[", "$..", "$[a]", "", "$.a b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    """With what would be right, or where it stops being one."""
    with pytest.raises(ValueError, match="is not a JSON path"):
        MemberTable([("x", [path])])


RULE = Rule(name="badge", members=("$.a.badge", "$.n", "pin"))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"a":{"badge":"b-7"},"badge":"kept"}', b'{"a":{"badge":"badge-REDACTED-0001"},"badge":"kept"}'),
        (b'{ "n" : 123456 , "x" : 123456 }', b'{ "n" : 1 , "x" : 123456 }'),  # a number stays a number
        (b'{"n":9999}', b'{"n":9999}'),  # small enough to be a stand-in
        (b'{"n":10000}', b'{"n":1}'),
        (b'{"n":-1}', b'{"n":1}'),
        (b'{"n":-1.5e3}', b'{"n":-1.5e3}'),
        (b'{"n":null,"pin":true}', b'{"n":null,"pin":true}'),
        (b'{"pin":{"type":"string"}}', b'{"pin":{"type":"string"}}'),
        (b'{"pin":["p1","p2","p1"]}', b'{"pin":["badge-REDACTED-0001","badge-REDACTED-0002","badge-REDACTED-0001"]}'),
        (b'{"p\\u0069n":"\\u0070-1"}', b'{"p\\u0069n":"badge-REDACTED-0001"}'),
        (
            b'{"args":"{\\"pin\\":\\"p\\\\u002d1\\",\\"n\\":7}"}',
            b'{"args":"{\\"pin\\":\\"badge-REDACTED-0001\\",\\"n\\":7}"}',
        ),
        (b'{"args":"{\\"pin\\":1234567}"}', b'{"args":"{\\"pin\\":1}"}'),
        (b"pin=p%2D1&x=1", b"pin=badge-REDACTED-0001&x=1"),
        (
            b'{"a":{"badge":"b-7"}}\n{"a":{"badge":"b-8"}}',
            b'{"a":{"badge":"badge-REDACTED-0001"}}\n{"a":{"badge":"badge-REDACTED-0002"}}',
        ),
        (b'{"pin":"p-1', b'{"pin":"badge-REDACTED-0001'),
        (b'{"pin":"<filtered>"}', b'{"pin":"<filtered>"}'),
    ],
)
def test_members_are_replaced_where_they_are(body: bytes, expected: bytes) -> None:
    """In requests and responses, in JSON inside of strings, in forms; spelling and blanks around them stay."""
    sanitizer = Sanitizer(rules=(RULE,))
    dirty = Cassette((Interaction(Request("POST", "https://a.example/", Headers(), body), Response(200)),))
    clean = sanitizer.apply(dirty)
    assert clean.interactions[0].request.body == expected
    assert bool(sanitizer.scan(dirty)) == (body != expected)
    assert sanitizer.scan(clean) == ()


def test_members_of_arguments_that_arrive_in_pieces() -> None:
    """The JSON is put together before it is read, and the stand-in goes back into the first piece of the value."""
    pieces = ['{"p', 'in":"p', "-", '1","x":2}']
    body = b"".join(
        b'data: {"index":0,"delta":{"partial_json":"%s"}}\n\n' % p.replace('"', '\\"').encode() for p in pieces
    )
    clean = Sanitizer(rules=(RULE,)).apply(
        Cassette((Interaction(Request("POST", "https://a.example/"), Response(200, Headers(), body)),))
    )
    assert clean.interactions[0].response.body == (
        b'data: {"index":0,"delta":{"partial_json":"{\\"p"}}\n\n'
        b'data: {"index":0,"delta":{"partial_json":"in\\":\\"badge-REDACTED-0001"}}\n\n'
        b'data: {"index":0,"delta":{"partial_json":""}}\n\n'
        b'data: {"index":0,"delta":{"partial_json":"\\",\\"x\\":2}"}}\n\n'
    )
