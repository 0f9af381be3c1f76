"""The JavaScript alone, in Chromium: no kernel, no Jupyter, a model that is a plain object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import recorder

HELLO = 'data: {"choices":[{"index":0,"delta":{"content":"Hi 👋"},"finish_reason":"stop"}]}\n\n'.encode()
BODY = b": hi\n\n" + HELLO + b"data: [DONE]\n\n"  # 6 + 86 + 14 bytes: events end at 92 and 106
PLAN = "chunks=at:10,60,95; delay=fixed:100ms"

Show = Callable[..., Any]


def draw(show: Show, plan: str = PLAN, body: bytes | str = BODY, reader: Any = None, **options: Any) -> Any:
    """The page with the picture of this plan; the explorer itself is closed again."""
    with recorder.explore(body, reader) as explorer:
        explorer.plan = plan
        return show(explorer.picture, **options)


def expect(found: Any) -> Any:
    from playwright.sync_api import expect

    return expect(found)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_for_axe_to_say(show: Show, dark: bool) -> None:
    """Names, roles and contrast, with every part open, and the colours of the background it stands on."""

    def each_by_itself(chunks: Any) -> str:
        return "".join(chunk.decode() for chunk in chunks)

    watched = draw(show, reader=each_by_itself, dark=dark)
    watched.page.get_by_text("notable places").click()
    assert watched.violations("main") == []
    ink = watched.page.evaluate("getComputedStyle(document.querySelector('.recorder-explorer')).color")
    assert ink == ("rgb(230, 237, 243)" if dark else "rgb(31, 35, 40)")
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith("blob:")] == []


def test_it_follows_a_change_of_the_theme(show: Show) -> None:
    """Notebooks switch themes by an attribute of the body."""
    watched = draw(show)
    watched.page.evaluate("document.body.setAttribute('style', 'background: #111')")
    watched.page.wait_for_function(
        "getComputedStyle(document.querySelector('.recorder-explorer')).color == 'rgb(230, 237, 243)'"
    )


def test_words(show: Show) -> None:
    """The sentence, the rows of the table, the result, and both forms as code."""
    page = draw(show).page
    expect(page.get_by_role("status").first).to_have_text(
        "106 of 106 bytes in 4 chunks over 400 ms, 2 events, end complete: accepted by chat."
    )
    rows = page.locator("table.re-events tbody tr")
    expect(rows.nth(0)).to_contain_text("1message092300 ms")
    expect(rows.nth(1)).to_contain_text("2message9214400 ms3–4[DONE]")
    expect(page.get_by_role("region", name="Accepted text")).to_have_text("Hi 👋")
    expect(page.locator("pre").first).to_contain_text("def test_bytes_chunks_at_10_60_95_delay_fixed_100ms")


def test_keys_move_byte_chunk_and_event_together(show: Show) -> None:
    """One selection, told in words, and to Python."""
    page = draw(show).page
    ruler = page.get_by_role("slider", name="Byte")
    ruler.focus()
    for key, told in (
        ("ArrowRight", "byte 1, 0x20, chunk 1, event 1"),
        ("]", "byte 10, 0x3a, chunk 2, event 1"),
        ("]", "byte 60, 0x91, chunk 3, event 1"),
        (".", "byte 92, 0x64, chunk 3, event 2"),
        ("ArrowLeft", "byte 91, 0x0a, chunk 3, event 1"),
        (",", "byte 0, 0x3a, chunk 1, event 1"),
        ("n", "byte 60, 0x91, chunk 3, event 1"),
        ("p", "byte 0, 0x3a, chunk 1, event 1"),
        ("End", "byte 106, chunk 4, no complete event"),
        ("[", "byte 95, 0x61, chunk 4, event 2"),
        ("Home", "byte 0, 0x3a, chunk 1, event 1"),
    ):
        ruler.press(key)
        expect(ruler).to_have_attribute("aria-valuetext", told)
    assert page.evaluate("model.get('cursor')") == 0
    page.evaluate("model.change('cursor', 92)")
    expect(ruler).to_have_attribute("aria-valuenow", "92")
    expect(page.locator("tr[aria-current]")).to_contain_text("[DONE]")


def test_the_mouse_selects_too(show: Show) -> None:
    """On the lanes, on a byte, on an event, on a note."""
    page = draw(show).page
    ruler = page.get_by_role("slider", name="Byte")
    box = page.locator("canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 50.5 / 106, box["y"] + 40)
    expect(ruler).to_have_attribute("aria-valuenow", "50")
    page.locator(".re-bytes > span").nth(0).click()
    expect(ruler).to_have_attribute("aria-valuenow", "34")
    page.get_by_role("button", name="Select event 2").click()
    expect(ruler).to_have_attribute("aria-valuenow", "92")
    page.get_by_text("notable places").click()
    page.get_by_role("button", name="byte 60").click()
    expect(page.get_by_text("a chunk ends inside a code point").first).to_be_visible()
    expect(ruler).to_have_attribute("aria-valuenow", "60")


def test_chunks_are_drawn_where_they_are(show: Show) -> None:
    """Neighbours in different colours, the edge at its byte; events likewise."""
    page = draw(show).page
    colours = page.evaluate("""() => {
      const canvas = document.querySelector('canvas'), g = canvas.getContext('2d'), ratio = devicePixelRatio;
      const pixel = (x, y) => [...g.getImageData(x, y, 1, 1).data].join();
      const at = (byte, lane) => pixel(byte / 106 * canvas.width, (lane * 26 + 8) * ratio);
      return [[5, 1], [12, 1], [58, 1], [62, 1], [90, 2], [94, 2]].map(([byte, lane]) => at(byte, lane));
    }""")
    assert colours[0] != colours[1] == colours[2] != colours[3]
    assert colours[4] != colours[5]


def test_zoom_keeps_the_selection_in_sight(show: Show) -> None:
    """By keys; and back to all."""
    page = draw(show).page
    ruler = page.get_by_role("slider", name="Byte")
    ruler.focus()
    ruler.press("End")
    ruler.press("+")
    box = page.locator("canvas").bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + 40)
    expect(ruler).to_have_attribute("aria-valuenow", "53")
    ruler.press("0")
    page.mouse.click(box["x"] + 2, box["y"] + 40)
    expect(ruler).to_have_attribute("aria-valuenow", "0")


def test_playing_goes_on_to_the_end_and_is_provisional_until_then(show: Show) -> None:
    """In the browser; the text grows, and is an answer only when the contract has accepted."""
    page = draw(show, "chunks=at:92; delay=fixed:300ms").page
    page.clock.install()
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(400)
    expect(page.locator(".re-pair > div").first).to_contain_text("provisional")
    expect(page.get_by_role("region", name="Text so far")).to_have_text("")
    page.clock.run_for(400)
    expect(page.get_by_role("region", name="Text so far")).to_have_text("Hi 👋")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(500)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.get_by_role("region", name="Accepted text")).to_have_text("Hi 👋")
    expect(page.locator(".re-bar .re-where").first).to_have_text("600 of 600 ms, 106 bytes, 2 chunks, 2 events")


def test_scrubbing(show: Show) -> None:
    """The time as a slider, by keys."""
    page = draw(show, "chunks=at:92; delay=fixed:300ms").page
    time = page.get_by_label("Time")
    time.focus()
    time.press("Home")
    expect(page.locator(".re-bar .re-where").first).to_have_text("0 of 600 ms, 0 bytes, 0 chunks, 0 events")
    expect(page.locator(".re-pair")).to_contain_text("evidence, not an answer")
    time.press("End")
    expect(page.locator(".re-pair")).to_contain_text("accepted")


def test_motion_can_be_reduced(show: Show) -> None:
    """Then Play shows the end at once."""
    page = draw(show, "delay=fixed:5s", reduced=True).page
    page.get_by_label("Time").press("Home")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".re-pair")).to_contain_text("accepted")


def test_cutting_says_where(show: Show) -> None:
    """A message with its byte, from the buttons and from the keys."""
    page = draw(show).page
    page.evaluate("model.change('cursor', 60)")
    page.get_by_role("button", name="Cut here").click()
    page.get_by_role("slider", name="Byte").press("e")
    assert page.evaluate("sent") == [{"type": "cut", "at": 60}, {"type": "end", "at": 60}]


def test_an_error_is_an_alert_and_dims_the_picture(show: Show) -> None:
    """In words; gone with the next run."""
    page = draw(show, "chunks=at:999").page
    expect(page.get_by_role("alert")).to_contain_text("is not a place in this body")
    expect(page.locator(".recorder-explorer")).to_have_attribute("data-stale", "true")
    page.evaluate("model.change('error', '')")
    expect(page.locator(".recorder-explorer")).to_have_attribute("data-stale", "false")


def test_a_large_body_is_asked_for_where_it_is_looked_at(show: Show) -> None:
    """The window around the selection, once."""
    page = draw(show, "", b"data: " + b"x" * 300_000 + b"\n\n").page
    page.evaluate("model.change('cursor', 200000)")
    page.wait_for_function("sent.some(each => each.at === 200000)")
    assert page.evaluate("sent.at(-1)") == {"type": "bytes", "at": 200_000}
    page.evaluate(
        "model.message({type: 'bytes', start: 167232}, new DataView(new Uint8Array(65536).fill(0x79).buffer))"
    )
    expect(page.locator(".re-bytes")).to_contain_text("y79y79")
    assert page.evaluate("sent.filter(each => each.at === 200000).length") == 1


HOSTILE = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>\u202etxt\u2066\x00\x1b[31m\u2028"


def test_hostile_text_is_inert(show: Show) -> None:
    """In an event's type, its data, the text, and in what a reader returns: shown, written out, and nothing more."""
    import json

    choice = {"index": 0, "delta": {"content": HOSTILE}, "finish_reason": "stop"}
    text = json.dumps({"choices": [choice], "x": HOSTILE}, ensure_ascii=False)
    body = f"data: {text}\n\ndata: [DONE]\n\nevent: {HOSTILE}\ndata: {HOSTILE}\n\n".encode()
    with recorder.explore(body, lambda chunks: HOSTILE, recorder.contracts.chat()) as explorer:
        explorer.picture.error = HOSTILE
        watched = show(explorer.picture)
    page = watched.page
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None
    assert page.locator("main script, main img").count() == 0
    inert = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>\\u202etxt\\u2066\\u0000"
    row = page.locator("table.re-events tbody tr").nth(2).locator("td")
    regions = [page.get_by_role("region", name=name) for name in ("Accepted text", "Result of your reader")]
    for place in (page.get_by_role("alert"), row.nth(1), row.nth(6), *regions):
        expect(place).to_contain_text(inert)
    assert not any(sign in page.locator("main").inner_text() for sign in "\u202e\u2066\x00\x1b\u2028")
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith("blob:")] == []


@pytest.mark.parametrize("name", ["empty-200", "gemini", "reset-mid", "bad-utf8", "chat-multilingual"])
def test_streams_of_the_gallery(show: Show, name: str) -> None:
    """Empty ones and broken ones too."""
    watched = draw(show, "", name)
    assert watched.errors == []
    expect(watched.page.get_by_role("status").first).to_contain_text("bytes in")


def test_closing_leaves_nothing(show: Show) -> None:
    """No listener, no element, no frame that runs."""
    watched = draw(show)
    watched.page.get_by_role("button", name="Play").click()
    watched.page.evaluate("close_widget()")
    assert watched.page.evaluate("model.listening()") == 0
    assert watched.page.locator("main *").count() == 0
    watched.page.wait_for_timeout(50)
    assert watched.errors == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_representations_without_a_widget(chromium: Any, watch: Any, dark: bool) -> None:
    """Every value's HTML on one page: nothing for axe to say, pictures that load, no request at all."""
    stream = recorder.load_cassette(recorder.gallery()["chat-lf"]).interactions[0]
    values: list[Any] = [stream, recorder.Cassette((stream,)), recorder.compare("chunks=bytes:1", "end=eof@9", stream)]
    values += [recorder.plot_timing(stream, backend="svg"), recorder.read(BODY, recorder.contracts.chat())]
    with recorder.explore(stream) as explorer:
        explorer.plan = "end=reset@mid:event"
        values += [explorer, explorer.run, explorer.plan, explorer.verdict]
        shown = "".join(value._repr_mimebundle_()["text/html"] for value in values)
    shown += recorder.sweep(lambda chunks: b"".join(chunks), b"data: 1\n\n", kind="cuts")._repr_html_()
    with chromium.new_context() as context:
        watched = watch(context.new_page())
        colours = "background:#111;color:#eee" if dark else "background:#fff"
        head = '<!doctype html><html lang="en"><title>t</title>'
        watched.page.set_content(f'{head}<body style="{colours}"><main>{shown}</main></body></html>')
        watched.page.wait_for_function("[...document.images].every(image => image.complete)")
        assert watched.page.evaluate("[...document.images].map(image => image.naturalWidth > 0)") == [True] * 5
        assert watched.violations("main") == []
        assert watched.errors == []
        assert [url for url in watched.requests if not url.startswith("data:")] == []
