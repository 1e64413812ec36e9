"""CiteLoomError, the one exception that crosses layers: a code for programs, a message and next step for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from citeloom.core.text.sanitize import shortened, shortened_values


class Code(StrEnum):
    """Error codes of the tool contract."""

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
    ENTRY_NOT_FOUND = "ENTRY_NOT_FOUND"
    SUGGESTION_NOT_FOUND = "SUGGESTION_NOT_FOUND"
    EMBEDDINGS_DISABLED = "EMBEDDINGS_DISABLED"
    INVALID_ENTRY_TYPE = "INVALID_ENTRY_TYPE"
    INVALID_RELATION_TYPE = "INVALID_RELATION_TYPE"
    LINK_ALREADY_EXISTS = "LINK_ALREADY_EXISTS"
    SELF_LINK_ERROR = "SELF_LINK_ERROR"
    ENGINE_UNAVAILABLE = "ENGINE_UNAVAILABLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class Cause(StrEnum):
    """Cause of a failure, which determines how an import treats the document and continues."""

    DOCUMENT = "document"  # the document or the request: the document is marked as failed, the import continues
    OUTSIDE = "outside"  # a server, disk or model is unavailable: the import waits for it
    UNCERTAIN = "uncertain"  # outside or the document: a few retries, then the document is marked as failed
    LASTING = "lasting"  # outside, until a person acts: the import ends, no document is marked as failed


_CAUSES = {
    Code.TIMEOUT: Cause.OUTSIDE,
    Code.STORAGE_ERROR: Cause.OUTSIDE,
    Code.MODEL_NOT_AVAILABLE: Cause.OUTSIDE,
    Code.EMBEDDING_FAILED: Cause.UNCERTAIN,
    Code.QUERY_FAILED: Cause.UNCERTAIN,
    Code.ENGINE_UNAVAILABLE: Cause.UNCERTAIN,
    Code.INDEX_UNAVAILABLE: Cause.LASTING,
    Code.EMBEDDING_MISMATCH: Cause.LASTING,
    Code.INVALID_PROJECT: Cause.LASTING,
}
# Documents that failed with one of these are retried by the next sync: the content is not at fault. The last four are
# about a file that may be available later, or a program that may have been updated.
RETRIED_CODES = frozenset(_CAUSES) | {
    Code.PERMISSION_DENIED, Code.FILE_NOT_FOUND, Code.ZOTERO_UNAVAILABLE, Code.INTERNAL_ERROR,
}  # fmt: skip


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

    @property
    def cause(self) -> Cause:
        """Cause of the failure: by the code, unless the details are more specific.

        `away` names what is temporarily unavailable, `refused` what rejects the document, `lasting` what a person has
        to repair.
        """
        by_detail = {"away": Cause.OUTSIDE, "refused": Cause.UNCERTAIN, "lasting": Cause.LASTING}
        return next(
            (by_detail[name] for name in by_detail if name in self.details), _CAUSES.get(self.code, Cause.DOCUMENT)
        )

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()

    def as_dict(self) -> dict[str, Any]:
        """Return the error as agents get it; long input is shortened instead of echoed."""
        message = f"{shortened(self.message)} {self.next_step}".strip()
        return {"code": str(self.code), "message": message, "details": shortened_values(self.details)}

    def to_wire(self) -> dict[str, Any]:
        """Return the error as the CLI and the app get it: with the next step as a field of its own."""
        return {**self.as_dict(), "message": shortened(self.message), "next_step": self.next_step}

    @classmethod
    def from_dict(cls, error: dict[str, Any]) -> CiteLoomError:
        """Return the error from its JSON; the next step may be a field or a part of the message."""
        try:
            code = Code(error.get("code", ""))
        except ValueError:
            code = Code.INTERNAL_ERROR
        message, next_step = str(error.get("message", "")), str(error.get("next_step", ""))
        return cls(code, message, next_step, **(error.get("details") or {}))


def unexpected(error: BaseException) -> CiteLoomError:
    """Translate an unexpected exception into a CiteLoomError."""
    match error:
        case CiteLoomError():
            return error
        case MemoryError():
            return CiteLoomError(Code.ENGINE_UNAVAILABLE, "There was not enough memory.", "Close other programs.")
        case OSError(strerror=str() as why, filename=file):
            what = f"{file}: {why}." if file else f"{why}."
            return CiteLoomError(Code.STORAGE_ERROR, what, "Check the disk it is on.", refused=str(file or ""))
    log_step = "See the engine's log ('citeloom doctor' says where it is)."
    return CiteLoomError(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", log_step)


class DocumentError(CiteLoomError):
    """A failure that a worker reported for its document: whatever the code, the document is the cause."""

    cause = Cause.DOCUMENT
