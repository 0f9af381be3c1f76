"""How one value is written as a YAML scalar: exact for every loader, readable for people.

Rule: a body is a literal block when its text allows it (one stream line is one file line), else double-quoted with a
line continuation after each line end, else base64; a short value is plain only when nobody could read it as another
type. Everything here is pure text; nothing of cassettes, files or PyYAML is known.

The characters that forbid a block are those a YAML 1.1 reader normalizes, refuses or hides (YAML 1.1 sections 4.1.1
and 4.1.4: only printable characters stand raw, and CR, NEL, LS and PS are line breaks that would be read back as LF).
"""

from __future__ import annotations

import re
from base64 import encodebytes

# Printable ASCII, tab and LF: the bytes that may stand raw in a block.
_RAW_BYTES = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
# Of the text beyond ASCII: C1 with NEL, LS and PS, the byte order mark, the two noncharacters loaders refuse.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED_ASCII = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\U0010ffff]")
_SHORT_ESCAPES = {"\0": "\\0", "\x1b": "\\e"}

# Plain scalars: what starts with a letter or a slash can only be a string or one of YAML 1.1's words.
_PLAIN = re.compile(r"[A-Za-z/](?:[A-Za-z0-9._/;=+()~$^@%*!?&<>|'\"\\-]|:(?=[^ ])| (?=[^ #])|(?<! )#)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_PRINTABLE_LINE = re.compile(r"[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")


def body_scalar(body: bytes, indent: int, *, ascii: bool = False) -> str:
    """The scalar for a response body: literal block, double-quoted, or base64.

    Args:
        body: any bytes.
        indent: columns of the content lines, two more than those of the key.
        ascii: escape everything beyond ASCII.

    Returns:
        What follows `key: `, without the final line end.
    """
    text = _decode(body)
    if text is None:
        return _binary(body, indent)
    if not text:
        return "''"
    if _fits_block(body, text, ascii):
        return _block(text, indent)
    return _quoted_lines(text, indent, ascii)


def request_body_scalar(body: bytes | None, indent: int, *, ascii: bool = False) -> str:
    """The scalar for a request body: as `body_scalar`, but one printable line stays on the line of its key."""
    if body is None:
        return "null"
    text = _decode(body)
    if text is not None and b"\n" not in body and _fits_quotes(text, ascii):
        return _single_quoted(text)
    return body_scalar(body, indent, ascii=ascii)


def text_scalar(text: str, *, ascii: bool = False) -> str:
    """The scalar for a short text, on one line, fit for block and flow context alike.

    Raises:
        ValueError: the text holds a lone surrogate, which no YAML file can say.
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if _fits_quotes(text, ascii):
        return _single_quoted(text)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("a lone surrogate cannot be written; decode it as Latin-1")
    escaped = _escaped(text, ascii).replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'


def _decode(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _fits_block(body: bytes, text: str, ascii: bool) -> bool:
    left = body.translate(None, _RAW_BYTES)  # at C speed; for nearly every stream nothing is left
    if not left:
        return True
    if ascii or (not left.isascii() and _HIDDEN.search(left.decode())):
        return False
    return min(left) >= 0x80


def _fits_quotes(text: str, ascii: bool) -> bool:
    return (text.isascii() or not ascii) and _PRINTABLE_LINE.fullmatch(text) is not None


def _block(text: str, indent: int) -> str:
    """A literal block: `+` keeps final line ends, `-` says there is none, `2` says where the first line starts."""
    chomp = "-"
    if text[-1] == "\n":
        chomp, text = "+", text[:-1]
    start = "2" if not text or text[0] in " \t\n" else ""
    return f"|{start}{chomp}\n{_indented(text, ' ' * indent)}"


def _indented(text: str, pad: str) -> str:
    """`text` with `pad` before each line that is not empty; NUL, which a block never holds, marks the places."""
    marked = "\0" + text.replace("\n", "\n\0")
    return marked.replace("\0\n", "\n").removesuffix("\0").replace("\0", pad)


def _quoted_lines(text: str, indent: int, ascii: bool) -> str:
    """Double quotes; after each line end of the stream (LF, CR LF, CR) a backslash and a new line."""
    mark = "\ud800"  # no text that was UTF-8 holds one
    lines = (
        _escaped(text, ascii).replace("\r\n", f"\\r\\n{mark}").replace("\n", f"\\n{mark}").replace("\r", f"\\r{mark}")
    )
    lines = lines.removesuffix(mark)
    lines = lines.replace(f"{mark} ", f"{mark}\\ ")  # a bare blank after a continuation would be taken for indentation
    return '"' + lines.replace(mark, "\\\n" + " " * indent) + '"'


def _escaped(text: str, ascii: bool) -> str:
    """Everything but line ends escaped as double quotes need it."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return (_ESCAPED_ASCII if ascii else _ESCAPED).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _binary(body: bytes, indent: int) -> str:
    pad = " " * indent
    lines = encodebytes(body).decode("ascii").splitlines()
    return "!!binary |\n" + "\n".join(pad + line for line in lines)
