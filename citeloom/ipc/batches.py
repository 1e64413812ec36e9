"""JSON-RPC batches of MCP 2025-03-26, the only revision that has them: members are served singly, answered together.

The bridge imports this module: standard library only.
"""

from __future__ import annotations

import json
from typing import Any

_REVISION = "2025-03-26"
_INVALID = -32600


def members(line: bytes) -> list[Any] | None:
    """Return the messages of a batch; None if the line is not one."""
    if not line.lstrip().startswith(b"["):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def allowed(initialize: dict[str, Any] | None) -> bool:
    """Return whether a session, by its handshake, is of the revision that has batches."""
    params = initialize.get("params") if initialize else None
    return isinstance(params, dict) and params.get("protocolVersion") == _REVISION


def refusals(messages: list[Any]) -> list[bytes]:
    """Return the lines that refuse a batch: one for each request, or one for all."""
    problem = f"Only MCP {_REVISION} has batches: send each message on a line of its own."
    requests: list[Any] = [
        message for message in messages if isinstance(message, dict) and message.get("id") is not None
    ]
    return [_refusal(message, problem if messages else "The batch is empty.") for message in requests or [None]]


class Batch:
    """The answers to a batch, until all are there."""

    def __init__(self, messages: list[Any]) -> None:
        self.lines: list[bytes] = []  # what is to be served
        self.waiting: set[str | int] = set()  # ids of its unanswered requests
        self._answers: list[bytes] = []
        for message in messages:
            if problem := self._problem(message):
                self._answers.append(_refusal(message, problem).rstrip(b"\n"))
                continue
            if message.get("id") is not None and "result" not in message and "error" not in message:
                self.waiting.add(message["id"])
            self.lines.append(json.dumps(message).encode() + b"\n")

    def answer(self, request_id: str | int, line: bytes | None) -> bytes:
        """Add the answer to a request, None if it gets none; return all answers if that was the last, else b""."""
        self.waiting.discard(request_id)
        if line is not None:
            self._answers.append(line.rstrip(b"\n"))
        return self.finished()

    def finished(self) -> bytes:
        """Return all answers as one line; b"" while some are missing, or if there are none."""
        return b"[" + b",".join(self._answers) + b"]\n" if self._answers and not self.waiting else b""

    def _problem(self, message: Any) -> str:
        if not isinstance(message, dict):
            return "That is not a JSON-RPC request."
        if message.get("id") is not None and _id_of(message) is None:
            return "That is no request id."
        if message.get("method") == "initialize":
            return "initialize must not be part of a batch."
        return "Another message of this batch has the same id." if _id_of(message) in self.waiting else ""


def _refusal(message: Any, problem: str) -> bytes:
    error = {"code": _INVALID, "message": problem}
    return json.dumps({"jsonrpc": "2.0", "id": _id_of(message), "error": error}).encode() + b"\n"


def _id_of(message: Any) -> str | int | None:
    value = message.get("id") if isinstance(message, dict) else None
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
