"""The protocol between the engine and its clients: one hello line, then MCP or control messages as JSON lines.

The bridge imports this module: standard library only.
"""

from __future__ import annotations

import json
from typing import Any

PROTOCOL = 3
HELLO_LIMIT = 64 * 1024
HELLO_SECONDS = 5.0
LINE_LIMIT = 32 * 1024 * 1024  # a batch of 500 passages with their vectors fits


def hello(role: str, token: str, options: dict[str, Any]) -> bytes:
    """Return the first line of a connection."""
    return encode_line({"citeloom": PROTOCOL, "role": role, "token": token, "options": options})


def encode_line(message: dict[str, Any]) -> bytes:
    """Encode a message as one line."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, as in a file name that is not UTF-8, can only be escaped
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


# The engine's last line to a bridge before it reloads: whatever is unanswered now was not begun and is to be sent again
# on a new connection. Without this line the engine has crashed or was stopped.
RECONNECT = encode_line({"jsonrpc": "2.0", "method": "notifications/citeloom/reconnect"})


def decode_line(line: bytes) -> Any:
    """Decode a line; ValueError if it is not JSON or nested too deeply."""
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def decode_object(line: bytes) -> dict[str, Any] | None:
    """Decode a line with an object; None if it is something else."""
    try:
        message = decode_line(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def request_id(message: Any) -> str | int | None:
    """Return the id of a message if it is a valid one in MCP, a string or an integer; else None."""
    return _valid_id(message.get("id")) if isinstance(message, dict) else None


def cancelled_id(message: dict[str, Any]) -> str | int | None:
    """Return the id of the request that a message cancels; None if it cancels none."""
    params = message.get("params")
    if message.get("method") != "notifications/cancelled" or not isinstance(params, dict):
        return None
    return _valid_id(params.get("requestId"))


def _valid_id(value: Any) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
