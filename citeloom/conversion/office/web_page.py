"""Reader of HTML: visible text with headings, lists and tables, without navigation.

The page is parsed as a stream of tags, so that deep nesting does no harm; addresses are dropped, so that nothing can be
fetched.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path

from lxml import etree

from citeloom.conversion.docling import markers
from citeloom.conversion.office.zip_package import harmful, other_format
from citeloom.conversion.text_tools import is_binary

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LISTS = ("ul", "ol")
PARAGRAPH = "\x1c"  # separates paragraphs in a node's text
LINE_BREAK = "\x0b"

_NOT_RENDERED = {
    "script", "style", "template", "noscript", "noframes", "iframe", "object", "applet", "audio", "video",
    "canvas", "svg", "map", "datalist", "rp",
}  # fmt: skip
_CONTROLS = {"nav", "button", "select", "textarea", "dialog"}
_CONTROL_ROLES = {
    "navigation", "banner", "search", "menu", "menubar", "toolbar", "tablist", "dialog", "alertdialog", "contentinfo",
}  # fmt: skip
_FOR_SCREEN_READERS = {"sr-only", "visually-hidden", "u-visually-hidden", "screen-reader-text"}
_INLINE = {"span", "a", "b", "em", "i", "img", "nobr", "small", "strong", "sup"}
_PARAGRAPH_BREAKS = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "footer", "form", "header", "hgroup", "hr", "legend", "main", "menu", "p", "section", "summary",
}  # fmt: skip
_ALLOWED_PARENTS = {
    "li": LISTS, "tr": ("table",), "caption": ("table",), "td": ("tr", "table"), "th": ("tr", "table"),
    "figcaption": ("figure",),
}  # fmt: skip
_STRUCTURE = {*HEADINGS, *LISTS, *_ALLOWED_PARENTS, "table", "pre", "figure"}
_NOTES = {f"{prefix}{place}note{s}" for prefix in ("", "doc-") for place in ("foot", "end", "rear") for s in ("", "s")}
_NOTE_TAGS = {"aside", "div", "dl", "li", "ol", "p", "section", "ul"}
_HIDDEN = re.compile(r"display:none|visibility:(?:hidden|collapse)")
_FORMULA_PICTURE = re.compile(r"\b(?:tex|latex|math)\b", re.I)
_DISPLAY_STYLE = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.S)
_TITLES = ("citation_title", "dc.title", "dcterms.title", "og:title")
_DOIS = ("citation_doi", "dc.identifier", "dc.identifier.doi", "prism.doi", "bepress_citation_doi")
_MAX_DEPTH = 24  # of nested lists and tables; deeper content is read as paragraphs
_REAL_PARAGRAPH = 100  # characters; lists of links above the first such paragraph are navigation
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
_CHARSETS = re.compile(r"^(?:utf|iso|windows|cp|koi|mac|gb|big5|euc|shift|sjis|tis|latin|ascii|us-ascii)[\w-]*$")
_WESTERN = {"ascii", "iso8859-1", "cp1252"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_EMPTY_TAG = re.compile(r"<([A-Za-z][\w:.-]*)(\s[^<>]*?)?/>")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
_DTD = re.compile(r"<!DOCTYPE[^\[>]*\[.*?\]\s*>", re.S)
_ENTITY_OF_ENTITIES = re.compile(r"""<!ENTITY\s+\S+\s+(?:"[^"]*&\w+;|'[^']*&\w+;)""")
_RESERVED = str.maketrans({PARAGRAPH: " ", LINE_BREAK: " "})


@dataclass(slots=True)
class Node:
    """A heading, list, table, … with its text and child nodes."""

    tag: str
    children: list[Node | str] = field(default_factory=list)
    attributes: Mapping[str, str] = field(default_factory=dict)  # start of a list, spans of a cell
    unlinked: bool = False  # has text outside of links

    def nodes(self) -> Iterator[Node]:
        """Yield the descendant nodes."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.nodes()

    def text(self) -> str:
        """Return all text of the node on one line."""
        return " ".join(
            "".join(f" {child.text()} " if isinstance(child, Node) else child for child in self.children).split()
        )


@dataclass(slots=True)
class WebPage:
    """Parsed page: content, metadata and visible texts."""

    body: Node = field(default_factory=lambda: Node("body"))
    titles: list[str] = field(default_factory=list)  # from the metadata, the best first
    dois: list[str] = field(default_factory=list)  # from the metadata
    visible: list[str] = field(default_factory=list)  # visible texts
    omitted: list[str] = field(default_factory=list)  # of these, navigation and other texts that are not content
    warnings: list[str] = field(default_factory=list)


class _Mode(Enum):
    READ = auto()
    OMIT = auto()  # visible, but no content
    HIDDEN = auto()
    INVISIBLE = auto()


@dataclass(slots=True)
class _OpenTag:
    """An open tag, and the state to restore when it ends."""

    tag: str
    depth: int
    mode: _Mode
    links: int
    main_from: int | None = None


class _Reader:
    """Parser target that builds a WebPage from the events of lxml."""

    def __init__(self) -> None:
        self.page = WebPage()
        self.meta: dict[str, list[str]] = {}
        self.main_spans: list[tuple[int, int]] = []  # start and end of each main element among the body's child nodes
        self.stack = [self.page.body]
        self.open: list[_OpenTag] = []
        self.mode = _Mode.READ
        self.links = 0
        self.title: list[str] | None = None
        self.formula: list[str] | None = None  # text of the open formula
        self.tex: str = ""
        self.in_tex = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        opened = _OpenTag(tag, len(self.stack), self.mode, self.links)
        self.open.append(opened)
        if self.mode is _Mode.INVISIBLE:
            return
        if self.formula is not None:
            self.in_tex = tag == "annotation" and "tex" in attributes.get("encoding", "")
            return
        if tag == "math":
            # A picture of the formula may be displayed instead: this is its text, even if it is hidden.
            self.formula, self.tex = [], attributes.get("alttext", "")
            return
        if tag in _NOT_RENDERED:
            self.mode = _Mode.INVISIBLE
        elif self.mode is _Mode.HIDDEN or _is_hidden(tag, attributes):
            self.mode = _Mode.HIDDEN if tag in _INLINE else _Mode.INVISIBLE
        elif self.mode is _Mode.READ and self.is_control(tag, attributes):
            self.mode = _Mode.OMIT
        if self.mode is _Mode.READ:
            self.read(tag, attributes, opened)
        elif self.mode is _Mode.OMIT and tag not in _INLINE:
            self.page.visible.append("\n")
            self.page.omitted.append("\n")

    def is_control(self, tag: str, attributes: Mapping[str, str]) -> bool:
        if tag == "footer":
            return not any(above.tag in ("article", "main") for above in self.open)
        return tag in _CONTROLS or attributes.get("role", "").lower() in _CONTROL_ROLES

    def read(self, tag: str, attributes: Mapping[str, str], opened: _OpenTag) -> None:
        if tag == "title":
            self.title = []
        elif tag == "meta":
            name = (attributes.get("name") or attributes.get("property") or "").lower()
            self.meta.setdefault(name, []).append(" ".join(attributes.get("content", "").split()))
        elif tag == "br":
            self.page.visible.append("\n")
            self.add(LINE_BREAK)
        elif tag == "a":
            self.links += 1
        elif tag == "img" and _FORMULA_PICTURE.search(attributes.get("class", "").replace("-", " ")):
            self.data(attributes.get("alt", ""))
        elif tag in _STRUCTURE or tag in _PARAGRAPH_BREAKS:
            self.paragraph()
            if self.is_note(tag, attributes):
                self.open_node(Node("note"))
            if tag in _STRUCTURE:
                self.structure(tag, attributes, opened)
        if len(self.stack) == 1 and (tag == "main" or attributes.get("role") == "main"):
            opened.main_from = len(self.page.body.children)

    def is_note(self, tag: str, attributes: Mapping[str, str]) -> bool:
        if tag not in _NOTE_TAGS or self.stack[-1].tag not in ("body", "note") or len(self.stack) > _MAX_DEPTH:
            return False
        kinds = f"{attributes.get('epub:type', '')} {attributes.get('role', '')} {_classes(attributes)}"
        return not _NOTES.isdisjoint(kinds.split())

    def structure(self, tag: str, attributes: Mapping[str, str], opened: _OpenTag) -> None:
        """Open a heading, list, table, … where it is allowed; elsewhere its tag only separates paragraphs."""
        if self.stack[-1].tag in HEADINGS:
            self.stack.pop()  # a heading that was never closed
            opened.depth = len(self.stack)
        parent = self.stack[-1].tag
        if parent == "pre" or len(self.stack) > _MAX_DEPTH or parent not in _ALLOWED_PARENTS.get(tag, (parent,)):
            return
        relevant = {name: attributes[name] for name in ("start", "rowspan", "colspan", "role") if name in attributes}
        self.open_node(Node(tag, attributes=relevant))

    def open_node(self, node: Node) -> None:
        self.stack[-1].children.append(node)
        self.stack.append(node)

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        self.in_tex = False
        if tag == "math" and self.formula is not None:
            text = self.tex or "".join(self.formula)
            self.formula = None
            whole = _DISPLAY_STYLE.match(text.strip())
            self.mode = _Mode.READ if self.mode is _Mode.HIDDEN else self.mode
            self.data(whole[1].strip() if whole else text)
        if tag == "title" and self.title is not None:
            self.meta.setdefault("title", []).append(" ".join("".join(self.title).split()))
            self.title = None
        while self.open:
            closed = self.open.pop()
            ends_paragraph = self.mode is _Mode.READ and (closed.tag in _PARAGRAPH_BREAKS or closed.tag in _STRUCTURE)
            self.mode, self.links = closed.mode, closed.links
            del self.stack[max(1, closed.depth) :]
            if ends_paragraph and self.mode is _Mode.READ:
                self.paragraph()
            if closed.main_from is not None:
                self.main_spans.append((closed.main_from, len(self.page.body.children)))
            if closed.tag == tag:
                break

    def data(self, text: str) -> None:
        text = markers.remove_private_characters(text).translate(_RESERVED)
        if self.formula is not None:
            if self.in_tex:
                self.tex = self.tex or text
            else:
                self.formula.append(text)
        elif self.title is not None:
            self.title.append(text)
        elif self.mode in (_Mode.READ, _Mode.OMIT):
            self.page.visible.append(text)
            if self.mode is _Mode.OMIT:
                self.page.omitted.append(text)
                return
            self.add(text)
            if not self.links and text.strip():
                self.stack[-1].unlinked = True

    def add(self, text: str) -> None:
        self.stack[-1].children.append(text)

    def paragraph(self) -> None:
        self.page.visible.append("\n")
        if self.stack[-1].children[-1:] != [PARAGRAPH]:
            self.add(PARAGRAPH)

    def comment(self, text: str) -> None:
        pass

    def pi(self, target: str, data: str | None = None) -> None:
        pass

    def close(self) -> WebPage:
        page = self.page
        page.titles = [title for name in (*_TITLES, "title") for title in self.meta.get(name, [])[:1] if title]
        page.dois = [value for name in _DOIS for value in self.meta.get(name, [])]
        if len(self.main_spans) == 1:
            _reduce_to_main(page, *self.main_spans[0])
        _drop_menus(page)
        return page


def read_page(data: bytes, path: Path, xhtml: bool) -> WebPage:
    """Parse an HTML or XHTML page."""
    text, warnings = _decode(data, path)
    if _ENTITY_OF_ENTITIES.search(text):
        raise harmful(path, "it defines XML entities made of entities, which can swell without end")
    text = _DTD.sub("", text)
    if xhtml or text.lstrip()[:5] == "<?xml":
        # HTML has no self-closing tags: <title/> would contain the rest of the page.
        text = _EMPTY_TAG.sub(lambda m: m[0] if m[1].lower() in _VOID else f"<{m[1]}{m[2] or ''}></{m[1]}>", text)
    parser = etree.HTMLParser(target=_Reader(), encoding="utf-8", huge_tree=True)
    parser.feed(text.encode("utf-8", "replace"))
    page: WebPage = parser.close()
    page.warnings = warnings
    return page


def _is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    if "hidden" in attributes or _FOR_SCREEN_READERS & set(_classes(attributes).split()):
        return True
    # A page behind an open dialog is marked hidden as a whole, so only small elements are ignored as decoration.
    if tag in _INLINE and attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style", "")[:2000]
    return bool(style) and bool(_HIDDEN.search(re.sub(r"\s+", "", style.lower())))


def _classes(attributes: Mapping[str, str]) -> str:
    return attributes.get("class", "").lower()


def _reduce_to_main(page: WebPage, first: int, last: int) -> None:
    """Reduce a page to its main element if that contains most of the text; a title above it is preserved."""
    children = page.body.children
    around = Node("body", [*children[:first], PARAGRAPH, *children[last:]])
    main = Node("body", children[first:last])
    if len(main.text()) < len(around.text()):
        return
    if not any(node.tag == "h1" for node in main.nodes()):
        titles = [child for child in around.children if isinstance(child, Node) and child.tag == "h1"]
        main.children[:0] = titles
        around.children = [child for child in around.children if child not in titles]
    page.omitted.append(f"\n{around.text()}\n")
    page.body.children = main.children


def _drop_menus(page: WebPage) -> None:
    """Remove lists that consist of links above the first real paragraph: menus, other languages, contents."""
    paragraph = 0
    for at, child in enumerate(page.body.children):
        if isinstance(child, str):
            paragraph = 0 if child == PARAGRAPH else paragraph + len(child)
            if paragraph > _REAL_PARAGRAPH:
                return
        elif child.tag in LISTS and not any(node.unlinked for node in (child, *child.nodes())):
            page.omitted.append(f"\n{child.text()}\n")
            page.body.children[at] = PARAGRAPH


def _decode(data: bytes, path: Path) -> tuple[str, list[str]]:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff"), []
    if is_binary(data):
        raise other_format(path, "html")
    if data.startswith(b"%PDF-"):
        raise other_format(path, "html", "a PDF")
    declared = _charset(data[:8192])
    for encoding in ("utf-8", declared) if declared in _WESTERN else (declared or "utf-8", "utf-8"):
        try:
            return data.decode(encoding), []
        except UnicodeDecodeError:
            continue
    text = data.decode(declared or "cp1252", "replace")
    if declared:
        return text, []
    return text, ["The page does not say how its letters are encoded; read as cp1252, so unusual letters may be wrong."]


def _charset(start: bytes) -> str | None:
    """Return Python's name of the encoding that a page declares; Latin-1 is read as windows-1252, as browsers do."""
    match = _CHARSET.search(start)
    name = match[1].decode("ascii", "replace").lower() if match else ""
    if not _CHARSETS.match(name):
        return None
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return None
    if found.startswith("utf-16") or found.startswith("utf-32"):
        return "utf-8"  # a declaration readable as single bytes cannot be UTF-16
    return "cp1252" if found in _WESTERN else found
