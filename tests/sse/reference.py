"""A slow event stream parser, to hold the product's to: one byte at a time, everything measured anew after each.

Rule: it follows the WHATWG HTML standard sentence by sentence ("Parsing an event stream" 9.2.5, "Interpreting an event
stream" 9.2.6; decoding is the Unicode standard's table 3-7 and maximal subparts) and keeps nothing that could be
worked out again. It knows of the product only the words for limits and fault codes. Being fast, or even linear, is not
its business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from recorder.errors import FaultCode
from recorder.sse import Limit

# -- UTF-8

# The well-formed sequences: the range of the first byte, then the ranges of those that follow (Unicode, table 3-7).
ANY = (0x80, 0xBF)
WELL_FORMED = (
    ((0x00, 0x7F), ()),
    ((0xC2, 0xDF), (ANY,)),
    ((0xE0, 0xE0), ((0xA0, 0xBF), ANY)),
    ((0xE1, 0xEC), (ANY, ANY)),
    ((0xED, 0xED), ((0x80, 0x9F), ANY)),
    ((0xEE, 0xEF), (ANY, ANY)),
    ((0xF0, 0xF0), ((0x90, 0xBF), ANY, ANY)),
    ((0xF1, 0xF3), (ANY, ANY, ANY)),
    ((0xF4, 0xF4), ((0x80, 0x8F), ANY, ANY)),
)
BITS_OF_FIRST = {1: 0x7F, 2: 0x1F, 3: 0x0F, 4: 0x07}
REPLACEMENT = "\ufffd"
BOM = "\ufeff"


class Character(NamedTuple):
    """One decoded character and the bytes it came from."""

    text: str
    start: int
    size: int
    ill_formed: bool = False


@dataclass
class Decoder:
    """Bytes to characters; an ill-formed sequence's maximal subpart becomes one U+FFFD."""

    begun: list[int] = field(default_factory=list)  # the bytes of an incomplete sequence
    start: int = 0  # where it began
    expected: tuple[tuple[int, int], ...] = ()  # the ranges of the bytes still to come

    def push(self, byte: int, offset: int) -> list[Character]:
        """Give the characters that this byte completes: none, one, or a replacement and one more."""
        if self.begun:
            low, high = self.expected[0]
            if low <= byte <= high:
                self.begun.append(byte)
                self.expected = self.expected[1:]
                return [] if self.expected else [self._complete()]
            return [self._broken(), *self.push(byte, offset)]
        for (low, high), following in WELL_FORMED:
            if low <= byte <= high:
                self.begun, self.start, self.expected = [byte], offset, following
                return [] if following else [self._complete()]
        return [Character(REPLACEMENT, offset, 1, ill_formed=True)]

    def end(self) -> list[Character]:
        """The stream has ended; an incomplete sequence is an ill-formed one."""
        return [self._broken()] if self.begun else []

    def _complete(self) -> Character:
        size = len(self.begun)
        code_point = self.begun[0] & BITS_OF_FIRST[size]
        for byte in self.begun[1:]:
            code_point = code_point << 6 | byte & 0x3F
        self.begun = []
        return Character(chr(code_point), self.start, size)

    def _broken(self) -> Character:
        size = len(self.begun)
        self.begun, self.expected = [], ()
        return Character(REPLACEMENT, self.start, size, ill_formed=True)


def decode(data: bytes) -> str:
    """The text of `data`, a byte order mark kept."""
    decoder = Decoder()
    characters = [character for offset, byte in enumerate(data) for character in decoder.push(byte, offset)]
    return "".join(character.text for character in characters + decoder.end())


# -- amounts: (offset, units) pairs in the order they count

Amounts = list[tuple[int, int]]


def amounts(characters: list[Character], unit: str) -> Amounts:
    """What characters cost in a unit; in bytes each byte at its own place."""
    if unit == "bytes":
        return [(at, 1) for one in characters for at in range(one.start, one.start + one.size)]
    if unit == "code_points":
        return [(one.start, 1) for one in characters]
    return [(one.start, len(one.text.encode("utf-16-le")) // 2) for one in characters]


def first_over(costs: Amounts, most: int) -> int | None:
    """The offset of the first amount that makes the sum larger than `most`."""
    total = 0
    for offset, cost in costs:
        total += cost
        if total > most:
            return offset
    return None


# -- the stream

FIELDS = ("data", "event", "id", "retry")
ORDER = (
    FaultCode.BYTE_LIMIT,
    FaultCode.INVALID_UTF8,
    FaultCode.LINE_LIMIT,
    FaultCode.EVENT_SIZE_LIMIT,
    FaultCode.EVENT_NAME_LIMIT,
    FaultCode.EVENT_COUNT_LIMIT,
)


@dataclass
class Options:
    """What the product's parser takes; a limit given as an int is in bytes."""

    utf8: str = "replace"
    max_line: Limit | None = None
    max_event: Limit | None = None
    max_event_name: Limit | None = None
    max_events: int | None = None
    max_bytes: int | None = None


@dataclass
class Outcome:
    """What is known from outside."""

    events: list[tuple[str, str, str]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # for each event, the offset after the byte that dispatched it
    comments: list[str] = field(default_factory=list)
    fault: tuple[FaultCode, int] | None = None
    consumed: int = 0  # bytes looked at, the one that made a fault certain included
    last_event_id: str = ""
    reconnection_time: int | None = None

    def copy(self) -> Outcome:
        """An outcome that does not change with this one."""
        lists = (list(self.events), list(self.ends), list(self.comments))
        return Outcome(*lists, self.fault, self.consumed, self.last_event_id, self.reconnection_time)


class Reference:
    """The standard's algorithm."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.decoder = Decoder()
        self.outcome = Outcome()
        self.found: list[tuple[int, int, FaultCode]] = []
        # The line so far, and a mark before it.
        self.line: list[Character] = []
        self.mark: list[Character] = []
        self.at_start = True
        self.after_cr = False
        # The standard's buffers. Each data line is its own value and what joining it costs, at which byte.
        self.data: list[str] = []
        self.data_costs: Amounts = []
        self.type = ""
        self.id = ""

    def push(self, byte: int, offset: int) -> bool:
        """Take the next byte. Gives False when the stream is refused."""
        before = self.outcome.copy()
        if self.options.max_bytes is not None and offset >= self.options.max_bytes:
            self._refuse(offset, FaultCode.BYTE_LIMIT)
        for character in self.decoder.push(byte, offset):
            self._character(character)
        self._measure()
        return self._settle(before, offset + 1)

    def end(self) -> bool:
        """Take the end of the stream: what is pending is discarded, but an incomplete code point is looked at."""
        before = self.outcome.copy()
        for character in self.decoder.end():
            self._character(character)
        self._measure()
        return self._settle(before, self.outcome.consumed)

    def _settle(self, before: Outcome, consumed: int) -> bool:
        """Of what one byte made certain the lowest offset is told; the byte then has no other effect."""
        if self.found:
            offset, _, code = min(self.found)
            self.outcome = before
            self.outcome.fault = code, offset
        self.outcome.consumed = consumed
        return not self.found

    def _refuse(self, offset: int | None, code: FaultCode) -> None:
        if offset is not None:
            self.found.append((offset, ORDER.index(code), code))

    def _character(self, character: Character) -> None:
        if character.ill_formed and self.options.utf8 == "strict":
            self._refuse(character.start, FaultCode.INVALID_UTF8)
        at_start, self.at_start = self.at_start, False
        after_cr, self.after_cr = self.after_cr, character.text == "\r"
        if at_start and character.text == BOM:
            # "The UTF-8 decode algorithm strips one leading UTF-8 Byte Order Mark (BOM), if any."
            self.mark.append(character)
        elif character.text == "\n" and after_cr:
            pass  # the pair U+000D U+000A is one line end, and the U+000D has ended the line
        elif character.text in "\r\n":
            self._line_end(character.start)
        else:
            self.line.append(character)
            self._measure()

    # -- limits, on a line with or without its end

    def _measure(self, line_end: int | None = None) -> None:
        """Look at every limit that the line so far can break; `line_end` is the offset of its terminator."""
        options = self.options
        line, unit_line = self.line, options.max_line.unit if options.max_line else ""
        if options.max_line is not None and self._counts(options.max_line.counts):
            mark = self.mark if options.max_line.counts == "raw" else []
            costs = amounts(mark + line, unit_line) + self._begun(unit_line, options.max_line.counts == "raw")
            self._refuse(first_over(costs, options.max_line.n), FaultCode.LINE_LIMIT)
        if options.max_event is not None:
            costs = self.data_costs + self._this_line(options.max_event, line_end)
            self._refuse(first_over(costs, options.max_event.n), FaultCode.EVENT_SIZE_LIMIT)
        if options.max_event_name is not None and self._name() == "event":
            unit = options.max_event_name.unit
            costs = amounts(self._value(), unit) + self._begun(unit)
            self._refuse(first_over(costs, options.max_event_name.n), FaultCode.EVENT_NAME_LIMIT)

    def _counts(self, counts: str) -> bool:
        """Whether the line so far is one that the limit on lines counts."""
        if counts != "fields":
            return True
        name = self._name()
        if name is not None:
            return name in FIELDS
        return not self.decoder.begun and any(one.startswith(self._text(self.line)) for one in FIELDS)

    def _begun(self, unit: str, raw: bool = False) -> Amounts:
        """The bytes of an incomplete code point count at once, unless they may still be a byte order mark."""
        decoder = self.decoder
        perhaps_mark = self.at_start and BOM.encode().startswith(bytes(decoder.begun))
        if unit != "bytes" or not decoder.begun or (perhaps_mark and not raw):
            return []
        return [(decoder.start + number, 1) for number in range(len(decoder.begun))]

    def _this_line(self, limit: Limit, line_end: int | None) -> Amounts:
        """What the line so far adds to the event's data: what joins it, and its value."""
        name = self._name()
        if name is None and line_end is not None and self._text(self.line) == "data":
            joined_at = line_end
        elif name == "data":
            joined_at = self.line[len("data")].start
        else:
            return []
        joining = limit.per_line or (1 if self.data else 0)
        return [(joined_at, joining), *amounts(self._value(), limit.unit), *self._begun(limit.unit)]

    # -- a line's parts

    @staticmethod
    def _text(characters: list[Character]) -> str:
        return "".join(character.text for character in characters)

    def _name(self) -> str | None:
        """What stands before the line's first colon; None when it has none yet."""
        name, colon, _ = self._text(self.line).partition(":")
        return name if colon else None

    def _value(self) -> list[Character]:
        """What stands after the first colon, without one leading space."""
        name = self._name()
        if name is None:
            return []
        value = self.line[len(name) + 1 :]
        return value[1:] if value and value[0].text == " " else value

    # -- 9.2.6: lines

    def _line_end(self, offset: int) -> None:
        self._measure(line_end=offset)
        limit = self.options.max_event
        costs = self._this_line(limit, offset) if limit else []
        text, name, value = self._text(self.line), self._name(), self._text(self._value())
        if not self.line:
            # "If the line is empty (a blank line): Dispatch the event, as defined below."
            self._dispatch(offset)
        elif name == "":
            # "If the line starts with a U+003A COLON character (:): Ignore the line."
            self.outcome.comments.append(text[1:])
        elif name is not None:
            # "Collect the characters on the line before the first U+003A COLON character (:), and let field be that
            # string. [...] after [...] value [...] If value starts with a U+0020 SPACE character, remove it"
            self._field(name, value)
        else:
            # "using the whole line as the field name, and the empty string as the field value."
            self._field(text, "")
        self.data_costs += costs if self.line else []
        if not self.line:
            self.data_costs = []
        self.line, self.mark = [], []

    def _field(self, name: str, value: str) -> None:
        if name == "event":
            # "Set the event type buffer to the field value."
            self.type = value
        elif name == "data":
            # "Append the field value to the data buffer, then append a single U+000A LINE FEED (LF) character"
            self.data.append(value)
        elif name == "id":
            # "If the field value does not contain U+0000 NULL, then set the last event ID buffer to the field value."
            if "\0" not in value:
                self.id = value
        elif name == "retry" and value and all(digit in "0123456789" for digit in value):
            # "If the field value consists of only ASCII digits, then interpret [it] as an integer in base ten"
            digits = value.lstrip("0")
            if len(digits) <= 640:  # the product's own rule
                self.outcome.reconnection_time = int(digits or "0")
        # "Otherwise: The field is ignored."

    def _dispatch(self, offset: int) -> None:
        # "Set the last event ID string of the event source to the value of the last event ID buffer."
        self.outcome.last_event_id = self.id
        # "If the data buffer is an empty string, set [it] and the event type buffer to the empty string and return."
        if self.data:
            if len(self.outcome.events) == self.options.max_events:
                self._refuse(offset, FaultCode.EVENT_COUNT_LIMIT)
            # "If the data buffer's last character is a U+000A LINE FEED (LF) character, then remove the last character"
            self.outcome.events.append((self.type or "message", "\n".join(self.data), self.id))
            self.outcome.ends.append(offset + 1)
        self.data, self.type = [], ""


def interpret(data: bytes, options: Options | None = None) -> Outcome:
    """What a stream comes to, its end included."""
    reference = Reference(options or Options())
    if all(reference.push(byte, offset) for offset, byte in enumerate(data)):
        reference.end()
    return reference.outcome
