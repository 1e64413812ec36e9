"""Entries in YAML and TOML: any document keeps its meaning and its bytes, or is refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from citeloom.editors.config_text import MalformedConfig, UnsafeEdit
from citeloom.editors.toml_format import TomlText
from citeloom.editors.yaml_format import YamlText

ENTRY = {"command": "C:\\tools\\citeloom.exe", "args": ["mcp", "--project", "thèse: 1 # ½"], "env": {"A": "b"}}

# Pieces of files; any of them in any order is a file.
YAML_PIECES = [
    "# a word\n",
    "\n",
    "name: Ada   # mine\n",
    "models:\n  - name: m\n    roles: [chat, edit]\n",
    "rules:\n- |\n  Cite.\n\n  # no comment\n\n",
    'prompt: >-\n  folded\n  text\n"quoted key": {a: 1, b: [x, y]}\n',
    "models2: &anchor\n  a: 1\nother:\n  <<: *anchor\n",
]
YAML_SERVERS = [
    "mcpServers:\n",
    "mcpServers: []\n",
    "mcpServers: # none\n",
    "mcpServers:\n- name: one\n  command: npx\n",
    "mcpServers:\n    -   name: one\n        args: [a]\n\n    # two\n    - uses: some/block\n",
    "mcpServers: [{name: one, command: npx}]\n",
    "mcpServers:\n  - name: one\n  - name: citeloom\n    command: old\n    timeout: 3\n  # after\n  - name: two\n",
    "mcpServers:\n  - command: old\n    name: citeloom # ours\n",
    'mcpServers: [{"name": "citeloom"}, {name: two}]\n',
    "mcpServers:\n  - name: prompt\n    text: |\n      # kept\n      more\n",
]
TOML_PIECES = [
    "# a word\n",
    "\n",
    '[tui]\ntheme = "dark" # [mcp_servers.citeloom]\n',
    "[[rules]]\ntext = '''\n[mcp_servers.citeloom]\ncommand = 1\n'''\n",
    '[a."b.c".d]\nx = [\n  "]", # }\n  { y = 1 },\n]\n',
    '[mcp_servers.docs]\ncommand = "npx"\n[mcp_servers.docs.env]\nK = "\\"v"\n',
]
TOML_SERVERS = [
    "",
    "[mcp_servers]\n",
    '[mcp_servers]\nother = { command = "x" }\n',
    '[mcp_servers.citeloom]\ncommand = "old"\n\n# of the next\n',
    '[mcp_servers.citeloom]\n# inside\ncommand = "old"\n[mcp_servers.citeloom.env]\nLANG = "de"\n',
    '[mcp_servers]\nciteloom.command = "old"\nciteloom.args = [\n  "mcp",\n]\nother.command = "x"\n',
    '[ "mcp_servers" . citeloom ]\ncommand = "old"\n',
]


def files(pieces: list[str], servers: list[str]) -> st.SearchStrategy[str]:
    around = st.lists(st.sampled_from(pieces), unique=True, max_size=4).map("".join)
    parts = st.tuples(around, st.sampled_from(servers), around).filter(lambda t: not _twice(t[0], t[2]))
    whole = parts.map("".join)
    return st.tuples(whole, st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
        lambda t: (t[0].rstrip("\n") if t[2] else t[0]).replace("\n", t[1])
    )


def _twice(one: str, other: str) -> bool:
    """Whether both name something: no key may come twice."""
    names = [{line for line in text.splitlines() if line and line[0] not in "# -"} for text in (one, other)]
    return bool(names[0] & names[1])


def check(before: YamlText | TomlText, read: type) -> None:
    after = read(before.with_entry(ENTRY), before.servers_key)
    assert after.entry == ENTRY
    assert repr(after.other_data) == repr(before.other_data)
    assert after.with_entry(ENTRY) == after.text
    if before.entry is None:
        same = next((n for n, (a, b) in enumerate(zip(before.text, after.text, strict=False)) if a != b), None)
        place = len(before.text) if same is None else same
        assert after.text.endswith(before.text[place:]) and len(after.text) > len(before.text)
    gone = read(after.without_entry(), before.servers_key)
    assert gone.entry is None
    assert repr(gone.other_data) == repr(before.other_data)
    for word in ("# a word", "# after", "# two", "# kept", "# no comment", "# of the next", "[mcp_servers.citeloom]\n"):
        if word in str(before.other_data) or word.startswith("# "):
            assert gone.text.count(word) == before.text.count(word)


@given(files(YAML_PIECES, ["", *YAML_SERVERS]))
@example("a: 1")
@example("a: &x 1\nb: &x 2\nc: *x\n")
def test_yaml_gets_the_entry_and_keeps_everything_else(text: str) -> None:
    # A text in many lines that ends with the file gets a line end more: that is refused before it is written.
    assume(text.endswith("\n") or not any(mark in text for mark in "|>"))
    check(YamlText(text, "mcpServers"), YamlText)


def test_a_list_of_servers_stays_a_list_when_its_only_one_is_taken_out() -> None:
    text = YamlText("a: 1\nmcpServers: # mine\n  - name: citeloom\n    command: x\nb: 2\n", "mcpServers")
    assert text.without_entry() == "a: 1\nmcpServers: [] # mine\nb: 2\n"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("mcpServers:\n  - name: citeloom\n  - name: a\n  - name: citeloom\n", "mcpServers:\n  - name: a\n"),
        ("mcpServers: [{name: citeloom}, {name: citeloom}]\n", "mcpServers: []\n"),
    ],
    ids=["lines", "brackets"],
)
def test_an_entry_that_stands_there_twice_is_taken_out_twice_and_not_changed(text: str, without: str) -> None:
    twice = YamlText(text, "mcpServers")
    assert twice.without_entry() == without
    with pytest.raises(UnsafeEdit, match="more than once"):
        twice.with_entry(ENTRY)


@given(files(TOML_PIECES, TOML_SERVERS))
def test_toml_gets_the_entry_and_keeps_everything_else(text: str) -> None:
    check(TomlText(text, "mcp_servers"), TomlText)


@pytest.mark.parametrize("text", ["a = 1\n", "[a]\r\nb = 1\r\n", ""], ids=["key", "windows", "empty"])
def test_toml_is_left_without_a_gap_where_the_entry_was(text: str) -> None:
    assert TomlText(TomlText(text, "mcp_servers").with_entry(ENTRY), "mcp_servers").without_entry() == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1", "line 2|line 1"),
        ("a: 1\na: 2", "a|duplicate"),
        ("- a", "keys and values"),
        ("mcpServers: {a: 1}", "not a list"),
        ("mcpServers: word", "not a list"),
        ("a: 1\n---\nb: 2", "."),
        ("a: \x00", "."),
        ("a: !unknown 1", "."),
        ("a: !!bool x", "invalid value"),
        ("? - a: 1\n: 2", "invalid value"),
        ("[" * 700, "."),
        ("a: 1\n" * 100_000, "too large"),
    ],
    ids=["open", "twice", "list", "object", "word", "two documents", "zero", "tag", "bool", "key", "deep", "large"],
)
def test_yaml_that_is_not_sound_is_refused(text: str, reason: str) -> None:
    with pytest.raises(MalformedConfig, match=reason):
        YamlText(text, "mcpServers")


@pytest.mark.parametrize(
    "text", ["{a: 1}", "mcpServers:\n  - &ours\n    name: citeloom\nother: *ours\n"], ids=["brackets", "anchor"]
)
def test_yaml_that_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    with pytest.raises(UnsafeEdit):
        YamlText(text, "mcpServers").with_entry(ENTRY)


def test_servers_that_a_merge_key_brings_in_are_not_taken_for_those_of_the_file() -> None:
    base = "base: &b\n  mcpServers:\n    - name: one\n<<: *b\n"
    text = YamlText(f"{base}mcpServers:\n  - name: two\n  - name: citeloom\n    command: x\n", "mcpServers")
    assert text.without_entry() == f"{base}mcpServers:\n  - name: two\n"
    assert YamlText(text.with_entry(ENTRY), "mcpServers").entry == ENTRY


def test_an_entry_that_refers_to_another_one_is_left_alone() -> None:
    text = YamlText("mcpServers:\n  - name: one\n    env: &e {A: b}\n  - name: citeloom\n    env: *e\n", "mcpServers")
    for change in (text.without_entry, lambda: text.with_entry(ENTRY)):
        with pytest.raises(UnsafeEdit, match="refers to another part"):
            change()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = ", "value"),
        ("a = 1\na = 2\n", "line 2"),
        ("mcp_servers = 3", "not a table"),
        ("[[mcp_servers]]", "not a table"),
    ],
    ids=["unfinished", "twice", "number", "list"],
)
def test_toml_that_is_not_sound_is_refused(text: str, reason: str) -> None:
    with pytest.raises(MalformedConfig, match=reason):
        TomlText(text, "mcp_servers")


def test_toml_in_one_line_is_left_alone() -> None:
    text = TomlText('mcp_servers = { citeloom = { command = "x" }, other = { command = "y" } }\n', "mcp_servers")
    with pytest.raises(UnsafeEdit):
        text.with_entry(ENTRY)
