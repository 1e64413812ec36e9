"""Applies one style to one set of items: numbering, sorting, citations and bibliography."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from citeloom.citing.collapse import Piece, join_cites
from citeloom.citing.elements import joined
from citeloom.citing.marks import HIDDEN, OFF, plain, wrap
from citeloom.citing.records import Person, Work
from citeloom.citing.run import Cite, Run, Telling, layout_of
from citeloom.citing.terms import Terms
from citeloom.citing.vocabulary import NAMES, NS, NUMBERS

_BASE_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


class Processor:
    """Renders the citations and the bibliography of a set of items in a style and locale."""

    def __init__(self, style: Any, terms: Terms, works: Mapping[str, Work]) -> None:
        self.style = style
        self.terms = terms
        self.works = works
        self.citation_area = style.find(f"{NS}citation")
        self.bibliography_area = style.find(f"{NS}bibliography")
        self.macros = {element.get("name"): element for element in style if element.tag == f"{NS}macro"}
        self.suffix_placed = style.find(f".//{NS}text[@variable='year-suffix']") is not None
        self.shortens_later_names = any(element.get("et-al-subsequent-min") for element in style.iter())
        self.telling: dict[str, Telling] = {}
        self.numbers = {key: i + 1 for i, key in enumerate(works)}
        self.order = list(works)  # of the bibliography
        if self.bibliography_area is not None:
            runs = [self.run(key, self.bibliography_area) for key in works]
            self.order = [run.work.key for run in self.sort(self.bibliography_area, runs)]
            self.numbers = {key: i + 1 for i, key in enumerate(self.order)}

    def run(self, key: str, area: Any, **values: Any) -> Run:
        """Create the context in which an item is rendered."""
        return Run(
            self.works[key],
            self.terms,
            area,
            self.macros,
            number=self.numbers.get(key, 0),
            telling=self.telling.get(key, Telling()),
            year_suffix_placed=self.suffix_placed,
            **values,
        )

    def layout(self, run: Run) -> str:
        """Render an item by the layout of its area, without the layout's affixes."""
        layout = layout_of(run.area)
        children = list(layout)
        head = joined(children[:1], run) or ""
        if head and run.in_bibliography and run.area.get("second-field-align"):
            head = wrap("left", head)
        return head + (joined(children[1:], run) or "")

    @property
    def is_superscript(self) -> bool:
        """Whether citations are superscript."""
        layout = layout_of(self.citation_area)
        return any(element.get("vertical-align") == "sup" for element in layout.iter())

    # -- order ---------------------------------------------------------------------------------------------------

    def sort(self, area: Any, runs: list[Run]) -> list[Run]:
        """Sort by the style's keys; items without a value for a key come last."""
        sort = area.find(f"{NS}sort")
        for key in reversed([] if sort is None else list(sort)):
            values = {id(run): self._sort_value(key, run) for run in runs}
            present = [run for run in runs if values[id(run)]]
            missing = [run for run in runs if not values[id(run)]]
            ranks = {place: collation_key(value) for place, value in values.items()}
            present.sort(key=lambda run, ranks=ranks: ranks[id(run)], reverse=key.get("sort") == "descending")  # type: ignore[misc]
            runs = present + missing
        return runs

    def _sort_value(self, key: Any, run: Run) -> str:
        variable = key.get("variable")
        options = {
            f"et-al-{name[6:]}": key.get(name)
            for name in ("names-min", "names-use-first", "names-use-last")
            if key.get(name)
        }
        if variable is None:
            macro = self.macros.get(key.get("macro"))
            return "" if macro is None else str(macro.render(run.fresh(sorting=options)) or "")
        if variable in NAMES:
            return "\x02".join(self._sort_name(person) for person in run.work.names.get(variable, ()))
        if variable == "citation-label":
            return run.work.label
        if variable in run.work.dates:
            return run.work.dates[variable].sort_key()
        text = str(run.number) if variable == "citation-number" else plain(run.work.fields.get(variable, ""))
        return re.sub(r"\d+", lambda found: found.group().zfill(8), text) if variable in NUMBERS else text

    def _sort_name(self, person: Person) -> str:
        demote = self.style.get("demote-non-dropping-particle", "display-and-sort") != "never"
        family = person.family if demote else person.whole_family
        given = " ".join(filter(None, (person.given, person.dropping, person.non_dropping if demote else "")))
        return "\x01".join(filter(None, (family, given, person.suffix)))

    # -- citations -----------------------------------------------------------------------------------------------

    def piece(self, run: Run, *, leads: bool = False) -> Piece:
        """Render a cite with its prefix and suffix."""
        text = self.layout(run)
        ibid = self.terms.get("ibid")
        at_start = (
            self.style.get("class") == "note"
            and (leads or bool(run.cite and run.cite.prefix))
            and _starts_sentence(run.cite)
        )
        if ibid and at_start and text.startswith(ibid):
            text = text[:1].upper() + text[1:]
        if run.author == "":
            text = re.sub(r"^[\s,;:]+", "", text.replace(HIDDEN, ""))  # the delimiter between names and the rest
        if not plain(text):
            return Piece(run, "")
        if run.cite is not None:
            text = _spaced_prefix(run.cite.prefix) + text + _spaced_suffix(run.cite.suffix)
        return Piece(run, text)

    def citation(self, runs: Sequence[Run]) -> str:
        """Render one citation: its cites sorted, collapsed and with the affixes of the layout."""
        area = self.citation_area
        if area.find(f"{NS}sort") is not None:  # ties follow the order of the bibliography: 2019a, 2019b
            runs = sorted(runs, key=lambda run: self.numbers[run.work.key])
        ordered = self.sort(area, list(runs))
        pieces = [self.piece(run, leads=i == 0) for i, run in enumerate(ordered)]
        layout = layout_of(area)
        inner = join_cites(area, pieces, self.terms, lambda run: self.piece(run.fresh(author="")))
        if not inner:
            return ""
        return Run.typography(layout.attrib, layout.get("prefix", "") + inner + layout.get("suffix", ""))

    # -- bibliography --------------------------------------------------------------------------------------------

    def bibliography(self) -> list[tuple[str, str]]:
        """Render the bibliography; return keys and entries in the style's order."""
        area = self.bibliography_area
        if area is None:
            return []
        layout = layout_of(area)
        dash = area.get("subsequent-author-substitute")
        entries = []
        before = ""
        for key in self.order:
            run = self.run(key, area)
            text = self.layout(run)
            if dash is not None and run.first_list and run.first_list == before:
                text = self.layout(run.fresh(author=dash))
            before = run.first_list
            if text:
                entries.append(
                    (key, Run.typography(layout.attrib, layout.get("prefix", "") + text + layout.get("suffix", "")))
                )
        return entries


def collation_key(text: str) -> tuple[str, str]:
    """Return a sort key that ignores accents and case: Ångström sorts as Angstrom, in every language."""
    folded = plain(text).casefold()
    letters = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    letters = re.sub(r"[^\w\s\x01\x02]", "", re.sub(r"[-–—/]", " ", letters.translate(_BASE_LETTERS)))
    return " ".join(letters.split()), folded


def _spaced_prefix(prefix: str) -> str:
    return prefix if not prefix or prefix[-1:] in " ([‘“’-–" else f"{prefix} "


def _starts_sentence(cite: Cite | None) -> bool:
    """Whether the cite at_start a sentence."""
    prefix = cite.prefix.rstrip() if cite else ""
    return not prefix or (prefix.endswith((".", "!", "?", OFF["quote"])) and " " in prefix)


def _spaced_suffix(suffix: str) -> str:
    return suffix if not suffix or not (suffix[0].isalnum() or suffix[0] in "([") else f" {suffix}"
