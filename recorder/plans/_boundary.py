"""The names of the boundary classes.

Rule: an offset belongs to the first class that fits it, in this order.
"""

from __future__ import annotations

from enum import StrEnum


class Boundary(StrEnum):
    """What a cut at an offset of an event stream divides."""

    START = "at the start"
    END = "at the end"
    BYTE_ORDER_MARK = "inside the byte order mark"
    AFTER_BYTE_ORDER_MARK = "after the byte order mark"
    CODE_POINT_1_OF_2 = "inside a code point, 1 of 2"
    CODE_POINT_1_OF_3 = "inside a code point, 1 of 3"
    CODE_POINT_2_OF_3 = "inside a code point, 2 of 3"
    CODE_POINT_1_OF_4 = "inside a code point, 1 of 4"
    CODE_POINT_2_OF_4 = "inside a code point, 2 of 4"
    CODE_POINT_3_OF_4 = "inside a code point, 3 of 4"
    BROKEN_CODE_POINT = "inside a code point that lacks its end"
    CR_LF = "between CR and LF"
    BLANK_LINE = "between the newlines of a blank line"
    BETWEEN_EVENTS = "between events"
    BETWEEN_LINES = "between lines of an event"
    COMMENT = "inside a comment"
    FIELD_NAME = "inside a field name"
    BEFORE_COLON = "before the colon"
    AFTER_COLON = "after the colon"
    VALUE_START = "after the space after the colon"
    LINE_END = "before the end of a line"
    TERMINAL_MARKER = "inside the terminal marker"
    JSON_SURROGATE_PAIR = "inside a surrogate pair"
    JSON_ESCAPE = "inside a JSON escape"
    JSON_STRING = "inside a JSON string"
    JSON_NUMBER = "inside a JSON number"
    JSON_LITERAL = "inside a JSON literal"
    JSON_BETWEEN = "between JSON tokens"
    FIELD_VALUE = "inside a field value"


CLASSES = tuple(Boundary)
NUMBERS: dict[Boundary, int] = {name: number for number, name in enumerate(CLASSES)}
