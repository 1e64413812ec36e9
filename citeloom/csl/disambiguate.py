"""Disambiguates items whose citations would be equal: by more names, given names, the style's branch, a year suffix."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from citeloom.core.text.numerals import to_letters
from citeloom.csl.context import Disambiguation
from citeloom.csl.elements.names import initials
from citeloom.csl.processor import Processor
from citeloom.csl.records import Person
from citeloom.csl.text.markup import plain

_MAX_NAMES = 20  # later names do not help

Step = Callable[[Disambiguation], Disambiguation]


def disambiguate(processor: Processor) -> None:
    """Set the disambiguation of every item of the processor."""
    area = processor.citation_area
    processor.disambiguation = dict.fromkeys(processor.items, Disambiguation())
    if len(processor.items) < 2:
        return
    more_names = area.get("disambiguate-add-names") == "true"
    wants_given = area.get("disambiguate-add-givenname") == "true"
    rule = area.get("givenname-disambiguation-rule", "by-cite")
    if wants_given and rule != "by-cite":
        _disambiguate_given_names(processor, rule)
    if more_names or wants_given:
        for keys in _ambiguous(processor):
            steps = list(_steps(_longest_name_list(processor, keys), more_names, wants_given and rule == "by-cite"))
            _separate(processor, keys, steps)
    for keys in _ambiguous(processor):
        _enable_style_branch(processor, keys)
    if area.get("disambiguate-add-year-suffix") == "true":
        order = {key: i for i, key in enumerate(processor.order)}
        for keys in _ambiguous(processor):
            for number, key in enumerate(sorted(keys, key=order.__getitem__), start=1):
                processor.disambiguation[key] = replace(processor.disambiguation[key], year_suffix=to_letters(number))


def _short_citation(processor: Processor, key: str) -> str:
    # The short form must differ: notes cite in full only once, and some styles shorten names in later cites.
    later = processor.style.get("class") == "note" or processor.shortens_later_names
    position = frozenset({"subsequent" if later else "first"})
    return plain(processor.layout(processor.context(key, processor.citation_area, position=position)))


def _groups(processor: Processor, keys: list[str]) -> list[list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        text = _short_citation(processor, key)
        if text:
            groups[text].append(key)
    return list(groups.values())


def _ambiguous(processor: Processor) -> list[list[str]]:
    return [keys for keys in _groups(processor, list(processor.items)) if len(keys) > 1]


def _longest_name_list(processor: Processor, keys: list[str]) -> int:
    counts = (len(people) for key in keys for people in processor.items[key].names.values())
    return min(_MAX_NAMES, max(counts, default=0))


def _steps(most: int, more_names: bool, given: bool) -> Iterator[tuple[Step, bool]]:
    """Yield the steps to try in order; True for a step that stays in effect even if it does not help by itself."""
    for place in range(most):
        if more_names:
            yield partial(_with_names, place + 1), True
        if given:
            for level in (1, 2):
                yield partial(_with_given, place, level), False


def _with_names(count: int, disambiguation: Disambiguation) -> Disambiguation:
    return replace(disambiguation, names=max(disambiguation.names, count))


def _with_given(at: int, level: int, disambiguation: Disambiguation) -> Disambiguation:
    levels = [*disambiguation.given, *([0] * (at + 1 - len(disambiguation.given)))]
    levels[at] = level
    return replace(disambiguation, given=tuple(levels))


def _separate(processor: Processor, keys: list[str], steps: list[tuple[Step, bool]]) -> None:
    """Apply steps until the items differ; those that no step separates keep what separated them from others."""
    if len({frozenset(processor.items[key].names.items()) for key in keys}) == 1:
        return  # the same names: no step can separate them
    useful = {key: processor.disambiguation[key] for key in keys}
    for i, (step, stays) in enumerate(steps):
        before = {key: processor.disambiguation[key] for key in keys}
        processor.disambiguation.update({key: step(disambiguation) for key, disambiguation in before.items()})
        groups = _groups(processor, keys)
        if len(groups) > 1:
            for members in groups:
                if len(members) > 1:
                    _separate(processor, members, steps[i + 1 :])
            return
        if not stays:
            processor.disambiguation.update(before)
    processor.disambiguation.update(useful)


def _enable_style_branch(processor: Processor, keys: list[str]) -> None:
    """Enable the style's `disambiguate="true"` branches for ambiguous items, if that separates them."""
    before = {key: processor.disambiguation[key] for key in keys}
    processor.disambiguation.update(
        {key: replace(disambiguation, style_branch=True) for key, disambiguation in before.items()}
    )
    if len(_groups(processor, keys)) == 1:
        processor.disambiguation.update(before)


def _disambiguate_given_names(processor: Processor, rule: str) -> None:
    """Add initials or given names to people who share a family name, in all citations."""
    initialize_with = _initialize_with(processor)
    listed: dict[str, tuple[Person, ...]] = {}
    for key in processor.items:
        context = processor.context(key, processor.citation_area)
        processor.layout(context)
        listed[key] = context.first_people[: 1 if rule.startswith("primary") else _MAX_NAMES]
    given_names: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for people in listed.values():
        for person in people:
            if not person.literal:
                # "J.J." and "J. J." are the same person.
                given_names[_family(person)].setdefault("".join(person.given.replace(".", " ").split()), person.given)
    shared = {
        family: Counter(name if initialize_with is None else initials(name, initialize_with) for name in given.values())
        for family, given in given_names.items()
        if len(given) > 1
    }
    for key, people in listed.items():
        levels = tuple(_level(person, shared.get(_family(person)), initialize_with, rule) for person in people)
        if any(levels):
            processor.disambiguation[key] = replace(processor.disambiguation[key], given=levels)


def _family(person: Person) -> tuple[str, str]:
    return person.non_dropping, person.family


def _level(person: Person, namesakes: Counter[str] | None, initialize_with: str | None, rule: str) -> int:
    """Return what identifies a person: 0 the family name, 1 initials, 2 only the given name."""
    if namesakes is None or person.literal:
        return 0
    if initialize_with is None:
        return 2
    if rule.endswith("-with-initials"):
        return 1 if len(namesakes) > 1 else 0
    return 1 if namesakes[initials(person.given, initialize_with)] == 1 else 2


def _initialize_with(processor: Processor) -> str | None:
    """Return the style's `initialize-with`, or None if it uses no initials."""
    places = (processor.citation_area, processor.style)
    found = (element.get("initialize-with") for place in places for element in place.iter())
    initialize_with = next((initialize_with for initialize_with in found if initialize_with is not None), None)
    return None if initialize_with is None else str(initialize_with)
