"""Joins lines to paragraphs, also across columns and pages. Called by the PDF reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from citeloom.conversion.pdf.heading_candidates import Heading
from citeloom.conversion.pdf.reading_order import Line, Region, RegionKind
from citeloom.conversion.pdf.tables import table_rows
from citeloom.conversion.text_tools import Vocabulary
from citeloom.core.text.markdown_table import as_markdown
from citeloom.core.types import BlockKind

_ITEM = re.compile(r"^(?:[•▪■●◦‣∙–—*]\s|\[\d{1,3}\]\s|\(\d{1,2}\)\s|\d{1,3}[.)]\s+[^\W\d_])")
_MARKED_ITEM = re.compile(r"^(?:[•▪■●◦‣∙]\s|\[\d{1,3}\]\s)")
_CAPTION = re.compile(r"^(?:table|figure|fig\.?|tabelle|abbildung|abb\.|tab\.)\s*[\dIVX]+", re.I)
_CAPTION_START = re.compile(_CAPTION.pattern + r"[a-z]?\s*(?:[.:|–—]|$)", re.I)
_TABLE_CAPTION = re.compile(r"^tab", re.I)
_LABEL_WORDS, _SMALL_LABEL_WORDS = 4, 10  # at most, of a label in a figure: in the type of the text, and smaller
_NOTE_MARK = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z])[.)]?\s*(?=[^\W\d_]|[\"“‘'(])", re.I)
_FOOTNOTE_AREA = 0.45  # share of the page's height below which a footnote may begin
_ASIDES = {
    RegionKind.CAPTION: BlockKind.CAPTION,
    RegionKind.FOOTNOTE: BlockKind.FOOTNOTE,
    RegionKind.FIGURE: BlockKind.FIGURE,
}
_FINISHED = re.compile(r"[.!?:…][\"'”’»)\]\d]*$")


@dataclass(slots=True)
class Paragraph:
    """A paragraph, heading or table on one page."""

    kind: BlockKind
    text: str
    page: int
    size: float
    level: int | None = None  # of a heading
    fills_line: bool = False  # its last line reaches the right margin: it may continue elsewhere
    indented: bool = False  # its first line is indented: a paragraph begins here
    continues: bool = False
    aside: bool = False  # printed sideways, outside the flow of the text
    lines: list[Line] = field(default_factory=list)


def page_paragraphs(
    regions: list[Region], headings: dict[int, Heading], vocabulary: Vocabulary, body: float, height: float
) -> list[Paragraph]:
    """Return the paragraphs of a page in reading order, joined across column breaks."""
    result: list[Paragraph] = []
    for region in regions:
        if region.kind is RegionKind.TABLE:
            found = [_table_of_model(region, result)]
        elif region.kind in _ASIDES and not any(id(line) in headings for line in region.lines):
            found = _aside(region, _ASIDES[region.kind], vocabulary)
        else:
            found = _region_paragraphs(region, headings, vocabulary)
            _classify_asides(found, body, height)
            found = _with_captions(found, body)
        if result and found:
            before, after = find_continuation(result, found, body)
            if before is not None and after is not None:
                result[before].text = vocabulary.join(result[before].text, found[after].text)
                result[before].fills_line = found[after].fills_line
                result[before].lines.extend(found[after].lines)
                result.append(result.pop(before))
                del found[after]
        result.extend(found)
    return result


def _table_of_model(region: Region, before: list[Paragraph]) -> Paragraph:
    """Return a table that a layout model found, with the caption right before it."""
    lines, caption = region.lines, ""
    if before and before[-1].kind is BlockKind.CAPTION:
        own = before.pop()
        lines, caption = own.lines + lines, own.text
    return Paragraph(BlockKind.TABLE, as_markdown(region.rows, caption), lines[0].page, lines[0].size, lines=lines)


def _aside(region: Region, kind: BlockKind, vocabulary: Vocabulary) -> list[Paragraph]:
    """Return notes one by one, a caption or the labels of a figure as one paragraph."""
    found = _prose(region.lines, region, vocabulary)
    if kind is not BlockKind.FOOTNOTE and len(found) > 1:
        text = " ".join(paragraph.text for paragraph in found)
        found = [Paragraph(kind, text, found[0].page, found[0].size, lines=region.lines)]
    for paragraph in found:
        paragraph.kind = kind
    return found


def _classify_asides(paragraphs: list[Paragraph], body: float, height: float) -> None:
    """Classify captions and footnotes among a region's paragraphs by their first words, type and position."""
    for paragraph in paragraphs:
        if paragraph.kind is not BlockKind.TEXT or not paragraph.lines:
            continue
        small = paragraph.size <= body - 0.8
        if _CAPTION_START.match(paragraph.text):
            paragraph.kind = BlockKind.CAPTION
        elif small and paragraph.lines[0].y < _FOOTNOTE_AREA * height and _NOTE_MARK.match(paragraph.text):
            paragraph.kind = BlockKind.FOOTNOTE


def _with_captions(paragraphs: list[Paragraph], body: float) -> list[Paragraph]:
    """Join a table with the caption above it, and the labels of a figure above its caption to one aside."""
    result: list[Paragraph] = []
    for paragraph in paragraphs:
        before = result[-1] if result else None
        if paragraph.kind is BlockKind.TABLE and before and before.kind is BlockKind.CAPTION:
            if _TABLE_CAPTION.match(before.text):
                result.pop()
                paragraph.text = f"{before.text}\n\n{paragraph.text}"
                paragraph.lines = before.lines + paragraph.lines
        elif paragraph.kind is BlockKind.CAPTION and not _TABLE_CAPTION.match(paragraph.text):
            labels: list[Paragraph] = []
            while result and _is_label(result[-1], body):
                labels.insert(0, result.pop())
            if labels:
                lines = [line for label in labels for line in label.lines]
                text = " ".join(label.text for label in labels)
                result.append(Paragraph(BlockKind.FIGURE, text, labels[0].page, labels[0].size, lines=lines))
        result.append(paragraph)
    return result


def _is_label(paragraph: Paragraph, body: float) -> bool:
    """Return whether a paragraph looks like words inside a figure: few of them, or with wide gaps in every line."""
    if paragraph.kind not in (BlockKind.TEXT, BlockKind.FOOTNOTE) or not paragraph.lines:
        return False
    most = _SMALL_LABEL_WORDS if paragraph.size <= body - 0.8 else _LABEL_WORDS
    return len(paragraph.text.split()) <= most or all(line.cells > 1 for line in paragraph.lines)


def _region_paragraphs(region: Region, headings: dict[int, Heading], vocabulary: Vocabulary) -> list[Paragraph]:
    result: list[Paragraph] = []
    text_lines: list[Line] = []
    for line in region.lines:
        heading = headings.get(id(line))
        if heading is None:
            text_lines.append(line)
            continue
        result.extend(_text_paragraphs(text_lines, region, vocabulary))
        text_lines = []
        if line is heading.lines[0]:  # its other lines may be in a separate region
            result.append(
                Paragraph(BlockKind.HEADING, heading.text, line.page, line.size, heading.level, lines=heading.lines)
            )
    result.extend(_text_paragraphs(text_lines, region, vocabulary))
    return result


def _text_paragraphs(lines: list[Line], region: Region, vocabulary: Vocabulary) -> list[Paragraph]:
    result: list[Paragraph] = []
    prose: list[Line] = []
    at = 0
    while at < len(lines):
        end, cells = _table(lines, at)
        if not cells:
            prose.append(lines[at])
            at += 1
            continue
        result.extend(_prose(prose, region, vocabulary))
        prose = []
        table = lines[at:end]
        result.append(Paragraph(BlockKind.TABLE, as_markdown(cells), table[0].page, table[0].size, lines=table))
        at = end
    result.extend(_prose(prose, region, vocabulary))
    return [paragraph for paragraph in result if paragraph.text]


def _table(lines: list[Line], start: int) -> tuple[int, list[list[str]]]:
    """Return the end and the cells of a table that starts at this line: consecutive rows of three or more cells."""
    end = start
    counts: list[int] = []
    while end < len(lines):
        count = lines[end].cells
        if count < 2:
            # A cell with two lines leaves a short line between the rows.
            table = lines[start]
            short = lines[end].x1 - lines[end].x0 < 0.4 * (table.x1 - table.x0)
            goes_on = end + 1 < len(lines) and lines[end + 1].cells >= 3
            if not (counts and short and (goes_on or _continues_cell(lines[end - 1], lines[end]))):
                break
        counts.append(count)
        end += 1
    if len(counts) < 3 or median(counts) < 3:
        return start, []
    return end, table_rows([word for line in lines[start:end] for word in line.words])


def _continues_cell(row: Line, line: Line) -> bool:
    """Return whether a line goes on with a cell of the row above it: close, and not with a capital."""
    return row.y - line.y <= 1.5 * line.size and (line.text[:1].islower() or line.text.startswith("("))


def _prose(lines: list[Line], region: Region, vocabulary: Vocabulary) -> list[Paragraph]:
    if not lines:
        return []
    ends = sorted(line.x1 for line in lines)
    right = ends[int(0.9 * (len(ends) - 1))] if len(ends) > 3 else max(region.x1, ends[-1])
    margin = _left_margin(lines)
    gaps = [a.y - b.y for a, b in pairwise(lines) if abs(a.size - b.size) < 0.6 and a.y > b.y]
    leading = median(gaps) if gaps else 1.2 * lines[0].size
    # Wide leading must not hide the gaps between paragraphs, and a sparse region (a title page) not define the leading.
    leading = min(leading, 2.2 * median(line.size for line in lines))
    hanging = _is_hanging(lines, margin)
    groups: list[list[Line]] = [[lines[0]]]
    for line in lines[1:]:
        if _begins_paragraph(line, groups[-1], margin=margin, right=right, leading=leading, hanging=hanging):
            groups.append([line])
        else:
            groups[-1].append(line)
    result = []
    for group in groups:
        text = ""
        for line in group:
            text = vocabulary.join(text, line.text.strip())
        last = group[-1]
        result.append(
            Paragraph(
                BlockKind.TEXT,
                re.sub(r"\u00ad", "", text).strip(),
                group[0].page,
                max(Counter(line.size for line in group).items(), key=lambda item: (item[1], item[0]))[0],
                fills_line=last.x1 >= right - 0.06 * (right - margin),
                indented=not hanging and group[0].x0 > margin + 0.6 * group[0].size,
                lines=list(group),
            )
        )
    return result


def _left_margin(lines: list[Line]) -> float:
    """Return the x at which most lines begin; of two frequent ones, the left."""
    places = Counter(round(line.x0 / 2) for line in lines)
    needed = max(2, 0.15 * len(lines))
    frequent = [place for place, count in places.items() if count >= needed]
    return 2.0 * min(frequent) if frequent else min(line.x0 for line in lines)


def _is_hanging(lines: list[Line], margin: float) -> bool:
    """Return whether entries have a hanging indent, as in lists of references."""
    inset = [line.x0 > margin + 0.6 * line.size for line in lines]
    done = [bool(_FINISHED.search(line.words[-1].text)) for line in lines]
    pairs = [(a, b) for (a, b), end in zip(pairwise(inset), done, strict=False) if not end]
    # An indented first line follows a finished line; with a hanging indent, a sentence continues in the indented line.
    turns = sum(b and not a for a, b in pairs)
    at_margin = sum(not a and not b for a, b in pairs)
    return turns >= 2 and at_margin < turns and sum(inset) >= 0.2 * len(inset)


def _begins_paragraph(
    line: Line, group: list[Line], *, margin: float, right: float, leading: float, hanging: bool
) -> bool:
    before = group[-1]
    text = line.text
    gap = before.y - line.y
    if abs(line.size - before.size) >= 0.8 and len(line.words) > 1 and len(before.words) > 1:
        return True
    if gap > 1.35 * max(leading, line.size) or gap < -0.5 * line.size:
        return True
    finished = bool(_FINISHED.search(before.words[-1].text))
    if _MARKED_ITEM.match(text) and (line.x0 <= group[0].x0 + 0.5 * line.size or finished):
        return True
    if _ITEM.match(text) and finished:  # otherwise a sentence that happens to continue with a number
        return True
    inset = line.x0 > margin + 0.6 * line.size
    was_inset = before.x0 > margin + 0.6 * before.size
    if hanging:
        return not inset
    if inset and len(group) == 1 and line.x0 > before.x0 and _ITEM.match(before.text):
        return False
    if inset and not was_inset and line.x0 < margin + 5 * line.size:
        return True
    if was_inset and not inset and len(group) >= 2 and abs(group[-2].x0 - before.x0) < 2:
        return True  # the end of an indented quotation
    first = line.words[0]
    free_width = right - before.x1
    ended_early = free_width > 0.3 * line.size + (first.x1 - first.x0) + 0.02 * (right - margin)
    if not ended_early or not (text[:1].isupper() or text[:1].isdigit() or not text[:1].isalnum()):
        return False
    return finished or before.x1 < margin + 0.7 * (right - margin)


def find_continuation(before: list[Paragraph], after: list[Paragraph], body: float) -> tuple[int | None, int | None]:
    """Return the indexes of a paragraph at the end of one column and its continuation in the next, if any.

    Footnotes, captions and tables may be between the two halves.
    """
    ends = _first_running(before, reversed(range(len(before))), body)
    starts = _first_running(after, range(len(after)), body)
    for first in dict.fromkeys((len(before) - 1, ends)):
        for second in dict.fromkeys((0, starts)):
            if first is not None and second is not None and _continues(before[first], after[second]):
                return first, second
    return None, None


def _first_running(paragraphs: list[Paragraph], order: Iterable[int], body: float) -> int | None:
    """Return the first paragraph of running text in this order; notes and tables are skipped, headings not."""
    for at in order:
        paragraph = paragraphs[at]
        if paragraph.kind is BlockKind.HEADING:
            return None
        if paragraph.kind is BlockKind.TEXT and paragraph.size > body - 0.7 and not _CAPTION.match(paragraph.text):
            return at
    return None


def _continues(before: Paragraph, after: Paragraph) -> bool:
    if before.kind is not BlockKind.TEXT or after.kind is not BlockKind.TEXT:
        return False
    if abs(before.size - after.size) > 0.5 or _CAPTION.match(before.text) or _CAPTION.match(after.text):
        return False
    lower = after.text[:1].islower()
    if _ITEM.match(after.text) or (_FINISHED.search(before.text) and not (lower and before.text[-1] == ":")):
        return False
    if lower or before.text.endswith("-"):
        return before.fills_line or not after.indented
    return before.fills_line and not after.indented
