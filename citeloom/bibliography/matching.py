"""Matches a document to a record of a references file by path, file name, DOI or title. Used by imports."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citeloom.bibliography.csl_json import normalise_doi
from citeloom.core.text.normalize import fold
from citeloom.core.types import Record

_TITLE_REGION = 1500  # normalised characters at the top of the first page that are searched for a title
_MAX_TITLE = 600
# Titles are indexed by their first letters: by 24, since a thousand works begin "The effect of", or by the
# 8 that a title of 15 characters with single spaces has at least.
_PREFIX_LENGTHS = (24, 8)
_MIN_WORDS, _MIN_CHARACTERS = 3, 15
# File names that publishers and scanners give to any work.
_GENERIC_NAMES = frozenset({
    "article", "document", "download", "file", "full", "fulltext", "main", "manuscript", "paper", "pdf", "scan",
})  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Match:
    """The record of a document, and by what it was found."""

    record: Record
    by: Literal["file", "name", "doi", "title"]  # "file": the path in the record; "name": the same file name elsewhere


@dataclass(frozen=True, slots=True)
class _FoldedText:
    """A text reduced to letters and digits, so that hyphenation, line breaks and punctuation do not hide a title."""

    text: str
    starts: tuple[int, ...]  # where words begin
    ends: frozenset[int]  # where words end


class Matcher:
    """Finds the record of a document among those of a references file in the folder `base`."""

    def __init__(self, records: Sequence[Record], base: Path) -> None:
        self._base = base
        self._by_path: defaultdict[str, list[Record]] = defaultdict(list)
        self._by_name: defaultdict[str, list[Record]] = defaultdict(list)
        self._by_doi: defaultdict[str, list[Record]] = defaultdict(list)
        self._by_title: defaultdict[str, list[Record]] = defaultdict(list)
        self._titles_by_start: defaultdict[str, set[str]] = defaultdict(set)
        for record in records:
            self._add(record)

    def match(self, path: Path, dois: Sequence[str], title: str, first_text: str) -> Match | None:
        """Return the record of a document, or None if none or more than one fits."""
        path_key = _path_key(path)
        if record := _single(self._by_path.get(path_key, ())):
            return Match(record, "file")
        named = () if path.stem.lower() in _GENERIC_NAMES else self._by_name.get(_name_key(path.name), ())
        if path_key not in self._by_path and (record := _single(named)):
            return Match(record, "name")
        # Room for a title that begins within the region and ends beyond it, and for what normalising drops.
        head = _folded_text(first_text[: 4 * (_TITLE_REGION + _MAX_TITLE)])
        by_title = self._with_title(title, head)
        by_doi = self._with_doi(dois, title, first_text, head)
        # A first page may cite the DOI of another work. If the title at the top belongs to a record that
        # has no DOI, and the title of the DOI's record is not there, the title decides.
        if by_doi and (by_title is None or by_title.doi is not None or _occurs(_title_key(by_doi.title), head)):
            return Match(by_doi, "doi")
        return Match(by_title, "title") if by_title else None

    def _add(self, record: Record) -> None:
        for file in record.files:
            _append(self._by_path[_path_key(_resolved(file, self._base))], record)
            _append(self._by_name[_name_key(file)], record)
        if record.doi and (doi := normalise_doi(record.doi)):
            self._by_doi[doi].append(record)
        if key := _title_key(record.title):
            self._by_title[key].append(record)
            words = _words(record.title)
            if len(words) >= _MIN_WORDS and len(" ".join(words)) >= _MIN_CHARACTERS:
                self._titles_by_start[next(key[:n] for n in _PREFIX_LENGTHS if len(key) >= n)].add(key)

    def other_files(self, record: Record, path: Path) -> list[Path]:
        """Return the existing files that a record names, except this one."""
        own = _path_key(path)
        paths = [_resolved(file, self._base) for file in record.files]
        return [other for other in paths if _path_key(other) != own and _is_file(other)]

    def _with_doi(self, dois: Sequence[str], title: str, first_text: str, head: _FoldedText) -> Record | None:
        known = [doi for doi in map(normalise_doi, dois) if doi and doi in self._by_doi]
        page = first_text.lower()
        positions = {doi: at for doi in known if (at := _position_of_doi(doi, page)) is not None}
        on_page = [record for doi in sorted(positions, key=positions.__getitem__) for record in self._by_doi[doi]]
        if len(on_page) > 1:
            wanted = _title_key(title)
            titled = [r for r in on_page if (key := _title_key(r.title)) and (_occurs(key, head) or key == wanted)]
            on_page = titled or on_page
        if len(on_page) > 1 and on_page[0].doi == on_page[1].doi:
            return None  # two records with the same DOI, and no title to choose by
        return on_page[0] if on_page else None

    def _with_title(self, title: str, head: _FoldedText) -> Record | None:
        if same := self._by_title.get(_title_key(title)):
            return _single(same)
        found: list[tuple[int, int, str]] = []
        for start in head.starts:
            if start >= _TITLE_REGION:
                break
            for letters in _PREFIX_LENGTHS:
                for key in self._titles_by_start.get(head.text[start : start + letters], ()):
                    if _occurs_at(key, head, start):
                        found.append((start, start + len(key), key))
        # "Quotation errors" inside "Quotation errors in law" is not a match of its own.
        keys = {
            key
            for start, end, key in found
            if not any(s <= start and end <= e and e - s > end - start for s, e, _ in found)
        }
        return _single(self._by_title[keys.pop()]) if len(keys) == 1 else None


def _append(records: list[Record], record: Record) -> None:
    if not any(known is record for known in records):
        records.append(record)


def _single(records: Sequence[Record]) -> Record | None:
    return records[0] if len(records) == 1 else None


def _resolved(file: str, base: Path) -> Path:
    try:
        return base / Path(file).expanduser()
    except RuntimeError:  # the home folder of an unknown user
        return base / file


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a character that paths cannot have
        return False


def _path_key(path: Path) -> str:
    try:
        path = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a character that paths cannot have
        path = path.absolute()
    return unicodedata.normalize("NFC", os.path.normcase(path))


def _name_key(path: str) -> str:
    # The record may come from Windows, and the file may have moved.
    return unicodedata.normalize("NFC", os.path.normcase(re.split(r"[\\/]", path)[-1]))


def _position_of_doi(doi: str, page: str) -> int | None:
    """Return the position of a whole DOI in a page's text, even if it is broken across lines after punctuation."""
    parts = re.split(r"(?<=[/.\-_])", doi)
    found = re.search(r"(?<!\d)" + r"\s*".join(map(re.escape, parts)) + r"(?![^\w\s]?\w)", page)
    return found.start() if found else None


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _title_key(title: str) -> str:
    return "".join(_words(title))


def _folded_text(text: str) -> _FoldedText:
    words = _words(text)
    starts, ends, at = [], set(), 0
    for word in words:
        starts.append(at)
        at += len(word)
        ends.add(at)
    return _FoldedText("".join(words), tuple(starts), frozenset(ends))


def _occurs(key: str, page: _FoldedText) -> bool:
    """Whether a title occurs in the region at the top of the page."""
    return bool(key) and any(_occurs_at(key, page, start) for start in page.starts if start < _TITLE_REGION)


def _occurs_at(key: str, page: _FoldedText, start: int) -> bool:
    """Whether a title occurs at `start` as whole words; a footnote number may follow its last word."""
    if not page.text.startswith(key, start):
        return False
    end = start + len(key)
    footnote = page.text[end : end + 1].isdigit() and not key[-1].isdigit() and end + 1 in page.ends
    return end in page.ends or footnote
