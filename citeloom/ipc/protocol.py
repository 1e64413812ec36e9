"""How faces speak to the engine: one hello line, then MCP or JSON lines. Standard library only."""

from __future__ import annotations

import json
from typing import Any

PROTOCOL = 2
HELLO_LIMIT = 64 * 1024
HELLO_SECONDS = 5.0
LINE_LIMIT = 32 * 1024 * 1024  # a batch of 500 passages with their vectors fits


def hello(role: str, token: str, options: dict[str, Any]) -> bytes:
    """The first line of a connection."""
    return line({"citeloom": PROTOCOL, "role": role, "token": token, "options": options})


def line(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half a character, as in a file name that is not UTF-8: only an escape can say it
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def read(line_: bytes) -> Any:
    """What a line says; ValueError for whatever is no JSON, or nested too deeply to be read."""
    try:
        return json.loads(line_)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def request_id(message: Any) -> str | int | None:
    """The id to answer a message by: a text or a whole number, as MCP has it; None where there is none."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None
