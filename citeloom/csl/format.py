"""Formats citations and a bibliography in a style, as Markdown, HTML or plain text. The entry point of the package."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.csl.context import Cite, RenderContext, StyleNotUsableError
from citeloom.csl.disambiguate import disambiguate
from citeloom.csl.positions import positions
from citeloom.csl.processor import Processor
from citeloom.csl.records import read_item
from citeloom.csl.styles import Style, find_style, parse_style
from citeloom.csl.terms import known_locale, read_terms
from citeloom.csl.text.markup import read_rich
from citeloom.csl.text.output import Markup, write

__all__ = ["Cite", "Formatted", "Markup", "format_citations"]

FALLBACK_STYLE = "apa"
# Parsed styles are shared, and lxml creates their Python objects in whatever thread accesses them.
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Formatted:
    """One citation for each group of cites, and the bibliography in the style's order."""

    citations: tuple[str, ...]
    bibliography: tuple[str, ...]
    style: Style  # the requested one, or the one that was used instead
    locale: str
    warnings: tuple[str, ...] = ()


def format_citations(
    items: Sequence[Mapping[str, Any]],
    groups: Sequence[Sequence[Cite]],
    style: Style,
    *,
    locale: str | None = None,
    markup: Markup = "markdown",
) -> Formatted:
    """Format the citations and the bibliography of the cited records; an unusable style is replaced, with a warning."""
    records = {str(item.get("id", "")): item for item in items}
    cited = list(dict.fromkeys(cite.key for group in groups for cite in group))
    if missing := [key for key in cited if key not in records]:
        raise CiteLoomError(
            Code.CITEKEY_NOT_FOUND,
            f"No record was given for {', '.join(missing)}.",
            "Check the citekeys.",
            citekeys=missing,
        )
    cited_records = {key: records[key] for key in cited}
    own = known_locale(style.locale or "") or "en-US"
    known = known_locale(locale) if locale else own
    warnings = [] if known else [f"There is no language “{locale}” for citations; {own} was used."]
    language = known or own
    with _LOCK:
        try:
            return _format(cited_records, groups, style, language, markup, warnings)
        except CiteLoomError:
            raise
        except Exception as error:  # a user's own style may contain anything
            fallback = find_style(FALLBACK_STYLE)
            if style.path == fallback.path:
                raise
            what = str(error) if isinstance(error, StyleNotUsableError) else "something that is not CSL 1.0"
            warnings.append(f"{style.title} uses {what}, which is not supported; {fallback.title} was used instead.")
            return _format(cited_records, groups, fallback, language, markup, warnings)


def _format(
    records: Mapping[str, Mapping[str, Any]],
    groups: Sequence[Sequence[Cite]],
    style: Style,
    locale: str,
    markup: Markup,
    warnings: list[str],
) -> Formatted:
    root = parse_style(style.path)
    terms = read_terms(root, locale)
    items = {key: read_item(record, terms.quotes) for key, record in records.items()}
    processor = Processor(root, terms, items)
    disambiguate(processor)
    notes = root.get("class") == "note"
    near = root.find("{*}citation").get("near-note-distance", "5")
    citations: list[str] = []
    without_locator: list[str] = []
    for group, places in zip(groups, positions(groups, int(near) if near.isdecimal() else 5), strict=True):
        contexts = [
            processor.context(
                cite.key,
                processor.citation_area,
                cite=_clean(cite, terms.quotes),
                position=place.names,
                note_number=place.first_note if notes else 0,
                author_replacement="" if cite.suppress_author and not notes else None,
            )
            for cite, place in zip(group, places, strict=True)
        ]
        if contexts and group[0].in_text and not notes:
            text = _in_text(processor, contexts)
        else:
            # If nothing remains without the author (no year, for example), the author is shown.
            text = processor.citation(contexts) or processor.citation(
                [context.fresh(author_replacement=None) for context in contexts]
            )
        without_locator += [
            context.cite.key for context in contexts if context.cite.locator and not context.locator_rendered
        ]
        citations.append(write(text, terms, markup))
    bibliography = processor.bibliography()
    empty = [cite.key for group, text in zip(groups, citations, strict=True) if not text for cite in group]
    if without_locator:
        warnings.append(f"{style.title} shows no page in a citation; it was left out for {_listed(without_locator)}.")
    if empty:
        warnings.append(f"{style.title} has nothing to show in a citation of {_listed(empty)}.")
    if processor.bibliography_area is None:
        warnings.append(f"{style.title} has no bibliography; its citations are complete.")
    elif len(bibliography) < len(items):
        omitted = [key for key in items if key not in bibliography]
        warnings.append(f"{style.title} has no entry in its bibliography for {_listed(omitted)}.")
    entries = tuple(write(text, terms, markup) for text in bibliography.values())
    return Formatted(tuple(citations), entries, style, locale, tuple(warnings))


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(keys))


def _clean(cite: Cite, quotes: tuple[str, str]) -> Cite:
    prefix, suffix = _rich(cite.prefix, quotes), _rich(cite.suffix, quotes)
    return replace(
        cite, locator=read_rich(cite.locator, quotes), label=cite.label or "page", prefix=prefix, suffix=suffix
    )


def _rich(text: str, quotes: tuple[str, str]) -> str:
    """Parse a prefix or suffix; spaces at its ends stay, since they decide whether it touches the citation."""
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before and ' '}{read_rich(text, quotes)}{after and ' '}" if text.strip() else ""


def _in_text(processor: Processor, contexts: list[RenderContext]) -> str:
    """Format a narrative citation: "Hartmann (2019, p. 33)", or "Hartmann [1]" in numeric styles."""
    first = contexts[0]
    trial = first.fresh(author_replacement=None, in_sentence=True)
    processor.layout(trial)
    names = trial.first_names
    if names is not None:
        contexts[0] = first.fresh(author_replacement="")
    else:
        names = _short_names(first)
    rest = processor.citation(contexts)
    space = " " if names and rest and not processor.is_superscript else ""
    return names + space + rest


def _short_names(context: RenderContext) -> str:
    names = context.item.names
    people = names.get("author") or names.get("editor") or next(iter(names.values()), ())
    families = [person.whole_family for person in people]
    if len(families) > 2:
        return f"{families[0]} {context.terms.get('et-al')}"
    return f" {context.terms.get('and')} ".join(families)
