"""Lines between the engine and its faces."""

from __future__ import annotations

import json

import pytest

from citeloom.ipc import protocol


def test_a_file_name_that_is_no_utf_8_goes_over_the_wire_and_comes_back() -> None:
    message = {"source": "bees \udcff.pdf", "title": "Grüße"}
    sent = protocol.encode_line(message)
    assert sent.endswith(b"\n") and sent.count(b"\n") == 1
    sent.decode()
    assert protocol.decode_line(sent) == message


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff", b"", b"1" * 5000], ids=lambda b: b[:5])
def test_what_cannot_be_read_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        protocol.decode_line(line)


@pytest.mark.parametrize(
    ("number", "known"), [(7, True), ("a", True), (0, True), (1.5, False), (True, False), ([7], False), (None, False)]
)
def test_an_answer_goes_to_a_text_or_a_whole_number(number: object, known: bool) -> None:
    message = json.loads(json.dumps({"id": number}))
    assert protocol.request_id(message) == (number if known else None)
    assert protocol.request_id([number]) is None
