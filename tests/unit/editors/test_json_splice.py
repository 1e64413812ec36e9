"""Entries in JSON with comments: any document keeps its meaning and its bytes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from citeloom import editors
from citeloom.editors import EDITORS, DetectedEditor
from citeloom.editors.config_text import MalformedConfig
from citeloom.editors.json_format import JsonText


class Pairs(list[Any]):
    """An object whose keys may come twice."""


ENTRY = {"command": "/opt/citeloom", "args": ["mcp", "--project", "thesis"]}
BLANKS = ["", "", " ", "\n", "\r\n", "\n  ", "\t", " // a, b: {\n", "/* } */", "\n// c\n"]
KEYS = st.sampled_from(["mcpServers", "citeloom", "a", "b", 'q"\\', "é"]) | st.text(max_size=3)
NUMBERS = st.integers(-99, 99) | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=3).map(Pairs),
    max_leaves=6,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """JSON as people leave it behind: comments, trailing commas, keys that come twice, blanks of all sorts."""

    def blank() -> str:
        return draw(st.sampled_from(BLANKS))

    def written(value: Any) -> str:
        if isinstance(value, list):
            opening, closing = "{}" if isinstance(value, Pairs) else "[]"
            parts = [f"{blank()}{member(one) if isinstance(value, Pairs) else written(one)}{blank()}" for one in value]
            comma = draw(st.sampled_from(["", ","])) if parts else ""
            return f"{opening}{','.join(parts)}{comma}{blank()}{closing}"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def member(pair: tuple[str, Any]) -> str:
        return f"{json.dumps(pair[0])}{blank()}:{blank()}{written(pair[1])}"

    servers = st.lists(st.tuples(KEYS, VALUES), max_size=3).map(Pairs)
    members = st.tuples(KEYS.filter(lambda k: k != "mcpServers"), VALUES) | st.tuples(st.just("mcpServers"), servers)
    root = Pairs(draw(st.lists(members, max_size=4)))
    return f"{blank()}{written(root)}{blank()}"


def read(text: str) -> JsonText:
    return JsonText(text, "mcpServers", strict=False)


def outside_is_untouched(old: str, new: str) -> bool:
    """Whether the new text is the old one with a piece put in, and a comma before it at most."""
    commas = [place for place in range(_same(old, new) + 1) if new[place : place + 1] == ","]
    for text in (new, *(new[:place] + new[place + 1 :] for place in commas)):
        begin, end = _same(old, text), _same(old[::-1], text[::-1])
        if not old[begin : len(old) - end].strip():  # blanks between two brackets may make room
            return True
    return False


def _same(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@given(documents())
@example("{}")
@example('{"a": 1 // one\n}')
@example('{\n  "a": 1 /* one */}/* two */')
@example('{\n  "mcpServers": {\n    "a": {}, // note\n  },\n}')
@example('{"mcpServers": {"x": 1}, "mcpServers": {"citeloom": 1, "citeloom": 2}}')
def test_a_document_gets_the_entry_and_keeps_its_meaning_and_its_bytes(text: str) -> None:
    before = read(text)
    after = read(before.with_entry(ENTRY))
    assert after.entry == ENTRY
    assert repr(after.other_data) == repr(before.other_data)
    assert after.with_entry(ENTRY) == after.text
    if "citeloom" not in before.data.get("mcpServers", {}):
        assert outside_is_untouched(text, after.text)


@given(documents())
@example('{"a": 1, // one\n "mcpServers": {"b": 1, // two\n "citeloom": {}}}')
@example('{"mcpServers": {// one\n "citeloom": {}, "b": 1}}')
@example('{"mcpServers": {"citeloom": {}, // one\n "b": 1, "citeloom": 2}}')
def test_taking_the_entry_out_leaves_the_rest(text: str) -> None:
    before = read(text)
    after = read(before.without_entry())
    assert after.entry is None
    assert repr(after.other_data) == repr(before.other_data)


@settings(max_examples=40)
@given(documents())
def test_an_entry_put_beside_others_leaves_no_trace_when_it_is_taken_out(text: str) -> None:
    before = read(text)
    servers = before.data.get("mcpServers")
    assume(servers and "citeloom" not in servers)
    assert read(before.with_entry(ENTRY)).without_entry() == text


@settings(max_examples=50)
@given(documents())
def test_connecting_and_disconnecting_gives_back_the_very_bytes(text: str) -> None:
    assume("citeloom" not in read(text).data.get("mcpServers", {}))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mcp.json"
        file.write_bytes(text.encode())
        found = DetectedEditor(EDITORS["cursor"], file, True, None, None, True)
        for projects in ([], ["thesis"]):
            editors.install(found, projects, ["read"])
        editors.remove(found)
        assert file.read_bytes() == text.encode()


PLAIN = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner), max_leaves=8)


@settings(max_examples=50)
@given(st.dictionaries(st.text(max_size=4), PLAIN), st.sampled_from([None, 0, 2]))
def test_plain_json_is_read_like_the_standard_library_does(data: dict[str, Any], indent: int | None) -> None:
    for servers in ({}, {"mcpServers": {"nested": data}}):
        whole = {**data, **servers}
        assert JsonText(json.dumps(whole, indent=indent), "mcpServers", strict=True).data == whole


FAULTS = {
    "unfinished": ('{"a": ', "Expecting value"),
    "two": ("{} {}", "Extra data"),
    "colon": ('{"a" 1}', "Expecting ':'"),
    "comma": ('{"a": 1 "b": 2}', "Expecting ','"),
    "key": ("{a: 1}", "Expecting property name"),
    "quote": ('{"a": "x\n"}', "Invalid control character"),
    "escape": ('{"a": "\\q"}', "escape"),
    "nan": ('{"a": NaN}', "NaN is not a JSON value"),
    "deep": ("[" * 5000, "deeply"),
    "deep object": ('{"a":' * 5000, "deeply"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "4300 digits"),
    "list": ("[]", "no object"),
    "word": ('"x"', "no object"),
    "servers list": ('{"mcpServers": []}', "mcpServers is not an object"),
    "servers null": ('{"mcpServers": null}', "mcpServers is not an object"),
    "zeros": ('{"a": 007}', "Expecting ','"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_not_sound_is_refused_with_the_reason(name: str) -> None:
    text, reason = FAULTS[name]
    with pytest.raises(MalformedConfig, match=reason):
        read(text)


@pytest.mark.parametrize("text", ['{\n// x\n"a": 1}', '{"a": 1,}', '{"a": [1,]}', "/* x */{}"])
def test_a_program_that_reads_no_comments_is_not_given_any(text: str) -> None:
    read(text)
    with pytest.raises(MalformedConfig, match="line"):
        JsonText(text, "mcpServers", strict=True)


def test_a_fault_says_its_line() -> None:
    with pytest.raises(MalformedConfig, match="line 3"):
        read('{\n  "a": 1\n  "b": 2\n}')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "mcpServers": {\n    "citeloom": {}\n  }\n}\n'),
        ("// mine", '// mine\n{\n  "mcpServers": {\n    "citeloom": {}\n  }\n}\n'),
        ("{}", '{\n  "mcpServers": {\n    "citeloom": {}\n  }\n}'),
        ('{"mcpServers":{}}', '{"mcpServers":{"citeloom": {}}}'),
        ('{\n "mcpServers": {\n }\n}\n', '{\n "mcpServers": {\n  "citeloom": {}\n }\n}\n'),
        (
            '{\n   "mcpServers": {\n      // none yet\n   }\n}',
            '{\n   "mcpServers": {\n      "citeloom": {}\n      // none yet\n   }\n}',
        ),
    ],
)
def test_the_entry_looks_like_what_stands_around_it(text: str, expected: str) -> None:
    assert read(text).with_entry({}) == expected
