"""Events to verdict: what a complete stream is, dialect by dialect, and readers that tell the truth about it."""

from recorder.contracts._body import BodyKind, body_kind
from recorder.contracts._chat import Chat, chat
from recorder.contracts._chat_text import ChatText, chat_text
from recorder.contracts._cohere import Cohere, cohere
from recorder.contracts._completions import Completions, completions
from recorder.contracts._detect import detect
from recorder.contracts._dialects import DIALECTS, Dialect, dialect_table
from recorder.contracts._explain import EXPLANATIONS, Explanation, explain, explanation_table
from recorder.contracts._gemini import Gemini, gemini
from recorder.contracts._generation import Generation, generation
from recorder.contracts._head import check_head
from recorder.contracts._jsonrpc import JsonRpc, JsonRpcAccepted, jsonrpc
from recorder.contracts._messages import Messages, messages
from recorder.contracts._named import detected, named, names, saw_terminal, terminal_offset
from recorder.contracts._protocol import Contract, Run, check_contract
from recorder.contracts._read import aread, read
from recorder.contracts._responses import Responses, responses
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
    "DIALECTS",
    "EXPLANATIONS",
    "Accepted",
    "Audio",
    "BodyKind",
    "Chat",
    "ChatText",
    "Choice",
    "Cohere",
    "Completions",
    "Contract",
    "Dialect",
    "Explanation",
    "Facts",
    "Gemini",
    "Generation",
    "GenerationAccepted",
    "JsonRpc",
    "JsonRpcAccepted",
    "Messages",
    "Partial",
    "Rejected",
    "Responses",
    "Run",
    "ToolCall",
    "Verdict",
    "aread",
    "body_kind",
    "chat",
    "chat_text",
    "check_contract",
    "check_head",
    "cohere",
    "completions",
    "detect",
    "detected",
    "dialect_table",
    "explain",
    "explanation_table",
    "gemini",
    "generation",
    "jsonrpc",
    "messages",
    "named",
    "names",
    "read",
    "responses",
    "saw_terminal",
    "terminal_offset",
]
