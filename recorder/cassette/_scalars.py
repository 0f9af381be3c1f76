"""How one value is written as a YAML scalar: exact for every loader, readable for people.

Rule: a body is a literal block when its text allows it (one stream line is one file line), else double-quoted with a
line continuation after each line end, else base64; a short value is plain only when nobody could read it as another
type. Not known here: cassettes, files, PyYAML.

What forbids a block is what a YAML 1.1 reader refuses, hides or reads as LF (YAML 1.1 sections 5.1 and 5.4: only
printable characters stand raw, and CR, NEL, LS and PS are line breaks).

Bodies are worked on as bytes: one pass of `bytes.replace` or `bytes.translate` each, at memory speed. That is sound
for UTF-8, in which the bytes of one character are never found inside another.
"""

from __future__ import annotations

import re
from base64 import b64encode

# -- bodies -----------------------------------------------------------------------------------------------------------

_PRINTABLE = bytes([0x09, 0x0A, *range(0x20, 0x7F)])  # printable ASCII, tab and LF
_BEYOND_ASCII = bytes(range(0x80, 0x100))
# Beyond ASCII: NEL and the other C1 controls, LS, PS, the byte order mark, and the two noncharacters loaders refuse.
_HIDDEN = ("\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff")
_HIDDEN_BYTES = {  # by their first byte, which is looked for first: most texts have few of them
    b"\xe2": tuple(character.encode() for character in _HIDDEN[:2]),
    b"\xef": tuple(character.encode() for character in _HIDDEN[2:]),
}
_C1 = tuple(map(chr, range(0x80, 0xA0)))
_C1_LEAD = b"\xc2"
_C1_BYTES = re.compile(rb"\xc2[\x80-\x9f]")
_NOT_UTF8 = b"\xff"  # marks a place; no UTF-8 text holds it


def body_scalar(body: bytes, indent: int, *, ascii: bool = False) -> bytes:
    """The scalar for a response body: literal block, double-quoted, or base64.

    Args:
        body: any bytes.
        indent: columns before the content lines; two more than before the key.
        ascii: escape everything beyond ASCII.

    Returns:
        What follows `key: `, as UTF-8, without the final line end.
    """
    if not is_utf8(body):
        return _binary(body, indent)
    if not body:
        return b"''"
    pad = b" " * indent
    return _block(body, pad) if stands_raw(body, ascii) else _quoted_lines(body, pad, ascii)


def is_block_of(body: bytes, data: bytes, start: int, stop: int, indent: int, *, ascii: bool) -> bool:
    """Whether `body_scalar` gives the literal block in `data[start:stop]` for `body`; quicker than asking it.

    Args:
        body: the content of the block, as unindenting its lines gave it.
        data: the file.
        start, stop: where the block stands.
        indent: columns before the content lines.
        ascii: as for `body_scalar`.
    """
    header = data[start : data.index(b"\n", start)]
    if header != _block_header(body) or not is_utf8(body) or not stands_raw(body, ascii):
        return False
    badly_indented = re.compile(rb"\n(?!\n| {%d}[^\n]|\Z)" % indent)
    return badly_indented.search(data, start, stop) is None


def request_body_scalar(body: bytes | None, indent: int, *, ascii: bool = False) -> bytes:
    """The scalar for a request body: as `body_scalar`, but one printable line stays on the line of its key."""
    if body is None:
        return b"null"
    if b"\n" not in body and is_utf8(body) and stands_raw(body, ascii):
        return b"'" + body.replace(b"'", b"''") + b"'"
    return body_scalar(body, indent, ascii=ascii)


def is_utf8(body: bytes) -> bool:
    """Whether `body` is well-formed UTF-8 (no surrogates, nothing overlong)."""
    if body.isascii():
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def stands_raw(body: bytes, ascii: bool) -> bool:
    """Whether every character of this UTF-8 text may stand unescaped in the file."""
    rest = body.translate(None, _PRINTABLE)
    return not rest or (not ascii and not rest.translate(None, _BEYOND_ASCII) and not _holds_hidden(rest))


def _holds_hidden(text: bytes) -> bool:
    """Whether one of the characters beyond ASCII that must be escaped is in this UTF-8 text."""
    if any(lead in text and any(one in text for one in characters) for lead, characters in _HIDDEN_BYTES.items()):
        return True
    return _C1_LEAD in text and _C1_BYTES.search(text) is not None


def _block(body: bytes, pad: bytes) -> bytes:
    return _block_header(body) + b"\n" + _indented(body.removesuffix(b"\n"), pad)


def _block_header(body: bytes) -> bytes:
    """Of a literal block: `+` keeps final line ends, `-` says there is none, `2` says where the first line starts."""
    start = b"2" if body[:1] in (b" ", b"\t", b"\n") else b""
    return b"|" + start + (b"+" if body.endswith(b"\n") else b"-")


def _indented(body: bytes, pad: bytes) -> bytes:
    """`body` with `pad` before each line that is not empty."""
    lines = (b"\n" + body).replace(b"\n", b"\n" + pad)
    empty = b"\n" + pad + b"\n"
    while empty in lines:  # twice at most: a pass leaves every other one of a run of empty lines
        lines = lines.replace(empty, b"\n\n")
    return lines[1:] if body[-1:] not in (b"\n", b"") else lines[1 : -len(pad)]


def _quoted_lines(body: bytes, pad: bytes, ascii: bool) -> bytes:
    """Double quotes; after each line end of the stream (LF, CR LF, CR) a backslash and a new line."""
    text = body.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\t", b"\\t")
    text = _escape_the_rest(text, ascii)
    joint = b"\\\n" + pad
    text = text.replace(b"\r\n", _NOT_UTF8).replace(b"\n", b"\\n" + joint).replace(b"\r", b"\\r" + joint)
    text = text.replace(_NOT_UTF8, b"\\r\\n" + joint).removesuffix(joint)
    text = text.replace(joint + b" ", joint + b"\\ ")  # a bare blank there would be taken for indentation
    return b'"' + text + b'"'


def _escape_the_rest(text: bytes, ascii: bool) -> bytes:
    """Escape what cannot stand raw, line ends excepted."""
    controls = text.translate(None, _PRINTABLE + _BEYOND_ASCII + b"\r")
    for control in sorted(set(controls)):
        text = text.replace(bytes([control]), b"\\x%02x" % control)
    if text.isascii():
        return text
    if ascii:
        return text.decode().encode("ascii", "backslashreplace")  # \xNN, \uNNNN and \UNNNNNNNN, as YAML has them
    if _holds_hidden(text):
        for character in _HIDDEN + _C1:
            text = text.replace(character.encode(), _escape(character).encode())
    return text


def _binary(body: bytes, indent: int) -> bytes:
    pad = b" " * indent
    coded = b64encode(body)
    return b"!!binary |\n" + b"\n".join([pad + coded[start : start + 76] for start in range(0, len(coded), 76)])


# -- short values -----------------------------------------------------------------------------------------------------

# What starts with a letter or a slash can only be a string, or one of the words of YAML 1.1. In a flow list commas and
# brackets mean something, and to old readers every colon and question mark.
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z/](?:[A-Za-z0-9._/;=+()~$^@%*!&<>|'\"\\-]| (?=[^ #])|(?<! )#)*")
_PLAIN = re.compile(r"[A-Za-z/](?:[A-Za-z0-9._/;=+()~$^@%*!&<>|'\"\\,?-]|:(?=[^ ])| (?=[^ #])|(?<! )#)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED_ASCII = re.compile("[\x00-\x1f\x7f-\U0010ffff]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def text_scalar(text: str, *, ascii: bool = False, flow: bool = True) -> str:
    """The scalar for a short text, on one line.

    Args:
        text: any text; a long one stays on its line too.
        ascii: escape everything beyond ASCII.
        flow: it stands in a flow list or mapping, or as a key.

    Raises:
        ValueError: the text holds a lone surrogate, which no YAML file can say.
    """
    plain = _PLAIN_IN_FLOW if flow else _PLAIN
    if plain.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if not text.isascii() and _SURROGATE.search(text):
        raise ValueError("a text holds a lone surrogate; decode header bytes as Latin-1")
    escaped = _ESCAPED_ASCII if ascii else _ESCAPED
    if not escaped.search(text):
        return "'" + text.replace("'", "''") + "'"
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.sub(lambda match: _escape(match.group()), text) + '"'


def _escape(character: str) -> str:
    named = _NAMED.get(character)
    return named if named is not None else _coded(ord(character))


def _coded(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
