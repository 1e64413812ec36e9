"""Telling works apart that a style would cite in the same words: more names, given names, then a letter to the year."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from citeloom.csl.context import Telling
from citeloom.csl.elements.names import initials
from citeloom.csl.processor import Processor
from citeloom.csl.records import Person
from citeloom.csl.text.markup import plain

_MOST_NAMES = 20  # a list longer than this tells nothing more

Step = Callable[[Telling], Telling]


def tell_apart(processor: Processor) -> None:
    """Give every work what its citation needs to be told from the others."""
    area = processor.citation_area
    processor.telling = dict.fromkeys(processor.works, Telling())
    if len(processor.works) < 2:
        return
    more_names = area.get("disambiguate-add-names") == "true"
    wants_given = area.get("disambiguate-add-givenname") == "true"
    rule = area.get("givenname-disambiguation-rule", "by-cite")
    if wants_given and rule != "by-cite":
        _tell_namesakes(processor, rule)
    if more_names or wants_given:
        for keys in _alike(processor):
            steps = list(_steps(_most_names(processor, keys), more_names, wants_given and rule == "by-cite"))
            _split(processor, keys, steps)
    for keys in _alike(processor):
        _choose(processor, keys)
    if area.get("disambiguate-add-year-suffix") == "true":
        order = {key: i for i, key in enumerate(processor.order)}
        for keys in _alike(processor):
            for i, key in enumerate(sorted(keys, key=order.__getitem__)):
                processor.telling[key] = replace(processor.telling[key], year_suffix=letters(i))


def letters(index: int) -> str:
    """a, b, … z, aa, ab, …"""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _written(processor: Processor, key: str) -> str:
    # What must differ is the short form: notes cite in full once, and some styles cut more names later.
    later = processor.style.get("class") == "note" or processor.cuts_names_later
    position = frozenset({"subsequent" if later else "first"})
    return plain(processor.layout(processor.run(key, processor.citation_area, position=position)))


def _groups(processor: Processor, keys: list[str]) -> list[list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        text = _written(processor, key)
        if text:
            groups[text].append(key)
    return list(groups.values())


def _alike(processor: Processor) -> list[list[str]]:
    return [keys for keys in _groups(processor, list(processor.works)) if len(keys) > 1]


def _most_names(processor: Processor, keys: list[str]) -> int:
    counts = (len(people) for key in keys for people in processor.works[key].names.values())
    return min(_MOST_NAMES, max(counts, default=0))


def _steps(most: int, more_names: bool, given: bool) -> Iterator[tuple[Step, bool]]:
    """What may be tried, in order; True where a step is kept for the next although it tells nothing by itself."""
    for place in range(most):
        if more_names:
            yield partial(_with_names, place + 1), True
        if given:
            for level in (1, 2):
                yield partial(_with_given, place, level), False


def _with_names(count: int, telling: Telling) -> Telling:
    return replace(telling, names=max(telling.names, count))


def _with_given(at: int, level: int, telling: Telling) -> Telling:
    levels = [*telling.given, *([0] * (at + 1 - len(telling.given)))]
    levels[at] = level
    return replace(telling, given=tuple(levels))


def _split(processor: Processor, keys: list[str], steps: list[tuple[Step, bool]]) -> None:
    """Take steps until the works differ; those that no step tells apart keep what told them from others."""
    if len({frozenset(processor.works[key].names.items()) for key in keys}) == 1:
        return  # the same people: no name can tell these works apart
    useful = {key: processor.telling[key] for key in keys}
    for i, (step, kept) in enumerate(steps):
        before = {key: processor.telling[key] for key in keys}
        processor.telling.update({key: step(telling) for key, telling in before.items()})
        groups = _groups(processor, keys)
        if len(groups) > 1:
            for members in groups:
                if len(members) > 1:
                    _split(processor, members, steps[i + 1 :])
            return
        if not kept:
            processor.telling.update(before)
    processor.telling.update(useful)


def _choose(processor: Processor, keys: list[str]) -> None:
    """The style's own way for works that are alike, one more work at a time, as far as it helps."""
    before = {key: processor.telling[key] for key in keys}
    processor.telling.update({key: replace(telling, choice=True) for key, telling in before.items()})
    if len(_groups(processor, keys)) == 1:
        processor.telling.update(before)


def _tell_namesakes(processor: Processor, rule: str) -> None:
    """Initials or given names for people who share a family name, wherever they are cited."""
    mark = _mark(processor)
    listed: dict[str, tuple[Person, ...]] = {}
    for key in processor.works:
        run = processor.run(key, processor.citation_area)
        processor.layout(run)
        listed[key] = run.first_people[: 1 if rule.startswith("primary") else _MOST_NAMES]
    given_names: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for people in listed.values():
        for person in people:
            if not person.literal:
                # "J.J." and "J. J." are one person, typed twice.
                given_names[_family(person)].setdefault("".join(person.given.replace(".", " ").split()), person.given)
    shared = {
        family: Counter(name if mark is None else initials(name, mark) for name in given.values())
        for family, given in given_names.items()
        if len(given) > 1
    }
    for key, people in listed.items():
        levels = tuple(_level(person, shared.get(_family(person)), mark, rule) for person in people)
        if any(levels):
            processor.telling[key] = replace(processor.telling[key], given=levels)


def _family(person: Person) -> tuple[str, str]:
    return person.non_dropping, person.family


def _level(person: Person, namesakes: Counter[str] | None, mark: str | None, rule: str) -> int:
    """0: the family name will do; 1: initials tell the person from namesakes; 2: only the given name does."""
    if namesakes is None or person.literal:
        return 0
    if mark is None:
        return 2
    if rule.endswith("-with-initials"):
        return 1 if len(namesakes) > 1 else 0
    return 1 if namesakes[initials(person.given, mark)] == 1 else 2


def _mark(processor: Processor) -> str | None:
    """What the style puts after initials, if it uses any."""
    places = (processor.citation_area, processor.style)
    found = (element.get("initialize-with") for place in places for element in place.iter())
    mark = next((mark for mark in found if mark is not None), None)
    return None if mark is None else str(mark)
