"""README, SECURITY and docs/ are true: what they name exists, and what exists is in them."""

from __future__ import annotations

import dataclasses
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from pydantic_core import PydanticUndefined

from citeloom import __version__
from citeloom.bridge import USAGE
from citeloom.cli.check_sarif import RULES
from citeloom.cli.main import commands
from citeloom.core import settings as config
from citeloom.core.errors import Code
from citeloom.index.filters import FILTER_KEYS, OPERATORS
from citeloom.tools import results as outputs
from citeloom.tools.older_names import _TOOLS as OLDER_NAMES
from citeloom.tools.table import TOOLS
from citeloom.tools.tool import Tool
from tests.bench.__main__ import _MEASUREMENTS
from tests.support import ROOT

DOCS = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("*.md")}
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "SECURITY.md")} | DOCS
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")  # may name what is gone

EVERY_DOCUMENT = pytest.mark.parametrize("name", sorted(TEXTS))


def without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def code_spans(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", without_fences(text))


def fences(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    (_, found) = re.split(rf"^#+ {re.escape(heading)}$", TEXTS[name], flags=re.MULTILINE)
    return re.split(r"^#+ ", found, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without the headings."""
    tables = [line.strip("| ") for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.split("|")] for line in tables]


# -- the documents themselves ----------------------------------------------------------------------------------


def test_the_readme_is_short() -> None:
    assert len(TEXTS["README.md"].encode()) <= 9_000


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", without_fences(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", [*sorted(TEXTS), "CHANGELOG.md"])
def test_every_link_and_picture_leads_somewhere(name: str) -> None:
    text = without_fences(TEXTS.get(name, CHANGELOG))
    links = [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'(?:src|srcset)="([^"]+)"', text)]
    for link in links:
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        assert target.exists(), f"{name}: {link}"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{name}: {link}"


def test_the_readme_leads_to_every_document_and_shows_the_app() -> None:
    assert all(f"]({name})" in TEXTS["README.md"] for name in DOCS)
    assert "resources/search-dark.png" in TEXTS["README.md"]


@EVERY_DOCUMENT
def test_every_file_of_the_repository_that_is_named_is_there(name: str) -> None:
    named = [span for span in code_spans(TEXTS[name]) if re.match(r"(citeloom|docs|packaging|resources|tests)/", span)]
    assert not [file for file in named if not (ROOT / file).exists()]


@EVERY_DOCUMENT
def test_every_make_target_that_is_named_is_there(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    lines = [*code_spans(TEXTS[name]), *"".join(fences(TEXTS[name])).splitlines()]
    for target in {found for line in lines for found in re.findall(r"(?:^|\s)make ([a-z-]+)", line)}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_changelog_keeps_to_its_form_and_knows_this_version() -> None:
    versions = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert versions[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d", version) for version in versions[1:]]
    assert all(released) and released[0] and released[0][1] == __version__
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= kinds
    for part in re.split(r"^## .+$", CHANGELOG, flags=re.MULTILINE)[1:]:
        sections = re.findall(r"^### (.+)$", part, re.MULTILINE)
        assert sections and len(sections) == len(set(sections))


# -- commands --------------------------------------------------------------------------------------------------


def command_lines(text: str) -> Iterator[str]:
    """Every command that a document names, in a sentence or in a session."""
    yield from (span for span in code_spans(text) if span.startswith("citeloom "))
    for line in "".join(fences(text)).splitlines():
        if re.match(r"(?:\$ )?citeloom [a-z]", line):
            yield line.removeprefix("$ ")


def find(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that a line names, and its arguments."""
    command: click.Command = commands
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        named = command.get_command(click.Context(command), words[0])
        assert named, f"there is no command {words[0]}"
        command, words = named, words[1:]
    return command, words


@EVERY_DOCUMENT
def test_every_command_that_is_named_exists_and_its_options_too(name: str) -> None:
    for line in command_lines(TEXTS[name]):
        command, arguments = find(shlex.split(line, comments=True)[1:])
        if command.name == "mcp":
            assert all(option in USAGE for option in re.findall(r"--[a-z]+", line)), line
            continue
        assert not isinstance(command, click.Group) or command.invoke_without_command, line
        try:
            command.make_parser(click.Context(command)).parse_args(list(arguments))
        except click.UsageError as error:
            pytest.fail(f"{name}: {line}: {error.format_message()}")


def test_the_readme_names_commands() -> None:
    assert len([*command_lines(TEXTS["README.md"])]) >= 10


def every(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            inner = command.get_command(context, sub)
            assert inner, sub
            yield from every(inner, f"{name} {sub}")


def options(command: click.Command) -> set[str]:
    if command.name == "mcp":
        return set(re.findall(r"--[a-z]+", USAGE))
    return {name for parameter in command.params if isinstance(parameter, click.Option) for name in parameter.opts}


def test_the_reference_has_every_command_with_all_of_its_options() -> None:
    documented = {}
    for cells in rows(TEXTS["docs/cli.md"]):
        if line := re.match(r"`citeloom ([a-z ]+[a-z])", cells[0]):
            documented[f"citeloom {line[1]}"] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(cells)))
    known = {name: options(command) for name, command in every(commands, "citeloom") if name != "citeloom"}
    assert documented == known


def test_the_reference_has_every_rule_of_the_check_with_its_level() -> None:
    table = rows(section("docs/cli.md", "Rules of the manuscript check"))
    documented = {rule: level for rule_names, level, _ in table for rule in code_spans(rule_names)}
    assert documented == {rule: level for rule, (level, *_) in RULES.items()}


# -- settings --------------------------------------------------------------------------------------------------


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    shown = re.findall(r"```toml\n(.*?)```", TEXTS["docs/settings.md"], re.DOTALL)[0]
    file = tmp_path / "citeloom.toml"
    file.write_text(shown, encoding="utf-8")
    assert config.load(file).default_project == "thesis"


def test_the_reference_has_every_setting_with_its_default() -> None:
    known: dict[str, Any] = {}
    for part in dataclasses.fields(config.Settings):
        value = getattr(config.Settings(), part.name)
        if dataclasses.is_dataclass(value):
            known |= {f"{part.name}.{f.name}": getattr(value, f.name) for f in dataclasses.fields(value)}
        else:
            known[part.name] = value
    documented = {
        code_spans(name)[0]: tomllib.loads(f"value = {code_spans(default)[0]}")["value"]
        for name, default, _ in rows(section("docs/settings.md", "All settings"))
    }
    assert documented == {name: list(value) if isinstance(value, tuple) else value for name, value in known.items()}


# -- tools -----------------------------------------------------------------------------------------------------


def test_every_tool_named_in_the_readme_is_there() -> None:
    named = re.findall(r"`([a-z]+_[a-z_]+)`", TEXTS["README.md"])
    assert named and set(named) <= set(TOOLS)


def test_the_reference_lists_exactly_the_tools_there_are() -> None:
    assert {code_spans(cells[0])[0] for cells in linked(TEXTS["docs/tools.md"])} == set(TOOLS)


def linked(text: str) -> list[list[str]]:
    """The rows of the table that leads to the tools."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| [`")]


def about(tool: str) -> str:
    heading = "query and query_hybrid" if tool in ("query", "query_hybrid") else tool
    return section("docs/tools.md", heading)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_tool_is_described_with_its_arguments_and_results(tool: Tool) -> None:
    text = about(tool.name)
    arguments = {code_spans(cells[0])[0]: cells[1] for cells in rows(text) if len(cells) == 3}
    assert list(arguments) == list(tool.arguments.model_fields)
    for name, field in tool.arguments.model_fields.items():
        shown = str(field.default).lower() if isinstance(field.default, bool) else field.default
        if name != "top_k":  # the settings' default
            assert arguments[name] == ("" if shown in (None, PydanticUndefined) else str(shown)), name
    spans = set(code_spans(text))
    if "#a-document" in text and "documents" not in spans:
        spans |= set(code_spans(section("docs/tools.md", "A document")))
    assert set(tool.output["properties"]) - {"correlation_id"} <= spans


def test_the_shapes_are_described_with_all_of_their_fields() -> None:
    hit = outputs.QUERY["properties"]["items"]["items"]["properties"]
    documented = [name for cells in rows(section("docs/tools.md", "A hit")) for name in code_spans(cells[0])]
    assert sorted(documented) == sorted(hit)
    document = outputs.DOCUMENTS["properties"]["documents"]["items"]["properties"]
    assert set(code_spans(section("docs/tools.md", "A document"))) == set(document)
    assert set(code_spans(section("docs/tools.md", "Coverage"))) == set(
        outputs.QUERY["properties"]["coverage"]["properties"]
    )


def test_filters_errors_and_older_names_are_described_as_they_are() -> None:
    filters = section("docs/tools.md", "Filters")
    assert sorted(key for cells in rows(filters) for key in code_spans(cells[0])) == sorted(FILTER_KEYS)
    assert {span for span in code_spans(filters) if span.startswith("$")} == set(OPERATORS)
    codes = [code for cells in rows(section("docs/tools.md", "Error codes")) for code in code_spans(cells[0])]
    assert sorted(codes) == sorted(Code)
    assert set(code_spans(section("docs/tools.md", "Older names"))) - set(TOOLS) == set(OLDER_NAMES)


def test_the_toolsets_are_described_as_they_are() -> None:
    named = {span for span in code_spans(section("docs/tools.md", "Toolsets")) if span in TOOLS}
    assert named == {name for name, tool in TOOLS.items() if tool.toolset == "write"}
    table = [code_spans(cells[0])[0] for cells in linked(TEXTS["docs/tools.md"])]
    assert set(table[-3:]) == named


# -- figures ---------------------------------------------------------------------------------------------------


def test_every_measurement_has_its_figures_and_every_command_measures_something() -> None:
    text = TEXTS["docs/benchmarks.md"]
    named = [name for given in re.findall(r"CITELOOM_BENCH_ONLY=(\S+)", text) for name in given.split(",")]
    assert sorted(named) == sorted(_MEASUREMENTS)
