"""Splits converted documents into passages: by section and sentence, within the model's token limit, with exact pages.

Called by the worker process after conversion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeloom.conversion.text_tools import mean_confidence
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.section_names import section_roles
from citeloom.core.text.sentences import is_clause_end, sentences
from citeloom.core.types import OUTSIDE_BODY_TEXT, Block, BlockKind, Converted, Passage, TextSource

CountTokens = Callable[[Sequence[str]], list[int]]

_MIN_LAST = 30  # tokens; a shorter last passage is joined to its neighbour
_MIN_LIMIT = 16
_ANNOTATION_FIELDS = ("annotation", "annotation_type", "colour", "comment", "page_label", "position", "tags")


@dataclass(slots=True)
class _Unit:
    """Smallest unit of a passage: a sentence, a row of a table, a line of code."""

    text: str
    separator: str  # separator from the unit before
    block: Block
    lines: tuple[int, int] | None
    starts_paragraph: bool  # a paragraph begins here
    tokens: int = 0


@dataclass(slots=True)
class _Section:
    """Units that may share a passage."""

    path: tuple[str, ...]  # as the model reads it
    units: list[_Unit]
    extra: dict[str, Any]
    budget: int = 0  # tokens left for text


def chunk(doc: Converted, count_tokens: CountTokens, max_tokens: int) -> list[Passage]:
    """Cut a document into passages whose embedded text has at most max_tokens tokens."""
    special_tokens = count_tokens([""])[0]  # special tokens that the model adds
    if max_tokens < special_tokens + _MIN_LIMIT:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"A passage limit of {max_tokens} tokens is too small.",
            f"Use at least {special_tokens + _MIN_LIMIT}.",
        )

    def count(texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text without the special ones."""
        return [tokens - special_tokens for tokens in count_tokens(texts)] if texts else []

    room = max_tokens - special_tokens
    sections = _sections(doc)
    units = [unit for section in sections for unit in section.units]
    for unit, tokens in zip(units, count([unit.text for unit in units]), strict=True):
        unit.tokens = tokens
    _fit_headings(sections, count, room)
    labels = {page.number: page.label for page in doc.pages}
    done: dict[int, list[Passage]] = {}
    waiting = list(range(len(sections)))
    while waiting:
        for at in waiting:
            section = sections[at]
            section.units = _split_long(section.units, section.budget, count)
            done[at] = [_passage(section, units, labels) for units in _pack(section.units, section.budget)]
        # Sums of sentences are exact for word-based tokenizers only, so the whole is counted again.
        counts = iter(count([passage.embedded_text for at in waiting for passage in done[at]]))
        too_long = []
        for at in waiting:
            over = max(next(counts) for _ in done[at]) - room
            if over > 0 and sections[at].budget > 1:
                sections[at].budget = max(1, sections[at].budget - over)
                too_long.append(at)
        waiting = too_long
    passages = [passage for at in range(len(sections)) for passage in done[at]]
    return [replace(passage, index=index) for index, passage in enumerate(passages)]


# --- blocks to units --------------------------------------------------------------------


def _sections(doc: Converted) -> list[_Section]:
    """Group blocks into units that may share a passage: the text of a section; the notes or captions of a page."""
    sections: list[_Section] = []
    open_by: dict[tuple[object, ...], _Section] = {}  # open section by kind and position of its blocks
    for at, (block, role) in enumerate(zip(doc.blocks, section_roles(doc.blocks), strict=True)):
        if not block.text.strip():
            continue
        if block.kind is BlockKind.HEADING:
            following = doc.blocks[at + 1].section_path if at + 1 < len(doc.blocks) else ()
            open_by.clear()
            if following[: len(block.section_path)] == block.section_path:
                continue  # it is in the section path of the passages below
        # Notes and captions are grouped by page, so that their passage does not span pages in between.
        aside = (block.kind, block.page) if block.kind in OUTSIDE_BODY_TEXT else None
        own = at if block.extra.get("own_passage") else None
        key = (block.section_path, block.extra.get("class_name"), block.extra.get("function_name"), own, aside)
        section = open_by.get(key)
        if section is None or _skips_a_page(section, block):
            section = _Section(block.section_path, [], _extra(doc, block, role))
            sections.append(section)
            if aside is None:
                open_by = {known: s for known, s in open_by.items() if known[-1] is not None}
            if block.kind is not BlockKind.HEADING:
                open_by[key] = section
        section.units.extend(_units(block, first=not section.units))
    return sections


def _skips_a_page(section: _Section, block: Block) -> bool:
    """Return whether pages are skipped in between; a passage across them would claim pages without its text."""
    before = section.units[-1].block.page
    return before is not None and block.page is not None and block.page > before + 1


def _extra(doc: Converted, block: Block, role: str | None) -> dict[str, Any]:
    extra: dict[str, Any] = {
        name: block.extra[name] for name in ("class_name", "function_name", "header_level") if name in block.extra
    }
    if "annotation" in block.extra:
        extra["annotation"] = {name: block.extra[name] for name in _ANNOTATION_FIELDS if block.extra.get(name)}
    if doc.file_type == "markdown" and block.section_path:
        extra["header_path"] = " > ".join(block.section_path)
    if block.kind in OUTSIDE_BODY_TEXT:
        extra["beside"] = str(block.kind)
    if role:
        extra["section_role"] = role
    if role == "references":
        extra["references"] = True
    return extra


def _units(block: Block, first: bool) -> Iterator[_Unit]:
    separator = "" if first else (" " if block.continues else "\n\n")
    starts_paragraph = not block.continues
    end_before = 0
    by_line = block.kind in (BlockKind.TABLE, BlockKind.CODE)
    line_at, line = 0, block.lines[0] if block.lines else 0
    for start, end in _rows(block.text) if by_line else sentences(block.text):
        lines = None
        if block.lines:
            line += block.text.count("\n", line_at, start)
            last = line + block.text.count("\n", start, end)
            lines = (min(line, block.lines[1]), min(last, block.lines[1]))
            line_at = start
        if end_before:
            between = block.text[end_before:start]
            separator = re.sub(r"[^\n]", "", between) if by_line else between
        yield _Unit(block.text[start:end], separator, block, lines, starts_paragraph)
        end_before, starts_paragraph = end, False


def _rows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield start, start + len(line)
        start += len(line) + 1


# --- tokens -----------------------------------------------------------------------------


def _fit_headings(sections: list[_Section], count: CountTokens, room: int) -> None:
    """Shorten section paths to half of the token limit: outer headings are dropped first, then the innermost is cut."""
    paths = list(dict.fromkeys(section.path for section in sections if section.path))
    costs = count([f"{' > '.join(path)}\n" for path in paths])
    half = room // 2
    fitted: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {(): ((), 0)}
    for path, cost in zip(paths, costs, strict=True):
        short, short_cost = path, cost
        while short_cost > half:
            if len(short) > 1:
                short = short[1:]
            else:
                keep = min(len(short[0]) - 2, int(len(short[0]) * 0.9 * half / short_cost))
                short = (short[0][: max(1, keep)].rstrip() + "…",)
            [short_cost] = count([f"{' > '.join(short)}\n"])
            if len(short) == 1 and len(short[0]) <= 2:
                break
        fitted[path] = (short, short_cost)
    for section in sections:
        short, cost = fitted[section.path]
        if short != section.path:
            section.path = short
            section.extra["section_shortened"] = True
        section.budget = max(1, room - cost)


def _split_long(units: list[_Unit], budget: int, count: CountTokens) -> list[_Unit]:
    """Split units that exceed the budget; the parts have the lines of the unit."""
    result: list[_Unit] = []
    for unit in units:
        if unit.tokens <= budget:
            result.append(unit)
            continue
        for place, (text, separator, tokens) in enumerate(_cut(unit.text, budget, count)):
            if place == 0:
                result.append(replace(unit, text=text, tokens=tokens))
            else:
                result.append(replace(unit, text=text, separator=separator, starts_paragraph=False, tokens=tokens))
    return result


def _cut(text: str, budget: int, count: CountTokens) -> list[tuple[str, str, int]]:
    """Split a long text at clauses, words or letters; return text, separator before it and tokens of each piece."""
    atoms: list[tuple[str, str, int]] = []  # text, separator before, tokens
    words = [(match[2], match[1]) for match in re.finditer(r"(\s*)(\S+)", text)]
    for (word, separator), tokens in zip(words, count([word for word, _ in words]), strict=True):
        if tokens <= budget or len(word) == 1:
            atoms.append((word, separator, tokens))
            continue
        length = max(1, int(len(word) * budget / tokens))
        while True:
            letters = [word[i : i + length] for i in range(0, len(word), length)]
            part_tokens = count(letters)
            if length == 1 or max(part_tokens) <= budget:
                break
            length = max(1, length // 2)
        separators = [separator] + [""] * (len(letters) - 1)
        atoms.extend(zip(letters, separators, part_tokens, strict=True))
    pieces: list[tuple[str, str, int]] = []
    start = 0
    while start < len(atoms):
        end, total, clause = start, 0, 0
        while end < len(atoms) and (end == start or total + atoms[end][2] <= budget):
            total += atoms[end][2]
            end += 1
            if is_clause_end(atoms[end - 1][0]) and total >= 0.6 * budget:
                clause = end
        if end < len(atoms) and clause:
            end = clause
        chosen = atoms[start:end]
        body = chosen[0][0] + "".join(separator + word for word, separator, _ in chosen[1:])
        pieces.append((body, chosen[0][1], sum(tokens for _, _, tokens in chosen)))
        start = end
    return pieces


# --- units to passages ------------------------------------------------------------------


def _pack(units: list[_Unit], budget: int) -> list[list[_Unit]]:
    """Distribute units evenly over few passages, preferably split between paragraphs."""
    packs: list[list[_Unit]] = []
    remaining = sum(unit.tokens for unit in units)
    start = 0
    while start < len(units):
        passages_left = math.ceil(remaining / budget) or 1
        target = remaining / passages_left
        end, total = start, 0
        while end < len(units) and (end == start or total + units[end].tokens <= budget):
            if end > start and passages_left > 1 and total + units[end].tokens / 2 > target:
                break
            total += units[end].tokens
            end += 1
        if end < len(units):
            back, total_back = end, total
            while back > start + 1 and not units[back].starts_paragraph and total_back > 0.75 * target:
                back -= 1
                total_back -= units[back].tokens
            if back > start and units[back].starts_paragraph and total_back > 0.75 * target:
                end, total = back, total_back
        packs.append(units[start:end])
        remaining -= total
        start = end
    return _without_short_end(packs, budget)


def _without_short_end(packs: list[list[_Unit]], budget: int) -> list[list[_Unit]]:
    if len(packs) < 2 or sum(unit.tokens for unit in packs[-1]) >= min(_MIN_LAST, budget // 4):
        return packs
    both = packs[-2] + packs[-1]
    whole = sum(unit.tokens for unit in both)
    if whole <= budget:
        return [*packs[:-2], both]
    first, total = 1, both[0].tokens
    while first < len(both) - 1 and total + both[first].tokens <= whole / 2:
        total += both[first].tokens
        first += 1
    if whole - total > budget or total > budget:
        return packs
    return [*packs[:-2], both[:first], both[first:]]


def _passage(section: _Section, units: list[_Unit], labels: dict[int, str]) -> Passage:
    text = units[0].text + "".join(unit.separator + unit.text for unit in units[1:])
    extra = dict(section.extra)
    with_lines = [unit.lines for unit in units if unit.lines]
    if with_lines:
        extra["lines"] = [with_lines[0][0], with_lines[-1][1]]
    first, last = units[0].block.page, units[-1].block.page
    pages = range(first, last + 1) if first is not None and last is not None else range(0)
    source, confidence = _source(units)
    label = extra.get("annotation", {}).get("page_label")  # the label that the reader saw when annotating
    return Passage(
        index=0,
        text=text,
        section_path=section.path,
        page_start=first,
        page_end=last,
        page_labels=(label,) if label else tuple(labels.get(page, str(page)) for page in pages),
        text_source=source,
        ocr_confidence=confidence,
        extra=extra,
    )


def _source(units: list[_Unit]) -> tuple[TextSource, float | None]:
    """Return the text source of units, OCR if any is, and the mean OCR confidence by length."""
    recognised = [unit for unit in units if unit.block.text_source is TextSource.OCR]
    if not recognised:
        return units[0].block.text_source, None
    return TextSource.OCR, mean_confidence((unit.block.ocr_confidence, unit.text) for unit in recognised)
