"""Saved searches evaluated on a snapshot as Zotero does, for sources that cannot run them (database, web API)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from string import ascii_lowercase, ascii_uppercase

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.csl.dates import sortable_date, to_csl_date
from citeloom.zotero.csl.fields import BASE_FIELDS, FIELDS, SPECIFIC_FIELDS
from citeloom.zotero.scope import with_subcollections
from citeloom.zotero.types import Item, SavedSearch, Snapshot

# Negated operators, with the one that each negates.
_NEGATED = {"isNot": "is", "doesNotContain": "contains"}
_TEXT_OPERATORS = ("is", "contains", "beginsWith")
_NUMBER_OPERATORS = (*_TEXT_OPERATORS, "isLessThan", "isGreaterThan")
_DATE_OPERATORS = ("is", "isBefore", "isAfter", "isInTheLast")
_NUMBERS = frozenset(("pages", "numPages", "numberOfVolumes", "section", "seriesNumber", "issue"))
_CREATOR_TYPES = frozenset(("author", "editor", "bookAuthor"))
_TIME_STAMPS = frozenset(("dateAdded", "dateModified", "accessDate"))  # stored in UTC, compared in local time
_FIELD_NAMES = frozenset((*FIELDS, *BASE_FIELDS))
# Settings of a search, no conditions.
_SETTINGS = frozenset(("joinMode", "recursive", "noChildren", "unfiled", "deleted", "publications", "retracted"))
_RELATIVES = ("includeParentsAndChildren", "includeParents", "includeChildren")
# Conditions that a snapshot has no data for.
_UNSUPPORTED = ("deleted", "publications", "retracted")
_PERIOD = re.compile(r"\s*([0-9]{1,5})\s*(day|week|month|year)s?\s*", re.IGNORECASE)
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)  # SQLite ignores the case of ASCII letters only

_Texts = Callable[[Item], Iterable[str]]


def evaluate(snapshot: Snapshot, search: SavedSearch) -> set[str]:
    """Return the keys of the top-level items that a search finds (for a child, its parent's)."""
    return {snapshot.top_level_key(key) for key in _found(snapshot, search, frozenset())}


def _found(snapshot: Snapshot, search: SavedSearch, including: frozenset[str]) -> set[str]:
    """Return the keys of all items that a search finds; `including` are the searches that include this one."""
    settings = {str(c.get("condition")): str(c.get("operator")) for c in search.conditions}
    for name in _UNSUPPORTED:
        if settings.get(name, "false") != "false":
            raise _cannot_run(search, name, settings[name])
    evaluation = _Evaluation(snapshot, search, settings, including | {search.key})
    results: list[set[str]] = []
    positive: set[str] = set()
    for condition in search.conditions:
        name, operator, value = (str(condition.get(part) or "") for part in ("condition", "operator", "value"))
        if name in _SETTINGS or name in _RELATIVES:
            continue
        hits = evaluation.hits(name, _NEGATED.get(operator, operator), value, operator)
        if hits is None:
            continue
        if operator in _NEGATED:
            # As in Zotero: annotations match no negated condition.
            hits = {key for key, item in snapshot.items.items() if key not in hits and item.type != "annotation"}
        else:
            positive |= hits
        results.append(hits)
    found = set(snapshot.items)
    if results:
        found = set.union(*results) if settings.get("joinMode") == "any" else set.intersection(*results)
    top = {item.key for item in snapshot.top_level()}
    if settings.get("unfiled") == "true":
        return {key for key in found & top if not snapshot.items[key].collections}
    # "tag is not X" holds for nearly every attachment, and must not select its parent.
    return found & top if settings.get("noChildren") == "true" else found & (top | positive)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """One evaluation of a search."""

    snapshot: Snapshot
    search: SavedSearch
    settings: Mapping[str, str]
    including: frozenset[str]  # the searches that include this one, and itself

    def hits(self, name: str, operator: str, value: str, written: str) -> set[str] | None:
        """Return the keys of the items that match a condition; None for a recursive search."""
        items = self.snapshot.items
        key = value.rpartition("_")[2]  # older searches put the library before the key
        if name == "collection" and operator == "is":
            wanted = with_subcollections(self.snapshot, key) if self.settings.get("recursive") == "true" else {key}
            hits = {item.key for item in items.values() if not wanted.isdisjoint(item.collections)}
        elif name == "savedSearch" and operator == "is":
            if key in self.including:
                return None  # the search includes itself
            search = self.snapshot.searches.get(key)
            hits = _found(self.snapshot, search, self.including) if search else set()
        else:
            fits = self._test(name, operator, value)
            if fits is None:
                raise _cannot_run(self.search, name, written)
            hits = {item.key for item in items.values() if fits(item)}
        relatives = {name for name in _RELATIVES if self.settings.get(name) == "true"}
        parents, children = set(), set()
        if relatives - {"includeChildren"}:
            parents = {parent for key in hits if (parent := items[key].parent) and parent in items}
        if relatives - {"includeParents"}:
            children = {child.key for key in hits for child in self.snapshot.children.get(key, ())}
        return hits | parents | children

    def _test(self, name: str, operator: str, value: str) -> Callable[[Item], bool] | None:
        """Return the predicate of a condition; None for an unknown condition or operator."""
        if name in _TIME_STAMPS:
            return partial(_time_stamp_fits, name, operator, value) if operator in _DATE_OPERATORS else None
        if BASE_FIELDS.get(name, name) == "date":
            return partial(_date_fits, operator, value) if operator in _DATE_OPERATORS else None
        texts = self._notes_of_children if name == "childNote" else _TEXTS.get(name)
        operators = _NUMBER_OPERATORS if name in _NUMBERS else _TEXT_OPERATORS
        if texts is None or operator not in operators:
            return None
        compare = _COMPARISONS[operator](value)
        return lambda item: any(map(compare, texts(item)))

    def _notes_of_children(self, item: Item) -> list[str]:
        return [text for child in self.snapshot.children.get(item.key, ()) for text in _own_note(child)]


def _field(name: str) -> _Texts:
    base = BASE_FIELDS.get(name, name)
    names = (base, *SPECIFIC_FIELDS.get(base, ()))
    return lambda item: [text for name in names for text in _strings(item.data.get(name))]


def _strings(value: object) -> tuple[str, ...]:
    return (str(value),) if isinstance(value, str | int) and value != "" else ()


def _own_note(item: Item) -> tuple[str, ...]:
    return _strings(item.data.get("note")) if item.type == "note" else ()


def _creators(name: str, item: Item) -> list[str]:
    creators = [
        c for c in item.data.get("creators") or () if name not in _CREATOR_TYPES or c.get("creatorType") == name
    ]
    if name == "lastName":
        return [str(c.get("lastName") or c.get("name") or "") for c in creators]
    return [str(c.get("name") or f"{c.get('firstName') or ''} {c.get('lastName') or ''}").strip() for c in creators]


def _any_field(item: Item) -> list[str]:
    fields = [text for name in item.data if name in _FIELD_NAMES for text in _strings(item.data[name])]
    return [*fields, *item.tags, *_own_note(item), *_creators("creator", item)]


# Functions that give the texts of an item for a condition.
_TEXTS: dict[str, _Texts] = {
    **{name: _field(name) for name in _FIELD_NAMES},
    **{name: partial(_creators, name) for name in ("creator", "lastName", *_CREATOR_TYPES)},
    **dict.fromkeys(("anyField", "quicksearch-fields"), _any_field),
    "annotationText": lambda item: _strings(item.data.get("annotationText")),
    "annotationComment": lambda item: _strings(item.data.get("annotationComment")),
    "tag": lambda item: item.tags,
    "itemType": lambda item: (item.type,),
    "key": lambda item: (item.key,),
    "year": lambda item: [f"{sortable_date(text)[0]:04}" for text in _TEXTS["date"](item)],
    "note": _own_note,
}


def _like(pattern: str, *, anywhere: bool) -> Callable[[str], bool]:
    """Return a predicate like SQLite's LIKE: % is any text, _ one character, ASCII case is ignored."""
    pieces = [
        re.compile(re.escape(piece).replace("_", "."), re.DOTALL) for piece in pattern.translate(_LOWER).split("%")
    ]

    def fits(text: str) -> bool:
        text = text.translate(_LOWER)
        at = 0
        for number, piece in enumerate(pieces):
            found = piece.match(text) if number == 0 and not anywhere else piece.search(text, at)
            if not found:
                return False
            at = found.end()
        return True

    return fits


def _number_fits(less: bool, value: str) -> Callable[[str], bool]:
    bound = int(value) if re.fullmatch(r"-?[0-9]{1,18}", value.strip()) else None

    def fits(text: str) -> bool:
        if bound is None or not re.fullmatch(r"(?:0|-?[1-9][0-9]{0,17})", text):
            return False
        return int(text) < bound if less else int(text) > bound

    return fits


_COMPARISONS: dict[str, Callable[[str], Callable[[str], bool]]] = {
    "is": lambda value: lambda text: text == value,
    "contains": partial(_like, anywhere=True),
    "beginsWith": partial(_like, anywhere=False),
    "isLessThan": partial(_number_fits, True),
    "isGreaterThan": partial(_number_fits, False),
}


def _date_fits(operator: str, value: str, item: Item) -> bool:
    return any(_day_fits(operator, value, sortable_date(text), text) for text in _field("date")(item))


def _time_stamp_fits(name: str, operator: str, value: str, item: Item) -> bool:
    """Compare a time stamp with a day in local time, or with a time stamp."""
    try:
        time_stamp = datetime.fromisoformat(str(item.data.get(name))).replace(tzinfo=UTC)
        day = time_stamp.astimezone().date()
    except (ValueError, OverflowError):
        return False
    if re.fullmatch(r"[0-9]{4}-\d\d-\d\d \d\d:\d\d:\d\d", value) and operator != "isInTheLast":
        written = time_stamp.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
        return {"is": written == value, "isBefore": written < value, "isAfter": written > value}[operator]
    return _day_fits(operator, value, (day.year, day.month, day.day), "")


def _day_fits(operator: str, value: str, day: tuple[int, int, int], text: str) -> bool:
    """Compare a day with one that may lack day or month: "is 2020" matches its days, "is after 2020" none of them."""
    if operator == "isInTheLast":
        since = _start_of_period(value)
        return since is not None and day > (since.year, since.month, since.day)
    days_on = {"yesterday": -1, "today": 0, "tomorrow": 1}.get(value.strip().lower())
    if days_on is not None:
        value = (date.today() + timedelta(days=days_on)).isoformat()
    wanted = sortable_date(value)
    if not wanted[0]:
        return operator == "is" and bool(value.strip()) and value.strip().translate(_LOWER) in text.translate(_LOWER)
    known = 3 - wanted.count(0)
    if operator == "is":
        season = to_csl_date(value).get("season", "")
        return day[:known] == wanted[:known] and season.translate(_LOWER) in text.translate(_LOWER)
    return (0, 0, 0) < day < wanted if operator == "isBefore" else day[:known] > wanted[:known]


def _start_of_period(value: str) -> date | None:
    """Return the date a period before today."""
    match = _PERIOD.fullmatch(value)
    if not match:
        return None
    number, unit = int(match[1]), match[2].lower()
    today = date.today()
    try:
        if unit in ("day", "week"):
            return today - timedelta(days=number * (7 if unit == "week" else 1))
        months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
        return date(months // 12, months % 12 + 1, 1) + timedelta(days=today.day - 1)
    except (ValueError, OverflowError):
        return date.min


def _cannot_run(search: SavedSearch, condition: str, operator: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"Only Zotero itself can run the saved search '{search.name}': it has the condition '{condition} {operator}'.",
        "Open Zotero, which runs the search itself, and try again.",
        condition=condition,
        operator=operator,
    )
