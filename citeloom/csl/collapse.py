"""Joins and collapses the cites of one citation: [1–3], (Doe, 2000a, 2000b; Roe, 1999). Used by the processor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citeloom.csl.context import RenderContext, layout_of
from citeloom.csl.terms import Terms


@dataclass(slots=True)
class RenderedCite:
    """A rendered cite and the context in which it was rendered."""

    context: RenderContext
    text: str

    @property
    def bare(self) -> bool:
        """Whether the cite has no locator, prefix or suffix."""
        cite = self.context.cite
        return not (cite.locator or cite.prefix or cite.suffix)

    @property
    def year_suffix(self) -> str:
        """The letter after the year."""
        return self.context.disambiguation.year_suffix


def join_cites(
    area: Any, pieces: list[RenderedCite], terms: Terms, without_names: Callable[[RenderContext], RenderedCite]
) -> str:
    """Join the cites of one citation and collapse them as the style demands."""
    delimiter: str = layout_of(area).get("delimiter", "")
    collapse = area.get("collapse", "")
    pieces = [piece for piece in pieces if piece.text]
    if collapse == "citation-number":
        return delimiter.join(_number_ranges(pieces, terms))
    if not collapse and area.get("cite-group-delimiter") is None:
        return _join(pieces, delimiter)
    within = area.get("cite-group-delimiter", ", " if collapse else delimiter)
    after = area.get("after-collapse-delimiter", delimiter)
    text = ""
    collapsed = False
    for group in _by_names(pieces):
        if text:
            text += after if collapsed else delimiter
        collapsed = len(group) > 1 and bool(collapse)
        if not collapsed:
            text += within.join(piece.text for piece in group)
            continue
        years = [group[0], *(without_names(piece.context) for piece in group[1:])]
        if collapse == "year":
            text += _years(years, within, after)
        else:
            between = area.get("year-suffix-delimiter", area.get("cite-group-delimiter", delimiter))
            text += _year_suffixes(years, within, between, ranged=collapse.endswith("ranged"))
    return text


def _join(pieces: list[RenderedCite], delimiter: str) -> str:
    """Join cites by the delimiter, except where a prefix brings its own punctuation."""
    text = ""
    for piece in pieces:
        if text and not piece.context.cite.prefix.startswith((",", ".", ";")):
            text += " " if text.endswith((",", ";")) else delimiter
        text += piece.text
    return text


def _years(group: list[RenderedCite], within: str, after: str) -> str:
    """Join years: 2000, 2001. After a locator the stronger delimiter is used: 1999, 328; 2000, 475."""
    gaps = [after if piece.context.cite.locator else within for piece in group[:-1]]
    return "".join(piece.text + gap for piece, gap in zip(group, [*gaps, ""], strict=True))


def _year_suffixes(group: list[RenderedCite], within: str, between: str, *, ranged: bool) -> str:
    """Join years and year suffixes: 2000a,b or 2000a–c, 2001."""
    text = group[0].text
    i = 1
    while i < len(group):
        before, piece = group[i - 1], group[i]
        if not _same_year(before, piece):
            text += within + piece.text
            i += 1
            continue
        end = i
        while ranged and end + 1 < len(group) and _follows(group[end], group[end + 1]):
            end += 1
        if ranged and end > i and _follows(before, piece):
            text += "–" + group[end].year_suffix
            i = end + 1
        else:
            text += between + piece.year_suffix
            i += 1
    return text


def _number_ranges(pieces: list[RenderedCite], terms: Terms) -> list[str]:
    texts = []
    i = 0
    while i < len(pieces):
        end = i
        while (
            end + 1 < len(pieces)
            and pieces[end].bare
            and pieces[end + 1].bare
            and pieces[end + 1].context.number == pieces[end].context.number + 1
        ):
            end += 1
        if end - i >= 2:
            texts.append(pieces[i].text + (terms.get("citation-range-delimiter") or "–") + pieces[end].text)
        else:
            texts += [piece.text for piece in pieces[i : end + 1]]
        i = end + 1
    return texts


def _by_names(pieces: list[RenderedCite]) -> list[list[RenderedCite]]:
    groups: dict[str, list[RenderedCite]] = {}
    for i, piece in enumerate(pieces):
        names, cite = piece.context.first_names, piece.context.cite
        alone = not names or cite.prefix or cite.suffix
        groups.setdefault(f"#{i}" if alone else str(names), []).append(piece)
    return list(groups.values())


def _same_year(before: RenderedCite, piece: RenderedCite) -> bool:
    pieces = (before, piece)
    return all(one.year_suffix and one.bare for one in pieces) and _year(before) == _year(piece)


def _year(piece: RenderedCite) -> int | None:
    issued = piece.context.item.dates.get("issued")
    return issued.begin.year if issued and issued.begin else None


def _follows(before: RenderedCite, piece: RenderedCite) -> bool:
    first, second = before.year_suffix, piece.year_suffix
    return _same_year(before, piece) and len(first) == len(second) == 1 and ord(second) == ord(first) + 1
