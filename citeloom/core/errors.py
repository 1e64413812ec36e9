"""The one error that crosses layers: a code an agent can act on and a sentence a person can act on."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from citeloom.core.text.sanitize import shortened, shortened_values


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


class Cause(StrEnum):
    """Who is to blame for a failure, and so what becomes of a document and of its import."""

    DOCUMENT = "document"  # the document, or what was asked: it is remembered as failed, the import goes on
    OUTSIDE = "outside"  # a server, a disk or a model is away: the import waits until it is back
    UNCERTAIN = "uncertain"  # outside or the document: the import tries it a few times, then the document has failed
    LASTING = "lasting"  # outside, until somebody does something about it: the import ends, no document has failed


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
# A document that failed so is tried again by the next sync: that says nothing about its content. The last four are
# about a file that may be had another time, or a program that may be another one by then.
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
        """Who is to blame: what the code says, unless the details say it better where the error was made.

        `away` names what may be back in a while, `refused` what will not take it, `lasting` what needs a person.
        """
        said = {"away": Cause.OUTSIDE, "refused": Cause.UNCERTAIN, "lasting": Cause.LASTING}
        return next((said[word] for word in said if word in self.details), _CAUSES.get(self.code, Cause.DOCUMENT))

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()

    def as_dict(self) -> dict[str, Any]:
        """The error as agents get it; whoever sent something long is not sent it back."""
        message = f"{shortened(self.message)} {self.next_step}".strip()
        return {"code": str(self.code), "message": message, "details": shortened_values(self.details)}

    def to_wire(self) -> dict[str, Any]:
        """The error as the command line and the app get it: the next step apart, as they may show another."""
        return {**self.as_dict(), "message": shortened(self.message), "next_step": self.next_step}

    @classmethod
    def from_dict(cls, error: dict[str, Any]) -> CiteLoomError:
        """The error as it came over the wire or was kept: with its next step apart, or in the message."""
        try:
            code = Code(error.get("code", ""))
        except ValueError:
            code = Code.INTERNAL_ERROR
        message, next_step = str(error.get("message", "")), str(error.get("next_step", ""))
        return cls(code, message, next_step, **(error.get("details") or {}))


def unexpected(error: Exception) -> CiteLoomError:
    """What nobody translated, as one of ours: the machine's failure, or our own."""
    match error:
        case CiteLoomError():
            return error
        case MemoryError():
            return CiteLoomError(Code.ENGINE_UNAVAILABLE, "There was not enough memory.", "Close other programs.")
        case OSError(strerror=str() as why, filename=file):
            what = f"{file}: {why}." if file else f"{why}."
            return CiteLoomError(Code.STORAGE_ERROR, what, "Look after the disk it is on.", refused=str(file or ""))
    return CiteLoomError(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", "See the engine's log.")


class DocumentError(CiteLoomError):
    """What a worker said of the document that it was given: whatever its code, other documents can be read."""

    cause = Cause.DOCUMENT
