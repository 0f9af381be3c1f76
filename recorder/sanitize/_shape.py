"""Generated text and prompts replaced by their shape: what framing and escaping need stays, what was said does not.

Rule: every character is replaced by one of its class, with the same number of bytes and in the same form of escape, so
no byte moves: every cut, chunk and event is where it was. JSON inside of strings (tool arguments) stays JSON with the
same nesting; the names the request declares stay too, others become distinct names of the same shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from recorder.sanitize._document import IN_FRONT, WHOLE, Document, Line
from recorder.sanitize._edits import Edit, rewritten
from recorder.sanitize._json_text import NUMBER, looks_like_json
from recorder.sanitize._pieces import JSON_ESCAPES, Piece, decoded
from recorder.sanitize._shape_classes import byte_for, translated
from recorder.sanitize._shape_names import is_content_number, is_field_name, is_marker, is_structure

_DEEPEST = 4
_INNER = re.compile(
    r'"(?P<string>[^"\\]*(?:\\.[^"\\]*)*)(?P<colon>"\s*:)?|(?<![\w.])(?P<kept>true|false|null|-?[0-9][0-9.eE+-]*)(?![\w.])',
    re.DOTALL,
)
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIGIT = re.compile(r"[0-9]")
_PERCENT = re.compile(r"(%[0-9A-Fa-f]{2})|[^%]+|%")
_FORM_FIELD = re.compile(r"(?:([^&=]+)=)?([^&]*)")
_BOUNDARY = re.compile(r"boundary=\"?([^\";]+)", re.IGNORECASE)
_PART_HEAD = r"(?:\r\n|\A)--%s(?:--)?(?:\r\n(?:Content-[^\r\n]*)?)*"
_FILE_NAME = re.compile(r"(?<=filename=\")[^\"]*")


class Shaper:
    """Shapes the bodies of one cassette; the same name becomes the same name everywhere in it."""

    def __init__(self) -> None:
        self._declared: set[str] = set()
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()

    def copy(self) -> Shaper:
        """One that goes on from here, apart from this one."""
        other = Shaper()
        other._declared, other._names, other._taken = set(self._declared), dict(self._names), set(self._taken)
        return other

    def declare(self, names: Iterable[str]) -> None:
        """Names that a request says, in its tools above all, are kept in the arguments of the answer."""
        self._declared.update(names)

    def body(self, document: Document, media_type: str) -> tuple[str, int]:
        """A body's shape, and how many texts were replaced.

        Args:
            document: the body, not read by line; no frames with checksums.
            media_type: what its head says.
        """
        edits = [*self._values(document), *_numbers(document), *_bares(document), *self._lines(document, media_type)]
        return rewritten(document.base, edits, None)[0], len(edits)

    # -- what is in a body --------------------------------------------------------------------------------------------

    def _values(self, document: Document) -> Iterator[tuple[int, int, str]]:
        for sources in document.carried(is_structure):
            raws = [unit.parts[2 * ordinal + 1] for unit, ordinal in sources]
            texts = [decoded(raw) for raw in raws] if any("\\" in raw for raw in raws) else raws
            shape = self._text("".join(texts), _DEEPEST)
            at = 0
            for raw, text, (unit, ordinal) in zip(raws, texts, sources, strict=True):
                new = shape[at : at + len(text)]
                at += len(text)
                if new == text:
                    continue
                if unit.lines is None and len(raw) == len(text):  # as most are
                    start = unit.place(ordinal)
                    yield start, start + len(raw), new
                else:
                    yield from _written(unit.string(ordinal), new)

    def _lines(self, document: Document, media_type: str) -> Iterator[Edit]:
        for name, piece, _ in filter(_is_content, document.lines):
            if not is_marker(piece.text):
                is_free = name == WHOLE
                shape = _free(piece.text, media_type) if is_free else self._text(piece.text, _DEEPEST)
                if shape != piece.text:
                    yield Edit(piece.start, piece.end, shape)

    # -- a text -------------------------------------------------------------------------------------------------------

    def _text(self, text: str, deepest: int) -> str:
        """As many code points as before."""
        return self._json(text, deepest - 1) if deepest and looks_like_json(text) else translated(text)

    def _json(self, text: str, deepest: int) -> str:
        parts: list[str] = []
        position = 0
        for match in _INNER.finditer(text):
            parts.append(translated(text[position : match.start()]))
            position = match.end()
            string = match["string"]
            if string is None:
                parts.append(_DIGIT.sub("1", match["kept"]) if NUMBER.fullmatch(match["kept"]) else match["kept"])
            elif match["colon"] is not None:
                parts.append(f'"{self._name(string)}{match["colon"]}')
            else:
                parts.append(f'"{self._string(string, deepest)}')
        parts.append(translated(text[position:]))
        return "".join(parts)

    def _string(self, raw: str, deepest: int) -> str:
        text = decoded(raw)
        return _respelled(raw, text, self._text(text, deepest))

    def _name(self, raw: str) -> str:
        if decoded(raw) in self._declared:
            return raw
        if raw not in self._names:
            shape = self._string(raw, 0)
            free = (each for each in _alternatives(shape) if each not in self._taken | self._declared)
            self._names[raw] = next(free, shape)
            self._taken.add(self._names[raw])
        return self._names[raw]


def shaped_spans(document: Document) -> list[tuple[int, int]]:
    """The stretches of a body that are shaped, from left to right.

    Args:
        document: the body.
    """
    if document.is_lenient:
        document = Document(document.base, by_line=False)
    spans: list[tuple[int, int]] = []
    pieces = [piece for _, piece in document.numbers(is_content_number)]
    for unit, at in (each for sources in document.carried(is_structure) for each in sources):
        if unit.lines is None:
            start = unit.place(at)
            spans.append((start, start + len(unit.parts[2 * at + 1])))
        else:
            pieces.append(unit.string(at))
    pieces += [unit.bare(at) for unit in document.broken for at in range(len(unit.layout.bares))]
    pieces += [line.piece for line in document.lines if _is_content(line)]
    spans += [(spot.start, spot.end) for piece in pieces if piece.text for spot in piece.spots(0, len(piece.text))]
    return sorted((start, end) for start, end in spans if start < end)


def names_in(request: str) -> Iterator[str]:
    """The names of members in a request's body."""
    for unit in Document(request).units:
        yield from (decoded(unit.parts[2 * at + 1]) for at in unit.layout.names)


def _is_content(line: Line) -> bool:
    return line.alone and line.name in ("data", "?", IN_FRONT, WHOLE)


def _alternatives(shape: str) -> Iterator[str]:
    """Names of one shape that differ in the case of their letters."""
    yield shape
    at = [number for number, char in enumerate(shape) if char in "xX" and shape[number - 1 : number] != "\\"][-16:]
    for count in range(1, 1 << len(at)):
        chars = list(shape)
        for bit, number in enumerate(reversed(at)):
            if count >> bit & 1:
                chars[number] = chars[number].swapcase()
        yield "".join(chars)


def _written(piece: Piece, shape: str) -> Iterator[Edit]:
    """A piece's new text, in its escapes and on its lines."""
    raw = _respelled(piece.raw, piece.text, shape)
    if piece.lines is None:
        yield Edit(piece.start, piece.end, raw)
        return
    at = 0
    for start, end in piece.lines.spots(piece.start, piece.end):
        yield Edit(start, end, raw[at : at + end - start])
        at += end - start + 1  # and the line feed between two lines


def _respelled(raw: str, text: str, shape: str) -> str:
    """The shape of a text, spelled as the text is in `raw`."""
    if len(raw) == len(text):
        return shape
    parts: list[str] = []
    position = at = 0
    for match in JSON_ESCAPES.finditer(raw):
        plain = match.start() - position
        parts.append(shape[at : at + plain])
        at += plain
        parts.append(match.group() if shape[at] == text[at] else _escape(match.group(), shape[at]))
        at += 1
        position = match.end()
    parts.append(shape[at:])
    return "".join(parts)


def _escape(before: str, char: str) -> str:
    if len(before) < 6:
        return "\\" + char
    point = ord(char)
    points = [point] if point < 0x10000 else [0xD800 + ((point - 0x10000) >> 10), 0xDC00 + (point & 0x3FF)]
    form = "\\u%04X" if any(digit in "ABCDEF" for digit in before[2:]) else "\\u%04x"
    return "".join([form % each for each in points])


def _numbers(document: Document) -> Iterator[Edit]:
    for name, piece in document.numbers(is_content_number):
        is_byte = name == "bytes" and piece.raw.isdigit()
        shape = str(byte_for(int(piece.raw))) if is_byte else _DIGIT.sub("1", piece.raw)
        if shape != piece.raw:
            for spot in piece.spots(0, len(piece.text)):
                yield Edit(spot.start, spot.end, shape)


def _bares(document: Document) -> Iterator[Edit]:
    """What stands between the strings of broken JSON and is no number and no literal."""
    for unit in (unit for unit in document.broken if not is_marker(unit.text)):
        for number, (start, end) in enumerate(unit.layout.bares):
            text = unit.text[start:end]
            if not _LITERAL.fullmatch(text) and translated(text) != text:
                for spot in unit.bare(number).spots(0, 1):
                    yield Edit(spot.start, spot.end, translated(text))


def _free(text: str, media_type: str) -> str:
    """A text that is no JSON and no event stream."""
    if "form-urlencoded" in media_type.lower():
        return _FORM_FIELD.sub(_field_shape, text)
    boundary = _BOUNDARY.search(media_type) if media_type.lower().startswith("multipart/") else None
    return translated(text) if boundary is None else _multipart_shape(text, boundary[1].strip())


def _field_shape(field: re.Match[str]) -> str:
    """The value's shape, and the name if it is one."""
    name, value = field.groups()
    if name is not None and is_field_name(name):
        return f"{name}={_percent_shape(value)}"
    return _percent_shape(field.group())


def _percent_shape(text: str) -> str:
    return _PERCENT.sub(lambda match: _percent_byte(match.group()) if match[1] else translated(match.group()), text)


def _percent_byte(escape: str) -> str:
    shape = f"%{byte_for(int(escape[1:], 16)):02x}"
    return shape.upper() if any(digit in "ABCDEF" for digit in escape) else shape


def _multipart_shape(text: str, boundary: str) -> str:
    """The parts' contents and file names; the parts' heads and boundaries stay (RFC 7578)."""
    shape, position = [], 0
    for match in re.finditer(_PART_HEAD % re.escape(boundary), text, re.IGNORECASE):
        shape.append(translated(text[position : match.start()]))
        shape.append(_FILE_NAME.sub(lambda name: translated(name[0]), match.group()))
        position = match.end()
    return "".join([*shape, translated(text[position:])])
