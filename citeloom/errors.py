"""The one error that crosses layers: a code an agent can act on and a sentence a person can act on."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from citeloom.clean_text import shortened, shortened_values


class Code(StrEnum):
    """What went wrong, as agents see it."""

    INVALID_PROJECT = "INVALID_PROJECT"
    EMBEDDING_MISMATCH = "EMBEDDING_MISMATCH"
    HYBRID_NOT_SUPPORTED = "HYBRID_NOT_SUPPORTED"
    INDEX_UNAVAILABLE = "INDEX_UNAVAILABLE"
    TIMEOUT = "TIMEOUT"
    INVALID_INPUT = "INVALID_INPUT"
    FILE_NOT_FOUND = "FILE_NOT_FOUND"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    UNSUPPORTED_FORMAT = "UNSUPPORTED_FORMAT"
    CONVERSION_FAILED = "CONVERSION_FAILED"
    EMBEDDING_FAILED = "EMBEDDING_FAILED"
    MODEL_NOT_AVAILABLE = "MODEL_NOT_AVAILABLE"
    STORAGE_ERROR = "STORAGE_ERROR"
    QUERY_FAILED = "QUERY_FAILED"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    DOCUMENT_NOT_FOUND = "DOCUMENT_NOT_FOUND"
    PASSAGE_NOT_FOUND = "PASSAGE_NOT_FOUND"
    CITEKEY_NOT_FOUND = "CITEKEY_NOT_FOUND"
    STYLE_NOT_FOUND = "STYLE_NOT_FOUND"
    ZOTERO_UNAVAILABLE = "ZOTERO_UNAVAILABLE"
    ENGINE_UNAVAILABLE = "ENGINE_UNAVAILABLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class CiteLoomError(Exception):
    """A failure with a code, what happened, and what to do next.

    `message` says what happened; `next_step` says what to do about it; `details` holds
    the values a program may want (never a secret).
    """

    def __init__(self, code: Code, message: str, next_step: str = "", **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.next_step = next_step
        self.details = details

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()

    def as_dict(self) -> dict[str, Any]:
        """The error as it goes over the wire: whoever sent something long is not sent it back."""
        message = f"{shortened(self.message)} {self.next_step}".strip()
        return {"code": str(self.code), "message": message, "details": shortened_values(self.details)}

    @classmethod
    def from_dict(cls, error: dict[str, Any]) -> CiteLoomError:
        """The error as it came over the wire."""
        try:
            code = Code(error.get("code", ""))
        except ValueError:
            code = Code.INTERNAL_ERROR
        return cls(code, str(error.get("message", "")), **(error.get("details") or {}))
