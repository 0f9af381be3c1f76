"""Events to verdict: what a complete stream is, dialect by dialect, and readers that tell the truth about it."""

from recorder.contracts._body import BodyKind, body_kind
from recorder.contracts._chat import Chat, chat
from recorder.contracts._chat_text import ChatText, chat_text
from recorder.contracts._detect import detect
from recorder.contracts._explain import EXPLANATIONS, Explanation, explain, explanation_table
from recorder.contracts._generation import Generation, generation
from recorder.contracts._head import check_head
from recorder.contracts._named import detected, named, names, terminal_offset
from recorder.contracts._protocol import Contract, Run
from recorder.contracts._read import aread, read
from recorder.contracts._verdict import (
    Accepted,
    Audio,
    Choice,
    Facts,
    GenerationAccepted,
    Partial,
    Rejected,
    ToolCall,
    Verdict,
)

__all__ = [
    "EXPLANATIONS",
    "Accepted",
    "Audio",
    "BodyKind",
    "Chat",
    "ChatText",
    "Choice",
    "Contract",
    "Explanation",
    "Facts",
    "Generation",
    "GenerationAccepted",
    "Partial",
    "Rejected",
    "Run",
    "ToolCall",
    "Verdict",
    "aread",
    "body_kind",
    "chat",
    "chat_text",
    "check_head",
    "detect",
    "detected",
    "explain",
    "explanation_table",
    "generation",
    "named",
    "names",
    "read",
    "terminal_offset",
]
