"""The one error that crosses layers."""

from __future__ import annotations

import json

from citeloom.errors import CiteLoomError, Code


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
