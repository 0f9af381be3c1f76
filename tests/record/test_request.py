"""What may leave: checks before the request, curl lines, services, and keys that are written out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recorder.contracts import names
from recorder.record import (
    SERVICES,
    ConfigurationError,
    PromptError,
    check_no_literals,
    check_prompt,
    contract_for,
    filled_in,
    parse_curl,
    prepare,
)

URL = "https://api.example.com/v1/chat/completions"
KEY = "sk-planted-3141592653589793"
BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


def test_a_request_is_what_it_says() -> None:
    """JSON body, bearer header, Accept; nothing else."""
    made = prepare(URL, BODY, key=KEY)
    assert (made.method, made.url, made.secrets) == ("POST", URL, (KEY,))
    assert dict(made.headers) == {
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "sse-recorder",
        "content-type": "application/json",
        "authorization": f"Bearer {KEY}",
    }
    assert made.body == b'{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}'
    for hidden in (KEY, "api.example.com", "hi"):
        assert hidden not in repr(made)


def test_a_request_without_a_body_is_a_get() -> None:
    """Nothing is said of a body then; usage is asked for in a JSON object only."""
    made = prepare(URL, None, usage=True)
    assert (made.method, made.body, made.secrets) == ("GET", None, ())
    assert dict(made.headers) == {
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "sse-recorder",
    }
    assert prepare(URL, ["input"], usage=True).body == b'["input"]'


def test_a_body_that_asks_for_no_answer_need_not_stream() -> None:
    """Only `messages`, `input` and `prompt` ask for one."""
    assert prepare(URL, {"q": 1, "model": "m" * 200}).method == "POST"


def test_a_key_travels_in_the_header_of_its_service() -> None:
    """As it is in any header but `authorization`."""
    made = prepare(URL, BODY, key=f" {KEY}\n", auth_header="x-api-key")
    assert (made.headers["x-api-key"], "authorization" in made.headers) == (KEY, False)


def test_a_very_short_key_is_none_to_search_for() -> None:
    """Three characters would be found everywhere; their header is redacted as any."""
    assert prepare(URL, BODY, key="abcd").secrets == ("abcd",)
    made = prepare(URL, BODY, key="abc")
    assert (made.headers["authorization"], made.secrets) == ("Bearer abc", ())


def test_usage_is_asked_for_only_when_wanted() -> None:
    """`stream_options` stays unset; what is there already is kept."""
    assert b"stream_options" not in (prepare(URL, BODY).body or b"")
    asked = json.loads(prepare(URL, BODY | {"stream_options": {"x": 1}}, usage=True).body or b"")
    assert asked["stream_options"] == {"x": 1, "include_usage": True}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"url": "ftp://a.example/"}, "must be absolute"),
    ({"url": "https://a.example:notaport/"}, "cannot be read"),
    ({"url": "http://a.example/"}, "https only"),
    ({"url": f"https://me:{KEY}@a.example/"}, "user name or password"),
    ({"url": f"https://{KEY}@a.example/"}, "user name or password"),
    ({"url": f"https://:{KEY}@a.example/"}, "user name or password"),
    ({"url": "https:///v1"}, "must be absolute"),
    ({"url": "/v1"}, "must be absolute"),
    ({"body": {"model": "m", "messages": []}}, '"stream": true'),
    ({"body": {"model": "m", "stream": False, "input": "x"}}, '"stream": true'),
    ({"body": {"model": "m", "stream": "true", "prompt": "x"}}, '"stream": true'),
    ({"body": BODY | {"model": "m" * 201}}, "more than 200"),
    ({"body": BODY | {"model": " "}}, "blank"),
    ({"body": BODY | {"x": object()}}, "plain values"),
    ({"body": BODY | {"x": float("nan")}}, "plain values"),
    ({"body": f'{{"input": "{KEY}"}}'}, "text already"),
    ({"body": b"{}"}, "text already: pass the JSON value"),
    ({"key": ""}, "empty"),
    ({"key": f"{KEY}\nx: y"}, "line break"),
    ({"key": f"{KEY}\u00e9"}, "characters that no header can"),
    ({"auth_env": "RECORDER_TEST_ABSENT"}, "RECORDER_TEST_ABSENT is not set"),
    ({"headers": {"x": "a\nb"}}, "line break"),
    ({"headers": {"Cookie": "a=b"}}, "cookie is not sent"),
]


@pytest.mark.parametrize(("change", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_request_that_cannot_be_made_is_refused(change: dict[str, Any], said: str) -> None:
    """With the reason, without the key."""
    arguments = {"url": URL, "body": BODY} | change
    with pytest.raises(ConfigurationError, match=said) as caught:
        prepare(arguments.pop("url"), arguments.pop("body"), **arguments)
    assert KEY not in str(caught.value)


def test_gemini_asks_for_its_stream_in_the_path() -> None:
    """No `stream` member there."""
    url = "https://a.example/v1beta/models/m:streamGenerateContent?alt=sse"
    assert prepare(url, {"contents": [], "input": "x"}).method == "POST"


@pytest.mark.parametrize(
    ("model", "prompt", "error"),
    [
        (" ", "hi", ConfigurationError),
        ("m" * 201, "hi", ConfigurationError),
        ("m", " \n", PromptError),
        ("m", "x" * 8001, PromptError),
        ("m", "\u20ac" * 2667, PromptError),
    ],
)
def test_a_model_and_a_prompt_have_limits(model: str, prompt: str, error: type[Exception]) -> None:
    """200 characters; 8,000 bytes of UTF-8. N itself passes."""
    check_prompt("m" * 200, "\u20ac" * 2666 + "xx")
    with pytest.raises(error) as caught:
        check_prompt(model, prompt)
    assert type(caught.value) is error


CURL = r"""curl https://api.example.com/v1/chat/completions \
  -H "Content-Type: application/json" \
  -H "Authorization: Bearer $API_KEY" \
  --no-buffer \
  -d '{
    "model": "m", "stream": true,
    "messages": [{"role": "user", "content": "It costs $5, doesn'"'"'t it?"}]
  }'
"""


def test_a_curl_line_from_the_documentation_is_understood() -> None:
    """Continuation lines, quotation marks of both kinds; a dollar sign in the body is none of a variable."""
    parsed = parse_curl(CURL)
    assert parsed.url == URL
    assert parsed.headers == (("Content-Type", "application/json"), ("Authorization", "Bearer $API_KEY"))
    assert parsed.body["messages"][0]["content"] == "It costs $5, doesn't it?"


@pytest.mark.parametrize(
    "line",
    [
        f'curl -X POST {URL} -H "a: b" -d \'{{"a": 1}}\'',
        f'curl --request POST --url {URL} --header "a: b" --data-raw \'{{"a": 1}}\'',
        f'curl -sS -N -XPOST "{URL}" -H"a: b" -d\'{{"a": 1}}\'',
        f'curl --location --request POST "{URL}" --header "a: b" --data \'{{"a": 1}}\'',
        f'curl --url={URL} --header="a: b" --json=\'{{"a": 1}}\' --compressed',
        f'curl -NsSivfgL -# --http1.1 {URL} -H "a: b" --data-binary \'{{"a": 1}}\'',
        f'curl {URL} -H " a : b " -d \'{{"a": 1}}\'',
        f'curl {URL} \\\r\n -H "a: b" \\\r\n --data \'{{"a": 1}}\'',
    ],
)
def test_curl_lines_are_written_in_many_ways(line: str) -> None:
    """All the same request."""
    parsed = parse_curl(line)
    assert (parsed.url, parsed.headers, parsed.body) == (URL, (("a", "b"),), {"a": 1})


def test_a_curl_line_may_read_its_body(tmp_path: Path) -> None:
    """`-d @file`, and without data it is a GET."""
    (tmp_path / "b.json").write_text('{"a": 2}')
    assert parse_curl(f"curl {URL} -d @{tmp_path}/b.json").body == {"a": 2}
    assert parse_curl(f"curl {URL}").body is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("wget https://a.example/", "does not begin with curl"),
        (f"curl {URL} -H 'a: b", "quotation mark"),
        (f"curl {URL} -u me:{KEY}", "option -u is not understood"),
        (f"curl {URL} -ume:{KEY}", "option -u is not understood"),
        (f"curl {URL} -sSu me:{KEY}", "option -u is not understood"),
        (f"curl {URL} -b{KEY}", "option -b is not understood"),
        (f"curl {URL} --user=me:{KEY}", "option --user is not understood"),
        (f"curl {URL} --silent={KEY}", "option --silent is not understood"),
        (f"curl {URL} -", "names 2 URLs"),
        (f"curl {URL} -k", "option -k"),
        (f"curl {URL} --cookie=a=b", "option --cookie is"),
        (f"curl {URL} --data-urlencode a=b", "option --data-urlencode"),
        (f"curl {URL} {URL}", "names 2 URLs"),
        ("curl -H 'a: b'", "names 0 URLs"),
        (f"curl {URL} -H", "ends after -H"),
        (f"curl {URL} -H ab", "name: value"),
        (f"curl {URL} -H ' : b'", "name: value"),
        ("", "does not begin with curl"),
        (f"curl {URL} -d 'a=b'", "not JSON"),
        (f"curl {URL} -X DELETE", "only a POST"),
        (f"curl {URL} -d @/nowhere/b.json", "/nowhere/b.json: No such file"),
    ],
)
def test_what_a_curl_line_may_not_hold(line: str, said: str) -> None:
    """It is named; the values are not."""
    with pytest.raises(ConfigurationError, match=said) as caught:
        parse_curl(line)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "headers"),
    [
        ([], [("Authorization", f"Bearer {KEY}")]),
        ([], [("authorization", "Bearer opaque")]),
        ([], [("X-Api-Key", "opaque")]),
        ([], [("x-acme-token", "opaque")]),
        ([f"curl https://a.example/ -H 'x: {KEY}'"], []),
        (["https://a.example/v1?key=AbC123456789"], []),
        (["https://a.example/v1?alt=sse&api_key=opaque"], []),
        (["x: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ"], []),
    ],
)
def test_a_key_that_is_written_out_is_refused(texts: list[str], headers: list[tuple[str, str]]) -> None:
    """By its form, by the header's name, by the parameter's; with the remedy, without the key."""
    with pytest.raises(ConfigurationError, match="export NAME") as caught:
        check_no_literals(texts, headers)
    assert KEY not in str(caught.value)
    assert "opaque" not in str(caught.value)


def test_a_reference_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """`$NAME` and `${NAME}` are filled in when the request is made; in a URL with percent signs."""
    monkeypatch.setenv("RECORDER_TEST_KEY", " a b+c\n")
    check_no_literals(
        ["https://a.example/v1?key=$RECORDER_TEST_KEY", "x-contact: me@corp.example"],
        [
            ("Authorization", "Bearer $RECORDER_TEST_KEY"),
            ("x-contact", "me@example.com"),
            ("Idempotency-Key", "7"),
            ("accept", "text/event-stream"),
        ],
    )
    assert filled_in("Bearer ${RECORDER_TEST_KEY}") == ("Bearer a b+c", ["a b+c"])
    assert filled_in("/v1?key=$RECORDER_TEST_KEY", in_url=True) == ("/v1?key=a%20b%2Bc", ["a b+c"])
    with pytest.raises(ConfigurationError, match="RECORDER_TEST_ABSENT is not set"):
        filled_in("$RECORDER_TEST_ABSENT")


@pytest.mark.parametrize(
    ("url", "contract"),
    [
        (URL, "chat"),
        ("https://a.example/openai/deployments/d/chat/completions?api-version=1", "chat"),
        ("https://a.example/v1/completions", "completions"),
        ("https://a.example/v1/responses/", "responses"),
        ("https://a.example/v1/messages", "messages"),
        ("https://a.example/v1beta/models/m:streamGenerateContent?alt=sse", "gemini"),
        ("https://a.example/v2/chat", "cohere"),
        ("https://a.example/run", "chat"),
    ],
)
def test_a_path_tells_the_contract(url: str, contract: str) -> None:
    """Where no service and no option does."""
    assert contract_for(url) == contract


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_gives_a_request(name: str) -> None:
    """https, a stream, a contract that exists; the key in the header of that service."""
    service = SERVICES[name]
    made = prepare(
        service.url.format(model="m"),
        service.body("m", "hi"),
        service.headers,
        key=KEY,
        auth_header=service.auth_header,
    )
    assert made.url.startswith("https://")
    assert KEY in made.headers[service.auth_header]
    assert service.contract in names()
    assert contract_for(made.url) == service.contract
    assert b'"stream":true' in (made.body or b"") or "streamGenerateContent" in made.url
