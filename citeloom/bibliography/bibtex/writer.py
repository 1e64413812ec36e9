"""Works in CSL-JSON as BibTeX or biblatex entries, for themselves or as a whole .bib file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.bibliography.bibtex.dates import day_of
from citeloom.bibliography.bibtex.fields import BIBTEX, Dialect, entry_type_of
from citeloom.bibliography.bibtex.languages import name_of
from citeloom.bibliography.bibtex.names import has_particles, people
from citeloom.bibliography.bibtex.parser import MONTHS
from citeloom.bibliography.bibtex.unicode_to_latex import Latex, address
from citeloom.bibliography.csl_json import record_from_csl, tags_of, text_of
from citeloom.core.errors import CiteLoomError, Code

Csl = Mapping[str, Any]

_IN_JOURNALS = ("article", "periodical", "review")
_CONTAINERS = {"online": "organization", "misc": "howpublished"}
_ROLES = {"editor": "editor", "translator": "translator", "container-author": "bookauthor"}
_DAYS = {"event-date": "eventdate", "original-date": "origdate", "accessed": "urldate"}
# Those who made a work that has no author to CSL.
_MAKERS = ("author", "director", "composer", "host")
_MONTH_NAMES = frozenset(name[:3].lower() for name in MONTHS)

_KEY = re.compile(r"[^\s,{}()=\"#%\\~']+")
_KEY_HOW = "In your reference manager, use citekeys without spaces, commas, braces and quotation marks."
_KEY_LINES = re.compile(r"^(?:citation key|doi)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_MOST_NAMED = 10  # works spelled out in one warning


@dataclass(frozen=True, slots=True)
class Written:
    """A file's text, how many works it holds, and what its reader should know."""

    text: str
    count: int
    warnings: tuple[str, ...] = ()


def to_bibtex(csl: Csl, citekey: str) -> str:
    """The work as one BibTeX entry under this citekey."""
    if not _KEY.fullmatch(citekey):
        raise CiteLoomError(
            Code.INVALID_INPUT, f"The citekey '{citekey[:80]}' cannot stand in a BibTeX file.", _KEY_HOW
        )
    return _as_file([_entry(csl, citekey, BIBTEX, Latex())])


def write_bib(works: Iterable[tuple[str, Csl]], dialect: Dialect, *, escaped: bool = False) -> Written:
    """Citekeys and works as a .bib file in UTF-8 or escaped; a key that cannot stand there is left out and named."""
    latex = Latex(escaped=escaped)
    entries, impossible = [], []
    for citekey, csl in works:
        if _KEY.fullmatch(citekey):
            entries.append(_entry(csl, citekey, dialect, latex))
        else:
            impossible.append(f"'{citekey[:80]}'")
    warnings = []
    if impossible:
        left_out = "1 work is" if len(impossible) == 1 else f"{len(impossible)} works are"
        warnings.append(
            f"{left_out} left out, because a .bib file cannot hold the citekey: {_named(impossible)}. {_KEY_HOW}"
        )
    if dialect.classic:
        warnings += _same_but_for_capitals([entry["ID"] for entry in entries])
    if escaped:
        warnings += _left_in_unicode(entries)
    return Written(_as_file(entries), len(entries), tuple(warnings))


def _entry(csl: Csl, citekey: str, dialect: Dialect, latex: Latex) -> dict[str, str]:
    """An entry as bibtexparser has them."""
    kind, subtype = _kind(csl, dialect)
    fields = _fields(csl, kind, subtype, dialect, latex)
    return {"ENTRYTYPE": kind, "ID": citekey, **{name: value for name, value in fields if value}}


def _as_file(entries: Sequence[Mapping[str, str]]) -> str:
    # Its parser takes a while to load, and an engine that exports nothing need not wait for it.
    from bibtexparser.bibdatabase import BibDatabase, BibDataString, BibDataStringExpression
    from bibtexparser.bwriter import BibTexWriter, SortingStrategy

    library = BibDatabase()  # type: ignore[no-untyped-call]
    for entry in entries:
        values: dict[str, object] = {**entry}
        if entry.get("month") in _MONTH_NAMES:  # styles print these in their own language
            name = BibDataString(library, entry["month"])  # type: ignore[no-untyped-call]
            values["month"] = BibDataStringExpression([name])  # type: ignore[no-untyped-call]
        library.entries.append(values)
    writer = BibTexWriter()  # type: ignore[no-untyped-call]
    writer.contents = ["entries"]
    writer.order_entries_by = None  # type: ignore[assignment]  # as they come
    writer.display_order_sorting = SortingStrategy.PRESERVE
    writer.indent = "  "
    writer.add_trailing_comma = True
    return str(writer.write(library))  # type: ignore[no-untyped-call]


def _kind(csl: Csl, dialect: Dialect) -> tuple[str, str]:
    kind, subtype = entry_type_of(text_of(csl.get("type")))
    genre = text_of(csl.get("genre")).lower()
    if not dialect.classic:
        # To biblatex an @incollection has an editor, and an @inbook an author of the whole.
        return ("inbook" if kind == "incollection" and csl.get("container-author") else kind), subtype
    if kind == "thesis" and genre:
        # Both print the genre in place of their own name, so that a bachelor's thesis becomes no doctoral one.
        kind = "mastersthesis" if "master" in genre else "phdthesis"
    return ("techreport" if kind == "report" else kind), subtype


def _fields(csl: Csl, kind: str, subtype: str, dialect: Dialect, latex: Latex) -> Iterator[tuple[str, str]]:
    def text(variable: str) -> str:
        return latex.marked_up(text_of(csl.get(variable)))

    record = record_from_csl(csl, files=())
    yield "title", latex.title(text_of(csl.get("title")), text_of(csl.get("language")))
    yield "entrysubtype", latex.text(subtype)
    makers = next((csl[role] for role in _MAKERS if csl.get(role)), None)
    yield "author", people(makers, latex)
    for role, field in _ROLES.items():
        yield field, people(csl.get(role), latex)
    if not dialect.classic and any(map(has_particles, (makers, *map(csl.get, _ROLES)))):
        yield "options", "useprefix=true"
    yield from dialect.date(csl.get("issued"), latex)
    yield dialect.journal if kind in _IN_JOURNALS else _CONTAINERS.get(kind, "booktitle"), text("container-title")
    yield dialect.publishers.get(kind, "publisher"), text("publisher")
    numbers = ("issue", "number") if kind in _IN_JOURNALS else ("number", "collection-number", "issue")
    yield "number", next((found for name in numbers if (found := text(name))), "")
    yield "pages", latex.pages(text_of(csl.get("page")))
    for variable, field in dialect.fields.items():
        yield field, text(variable)
    yield "langid", latex.text(name_of(text_of(csl.get("language"))))
    yield "keywords", ", ".join(map(latex.text, tags_of(csl.get("keyword"))))
    note = csl.get("note")
    yield "note", latex.marked_up(text_of(_KEY_LINES.sub("", note) if isinstance(note, str) else note))
    yield "doi", address((record.doi or text_of(csl.get("DOI"))).replace("%", "%25"))
    yield "url", address(text_of(csl.get("URL")))
    for variable in ("ISBN", "ISSN"):
        yield variable.lower(), latex.text(text_of(csl.get(variable)))
    for variable, field in _DAYS.items():
        yield field, day_of(csl.get(variable))


# -- what the reader of a file should know -------------------------------------------------------------------


def _same_but_for_capitals(keys: Iterable[str]) -> list[str]:
    alike = defaultdict(list)
    for key in keys:
        alike[key.lower()].append(key)
    pairs = [" and ".join(same) for same in alike.values() if len(same) > 1]
    if not pairs:
        return []
    how = "Give the works citekeys that differ in more than capitals, or use biblatex."
    return [f"BibTeX takes these citekeys for the same one: {_named(pairs)}. {how}"]


def _left_in_unicode(entries: Iterable[Mapping[str, str]]) -> list[str]:
    left = []
    for entry in entries:
        letters = dict.fromkeys(c for value in entry.values() for c in value if not c.isascii())
        if letters:
            left.append(f"{entry['ID']} ({''.join(letters)[:20]})")
    if not left:
        return []
    works = "1 work keeps" if len(left) == 1 else f"{len(left)} works keep"
    return [f"{works} characters that LaTeX has no command for: {_named(left)}. The file is UTF-8 there."]


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
