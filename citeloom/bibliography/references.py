"""Loads the export of a reference manager: CSL-JSON, BibTeX or biblatex. Used by imports and projects."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from citeloom.bibliography.csl_json import record_from_csl
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import replace_lone_surrogates
from citeloom.core.types import Record

_REPAIR_STEP = "Correct the file, or export it again from your reference manager."
_EXPORT_STEP = "Export the library as CSL-JSON (in Zotero: 'CSL JSON' or 'Better CSL JSON') or as BibTeX."
_MAX_LISTED = 10  # duplicates listed in one message
_MAX_LOCATED = 3  # repeated entries listed for one citekey; finding the line of each costs a scan of the file
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class References:
    """The records of an export; those without a citekey are separate."""

    records: tuple[Record, ...]
    warnings: tuple[str, ...] = ()
    keyless: tuple[Record, ...] = ()  # their citekey is "": Zotero exports items without one until it is assigned


@dataclass(frozen=True, slots=True)
class _Located:
    """A record with its position in the file, for messages."""

    record: Record
    position: int  # from 1
    line: int | None = None

    def __str__(self) -> str:
        line = f" (line {self.line})" if self.line else ""
        return f"entry {self.position}{line} '{self.record.title or 'untitled'}'"


def load_references(path: Path, data: bytes | None = None) -> References:
    """Load a CSL-JSON or .bib file, or its content `data`; no entry is lost without an error or a warning."""
    text, warnings = _text(path, read_references(path) if data is None else data)
    load = _from_json if _is_json(path, text) else _from_bibtex
    located = load(path, text, warnings)
    located, repeated = _without_repeated(text, located)
    warnings += repeated
    keyless = [entry for entry in located if not entry.record.citekey]
    if keyless:
        listed = ", ".join(map(str, keyless[:3])) + (" …" if len(keyless) > 3 else "")
        warnings.append(f"{len(keyless)} of {len(located)} entries have no citekey: {listed}")
    if not located:
        warnings.append(f"{path.name} contains no entries")
    return References(
        records=tuple(entry.record for entry in located if entry.record.citekey),
        warnings=tuple(warnings),
        keyless=tuple(entry.record for entry in keyless),
    )


def read_references(path: Path, opened: Callable[[Path], BinaryIO] = lambda path: path.open("rb")) -> bytes:
    """Read the bytes of a references file."""
    try:
        with opened(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"There is no file {path}.",
            "Check the path of the references file.",
            path=str(path),
        ) from error
    except PermissionError as error:
        if not path.is_dir():  # what Windows answers for a folder
            raise CiteLoomError(
                Code.PERMISSION_DENIED, f"{path} may not be read.", "Allow reading the file.", path=str(path)
            ) from error
        raise _not_a_file(path) from error
    except OSError as error:
        raise _not_a_file(path) from error


def _text(path: Path, data: bytes) -> tuple[str, list[str]]:
    text, warning = _decode(data)
    warnings = [f"{path.name} {warning}"] if warning else []
    return text.replace("\r\n", "\n").replace("\r", "\n"), warnings


def _not_a_file(path: Path) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT, f"{path} cannot be read as a file.", "Choose a .json or .bib file.", path=str(path)
    )


def _decode(data: bytes) -> tuple[str, str]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        warning = f"is not UTF-8 (line {line}): read as Latin-1, so check its accented letters"
        try:
            # Most such files come from Windows; cp1252 has the quotes and dashes that Latin-1 lacks.
            return data.decode("cp1252"), warning
        except UnicodeDecodeError:
            return data.decode("latin-1"), warning


def _is_json(path: Path, text: str) -> bool:
    suffix = path.suffix.lower()
    if suffix in (".json", ".csljson"):
        return True
    if suffix in (".bib", ".bibtex", ".biblatex"):
        return False
    if text.lstrip().startswith(("[", "{")):
        return True
    if re.search(r"^\s*@\w+\s*[{(]", text, re.MULTILINE):
        return False
    raise CiteLoomError(
        Code.UNSUPPORTED_FORMAT, f"{path} is neither CSL-JSON nor BibTeX.", _EXPORT_STEP, path=str(path)
    )


def _from_json(path: Path, text: str, warnings: list[str]) -> list[_Located]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise _invalid(path, error.lineno, error.colno, error.msg) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, arrays without end
        raise _invalid(path, None, None, str(error)) from error
    if _LONE_SURROGATE.search(text):
        data = replace_lone_surrogates(data)
    items = data.get("items") if isinstance(data, dict) else data
    if not isinstance(items, list):
        raise _invalid(path, 1, 1, "it is not a list of CSL-JSON items", _EXPORT_STEP)
    located = []
    for position, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            raise _invalid(path, *_line_and_column(text, position), f"entry {position} is not an object", _EXPORT_STEP)
        if "itemType" in item or isinstance(item.get("data"), dict):
            reason = f"entry {position} is in Zotero's own format, not CSL-JSON"
            raise _invalid(path, *_line_and_column(text, position), reason, _EXPORT_STEP)
        located.append(_Located(record_from_csl(item), position))
    return located


def _from_bibtex(path: Path, text: str, warnings: list[str]) -> list[_Located]:
    # Imported here: bibtexparser is slow to load, and CSL-JSON does not need it.
    from citeloom.bibliography.bibtex.parser import MAX_PROBLEMS, read_bibtex
    from citeloom.bibliography.bibtex.reader import csl_from_entry
    from citeloom.bibliography.file_field import parse_file_field

    found = read_bibtex(text)
    if found.problems:
        first, *others = sorted(found.problems, key=lambda problem: (problem.line, problem.column))
        lines = [str(problem.line) for problem in others]
        more = "" if len(found.problems) < MAX_PROBLEMS else " and maybe more"
        also = f" Also malformed: line{'s' if len(lines) > 1 else ''} {', '.join(lines)}{more}." if lines else ""
        raise _invalid(path, first.line, first.column, first.reason, also=also)
    warnings += found.warnings
    parents = {entry.key: entry for entry in reversed(found.entries) if entry.key}  # of a repeated key, the first
    located = []
    for position, entry in enumerate(found.entries, start=1):
        if not entry.fields:
            warnings.append(f"line {entry.line}: entry '{entry.key}' has no fields")
        files = parse_file_field(entry.fields.get("file", ""))
        located.append(_Located(record_from_csl(csl_from_entry(entry, parents), files), position, entry.line))
    return located


def _without_repeated(text: str, located: Sequence[_Located]) -> tuple[list[_Located], list[str]]:
    """Return the first entry of each citekey and all entries without one, and a warning for each repeated citekey."""
    by_key: defaultdict[str, list[_Located]] = defaultdict(list)
    for entry in located:
        if entry.record.citekey:
            by_key[entry.record.citekey].append(entry)
    repeated = {key: entries for key, entries in by_key.items() if len(entries) > 1}
    warnings = [_repeated(text, key, entries) for key, entries in islice(repeated.items(), _MAX_LISTED)]
    if len(repeated) > len(warnings):
        warnings.append(f"{len(repeated) - len(warnings)} more citekeys are repeated; the first entry of each counts")
    kept = [e for e in located if not e.record.citekey or e is by_key[e.record.citekey][0]]
    return kept, warnings


def _repeated(text: str, key: str, entries: Sequence[_Located]) -> str:
    """Return the warning for entries that share a citekey."""
    first, *others = entries
    differing = [entry for entry in others if entry.record != first.record]
    shown = [
        replace(e, line=e.line or _line_and_column(text, e.position)[0]) for e in (differing or others)[:_MAX_LOCATED]
    ]
    named = ", ".join(map(str, shown))
    if more := len(differing or others) - len(shown):
        named += f" and {more} more"
    kept = replace(first, line=first.line or _line_and_column(text, first.position)[0])
    if differing:
        return (
            f"duplicate citekey '{key}': {kept} is kept, left out: {named}."
            " Give each work a citekey of its own, or remove the repeated entries"
        )
    return f"duplicate citekey '{key}': {kept} is taken once, the same again: {named}"


def _line_and_column(text: str, position: int) -> tuple[int | None, int | None]:
    """Return line and column of an item in a JSON file; positions count from 1."""
    opening = re.match(r"\s*\[", text) or re.search(r'"items"\s*:\s*\[', text)
    if opening is None:
        return None, None
    at, decoder = opening.end(), json.JSONDecoder()
    for number in range(1, position + 1):
        between = re.compile(r"[\s,]*").match(text, at)
        at = between.end() if between else at
        if number < position:
            _, at = decoder.raw_decode(text, at)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _invalid(
    path: Path,
    line: int | None,
    column: int | None,
    reason: str,
    next_step: str = _REPAIR_STEP,
    *,
    also: str = "",
) -> CiteLoomError:
    place = f", line {line}, column {column}" if line else ""
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"{path}{place}: {reason}.{also}",
        next_step,
        path=str(path),
        line=line,
        column=column,
        reason=reason,
    )
