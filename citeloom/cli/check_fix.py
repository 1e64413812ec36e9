"""`citeloom check --fix`: corrects renamed keys and wrong pages in place, and changes nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click

from citeloom.api.evidence import CheckReport, ManuscriptEdit
from citeloom.cli.check_run import CheckedManuscript, check_one
from citeloom.cli.shared.output import count, line
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file

_NOTHING_WRITTEN = "Nothing was written."
_FIXABLE_RULES = ("renamed-key", "wrong-page")
_CONTEXT_CHARACTERS = 60  # characters shown beside a change: a paragraph is often one long line
_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def fix(manuscript: CheckedManuscript, project: str | None, *, ask_first: bool) -> CheckedManuscript:
    """Show the edits that a manuscript needs, write them if confirmed, and return the check of the result."""
    report = manuscript.report
    if report is None or not report.counts.error:
        return manuscript
    edits = sorted(report.edits, key=lambda edit: edit.start)
    if not report.fixable or not edits:
        click.echo(f"{manuscript.name}: {_why_not(report)}")
        return manuscript
    try:
        before = _unchanged_content(manuscript.path, report.sha256)
        after = with_edits(before, report.encoding, edits)
        for shown in difference(manuscript.name, before.decode(report.encoding), edits):
            line((shown, "bold" if shown.startswith(("---", "+++")) else _COLOURS[shown[0]]))
        if ask_first and not _confirmed(manuscript.name, len(edits)):
            return manuscript
        atomic_file.replace(Path(manuscript.path), before, after)
    except CiteLoomError as error:
        click.echo(f"{manuscript.name}: not corrected: {error}", err=True)
        return manuscript
    rechecked = check_one(manuscript.name, project, "Checking again")
    remaining = rechecked.report is not None and rechecked.report.findings
    click.echo(f"{manuscript.name}: corrected in {count(len(edits), 'place')}{'; left for you:' if remaining else '.'}")
    return rechecked


def with_edits(before: bytes, encoding: str, edits: Sequence[ManuscriptEdit]) -> bytes:
    """Apply the edits, which must be in order, to a manuscript's bytes; every other byte stays the same."""
    text = before.decode(encoding)
    in_place = all(text[edit.start : edit.end] == edit.old for edit in edits)
    disjoint = all(before.end <= after.start for before, after in pairwise(edits))
    if not in_place or not disjoint or text.encode(encoding) != before:
        raise CiteLoomError(Code.INTERNAL_ERROR, "The text to correct is not where it was found.", _NOTHING_WRITTEN)
    pieces, end = [], 0
    for edit in edits:
        pieces += [text[end : edit.start], edit.new]
        end = edit.end
    try:
        return "".join((*pieces, text[end:])).encode(encoding)
    except UnicodeEncodeError as error:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"Its encoding, {encoding}, has no character {error.object[error.start]!r}.",
            f"Save it as UTF-8, then try again. {_NOTHING_WRITTEN}",
        ) from error


def difference(name: str, text: str, edits: Sequence[ManuscriptEdit]) -> Iterator[str]:
    """Return the lines of a unified diff of the edits; long lines are cut to the context of a change."""
    yield f"--- {name}"
    yield f"+++ {name}"
    remaining_edits = list(edits)[::-1]
    number, reached, longer = 1, 0, 0
    while remaining_edits:
        begin = text.rfind("\n", 0, remaining_edits[-1].start) + 1
        number, reached = number + text.count("\n", reached, begin), begin
        old: list[str] = []
        new: list[str] = []
        end = begin
        # Edits in the same line are shown together.
        while remaining_edits and "\n" not in text[end : remaining_edits[-1].start]:
            edit = remaining_edits.pop()
            between = _cut(text[end : edit.start], first=end == begin)
            old += (between, edit.old)
            new += (between, edit.new)
            end = edit.end
        stop = text.find("\n", end)
        rest = _cut(text[end : stop if stop >= 0 else len(text)], last=True)
        olds, news = ("".join((*pieces, rest)).split("\n") for pieces in (old, new))
        yield f"@@ -{_range(number, olds)} +{_range(number + longer, news)} @@"
        yield from (f"-{text}" for text in olds)
        yield from (f"+{text}" for text in news)
        longer += len(news) - len(olds)


def _range(number: int, lines: Sequence[str]) -> str:
    return str(number) if len(lines) == 1 else f"{number},{len(lines)}"


def _cut(text: str, *, first: bool = False, last: bool = False) -> str:
    """Return the text next to or between changes, shortened, at word boundaries if possible."""
    before, after = (0 if first else _CONTEXT_CHARACTERS), (0 if last else _CONTEXT_CHARACTERS)
    if len(text) <= before + after + 3:
        return text
    head = re.sub(r"(?<=\S)\s+\S{0,20}\Z", " ", text[:before])
    tail = re.sub(r"\A\S{0,20}\s+(?=\S)", " ", text[len(text) - after :])
    return f"{head}…{tail}"


def _why_not(report: CheckReport) -> str:
    if report.fixable or not any(finding.rule in _FIXABLE_RULES for finding in report.findings):
        return "nothing here can be corrected automatically:"
    if report.format == "docx":
        return "a Word document is corrected in Word: click the citation, then Add/Edit Citation in the Zotero tab:"
    return "it cannot be written back as it was read. Save it as UTF-8, then try again:"


def _confirmed(name: str, places: int) -> bool:
    if sys.stdin.isatty():
        return click.confirm(f"Write this to {name} ({count(places, 'place')})?")
    click.echo(f"{_NOTHING_WRITTEN} There is no terminal for a confirmation: add --yes to write it.", err=True)
    return False


def _unchanged_content(path: str, sha256: str | None) -> bytes:
    atomic_file.check_writable(Path(path))
    content = atomic_file.read(Path(path))
    if content is None or atomic_file.fingerprint(content) != sha256:
        raise CiteLoomError(
            Code.INVALID_INPUT, "It was changed while it was being checked.", f"Run it again. {_NOTHING_WRITTEN}"
        )
    return content
