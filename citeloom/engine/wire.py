"""How faces speak to the engine: one hello line, then MCP or JSON lines. Standard library only."""

from __future__ import annotations

import json
from typing import Any

PROTOCOL = 1
HELLO_LIMIT = 64 * 1024
HELLO_SECONDS = 5.0
LINE_LIMIT = 32 * 1024 * 1024  # a batch of 500 passages with their vectors fits


def hello(role: str, token: str, options: dict[str, Any]) -> bytes:
    """The first line of a connection."""
    return line({"citeloom": PROTOCOL, "role": role, "token": token, "options": options})


def line(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
