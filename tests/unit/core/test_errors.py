"""The one error that crosses layers."""

from __future__ import annotations

import errno
import json

from citeloom.core.errors import RETRIED_CODES, Cause, CiteLoomError, Code, unexpected


def test_an_error_says_what_happened_and_what_to_do() -> None:
    error = CiteLoomError(Code.FILE_NOT_FOUND, "There is no file x.", "Check the path.", path="x")
    assert str(error) == "There is no file x. Check the path."
    assert str(CiteLoomError(Code.TIMEOUT, "Too long.")) == "Too long."


def test_an_error_is_the_same_on_the_other_side_of_the_wire() -> None:
    error = CiteLoomError(Code.BUDGET_EXCEEDED, "Too small.", "Ask for more.", needed=12, valid=["a"])
    again = CiteLoomError.from_dict(json.loads(json.dumps(error.as_dict())))
    assert (again.code, str(again), again.details) == (error.code, str(error), error.details)
    assert again.as_dict() == error.as_dict()


def test_a_code_of_another_version_is_an_internal_error() -> None:
    error = CiteLoomError.from_dict({"code": "WHO_KNOWS", "message": "Something.", "details": None})
    assert (error.code, str(error), error.details) == (Code.INTERNAL_ERROR, "Something.", {})


def test_what_is_away_is_to_blame_whatever_the_code_and_a_refusal_is_not_waited_for_long() -> None:
    assert CiteLoomError(Code.PERMISSION_DENIED, "It refuses the key.", away="http://x").cause is Cause.OUTSIDE
    assert CiteLoomError(Code.INDEX_UNAVAILABLE, "It is away.", away="http://x").cause is Cause.OUTSIDE
    assert CiteLoomError(Code.INDEX_UNAVAILABLE, "It was deleted.", missing="p").cause is Cause.LASTING
    assert CiteLoomError(Code.STORAGE_ERROR, "It will not take it.", refused="http://x").cause is Cause.UNCERTAIN
    assert CiteLoomError(Code.CONVERSION_FAILED, "It is damaged.").cause is Cause.DOCUMENT
    assert all(code in RETRIED_CODES for code in Code if CiteLoomError(code, "").cause is not Cause.DOCUMENT)


def test_what_nobody_translated_is_the_machines_failure_or_our_own() -> None:
    full = unexpected(OSError(errno.ENOSPC, "No space left on device", "/data/x"))
    assert (full.code, full.cause) == (Code.STORAGE_ERROR, Cause.UNCERTAIN) and "/data/x" in full.message
    assert unexpected(MemoryError()).cause is Cause.UNCERTAIN
    assert unexpected(KeyError("x")).code == Code.INTERNAL_ERROR
    assert unexpected(full) is full
