"""Build the sample library in ``citeloom/sample``: journal-like PDFs, ``library.json`` and ``library.bib``.

Every work is one file in ``texts/``: a front matter of ``name: value`` lines, then the article in a small
part of Markdown (``##`` and ``###`` headings, paragraphs, ``>`` quotations, ``-`` reference entries, one kind
of table). The output is the same, byte for byte, on every run.

Run it with ``python references/generate.py``; it needs the package ``reportlab``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.fonts import addMapping
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfdoc import PDFPageLabel
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

HERE = Path(__file__).resolve().parent
TEXTS = HERE / "texts"
SAMPLE = HERE.parent / "citeloom" / "sample"
PAPERS = SAMPLE / "papers"

JOURNAL_PAGE = (170 * mm, 244 * mm)
COLUMN_GAP = 6 * mm
SOFT_HYPHEN = "\u00ad"
SUMMARY_HEADINGS = {"Abstract", "Summary", "Zusammenfassung"}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
LANGIDS = {"en-GB": "british", "en-US": "american", "de-DE": "ngerman"}

# Places where an English word may be broken: after these beginnings and before these endings.
BEGINNINGS = ("inter", "under", "trans", "over", "con", "com", "dis", "pre", "pro", "per", "mis", "sub")
ENDINGS = (
    "tions",
    "tion",
    "sions",
    "sion",
    "ments",
    "ment",
    "ness",
    "land",
    "light",
    "lights",
    "cance",
    "ture",
)
ENDINGS += ("metres", "metre", "tance", "ties", "ber", "ble", "bly", "tive", "cally", "ly")

LATEX = {
    "ä": '{\\"a}',
    "ö": '{\\"o}',
    "ü": '{\\"u}',
    "Ä": '{\\"A}',
    "Ö": '{\\"O}',
    "Ü": '{\\"U}',
    "ß": "{\\ss}",
    "ø": "{\\o}",
    "à": "{\\`a}",
    "\u2013": "--",
    "—": "---",
    "\u2019": "'",
    "“": "``",
    "”": "''",
    "„": "{\\quotedblbase}",
    "°": "{$^\\circ$}",
    "²": "{$^2$}",
    "%": "\\%",
    "&": "\\&",
}


@dataclass(frozen=True)
class Block:
    """One piece of an article: heading1, heading2, paragraph, quotation, reference or table."""

    kind: str
    text: str
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass
class Work:
    """One article: its record and its text."""

    record: dict[str, str]
    blocks: list[Block] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.record.get(name, "")

    def is_set(self, name: str, default: str = "no") -> bool:
        return self.record.get(name, default) == "yes"

    @property
    def columns(self) -> int:
        return int(self["columns"])

    @property
    def first_page(self) -> int:
        return int(self["pages"].split("-")[0])

    @property
    def last_page(self) -> int:
        return int(self["pages"].split("-")[1])

    @property
    def authors(self) -> list[tuple[str, str]]:
        """The authors as (family name, given name)."""
        pairs = (entry.split(",", 1) for entry in self["authors"].split(";"))
        return [(family.strip(), given.strip()) for family, given in pairs]

    @property
    def keywords(self) -> list[str]:
        return [word.strip() for word in self["keywords"].split(";")]

    @property
    def url(self) -> str:
        return self["url"] or f"https://doi.org/{self['doi']}"

    @property
    def abstract(self) -> str:
        """The summary of the article as plain text."""
        paragraphs: list[str] = []
        inside = False
        for block in self.blocks:
            if block.kind == "heading1":
                inside = block.text in SUMMARY_HEADINGS
            elif inside:
                paragraphs.append(block.text.replace("*", ""))
        return "\n\n".join(paragraphs)


# --- reading the texts ---------------------------------------------------------------------------------


def read_work(path: Path) -> Work:
    """Read one file of ``texts/``."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    record: dict[str, str] = {}
    for line in front.splitlines():
        name, _, value = line.partition(":")
        record[name.strip()] = value.strip()
    return Work(record, read_blocks(body))


def read_blocks(body: str) -> list[Block]:
    """Split the Markdown-like body into blocks."""
    blocks: list[Block] = []
    for chunk in re.split(r"\n\s*\n", body.strip()):
        lines = chunk.splitlines()
        if chunk.startswith("### "):
            blocks.append(Block("heading2", chunk[4:].strip()))
        elif chunk.startswith("## "):
            blocks.append(Block("heading1", chunk[3:].strip()))
        elif chunk.startswith("> "):
            blocks.append(Block("quotation", " ".join(line.removeprefix("> ") for line in lines)))
        elif chunk.startswith("- "):
            blocks.extend(Block("reference", line[2:].strip()) for line in lines)
        elif chunk.startswith("|"):
            caption = blocks.pop()
            cells = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines]
            rows = tuple(row for row in cells if not set("".join(row)) <= set("-: "))
            blocks.append(Block("table", caption.text, rows))
        else:
            blocks.append(Block("paragraph", " ".join(lines)))
    return blocks


# --- type setting --------------------------------------------------------------------------------------


def register_ligature_fonts() -> None:
    """Give the standard Times fonts an encoding that has the ligatures fi and fl."""
    faces = {(0, 0): "Times-Roman", (0, 1): "Times-Italic", (1, 0): "Times-Bold", (1, 1): "Times-BoldItalic"}
    for (bold, italic), face in faces.items():
        pdfmetrics.registerFont(pdfmetrics.Font(f"{face}-Lig", face, "MacRomanEncoding"))
        addMapping("Times-Lig", bold, italic, f"{face}-Lig")


def hyphenate(word: str) -> str:
    """Put soft hyphens into a long English word, at a few safe places."""
    if len(word) < 7 or not word.isalpha():
        return word
    doubled = re.fullmatch(r"(\w+([bdglmnprt]))(\2ing)", word)
    if doubled and not word.endswith("lling"):
        return f"{doubled[1]}{SOFT_HYPHEN}{doubled[3]}"
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = f"{word[: -len(ending)]}{SOFT_HYPHEN}{ending}"
            break
    for beginning in BEGINNINGS:
        if word.lower().startswith(beginning) and len(word) - len(beginning) >= 4:
            return f"{word[: len(beginning)]}{SOFT_HYPHEN}{word[len(beginning) :]}"
    return word


def markup(text: str, work: Work) -> str:
    """Turn the text of a block into the markup of a reportlab paragraph."""
    if work.is_set("hyphenate"):
        text = re.sub(r"[A-Za-z]+", lambda match: hyphenate(match.group()), text)
    if work.is_set("ligatures"):
        text = text.replace("fi", "\ufb01").replace("fl", "\ufb02")
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", escape(text, quote=False))


def styles_for(work: Work) -> dict[str, ParagraphStyle]:
    """The paragraph styles of one article."""
    if work.is_set("ligatures"):
        roman, bold, italic = "Times-Roman-Lig", "Times-Bold-Lig", "Times-Italic-Lig"
    elif work["font"] == "Helvetica":
        roman, bold, italic = "Helvetica", "Helvetica-Bold", "Helvetica-Oblique"
    else:
        roman, bold, italic = "Times-Roman", "Times-Bold", "Times-Italic"
    size = float(work["font_size"])
    narrow = work.columns == 2
    body = ParagraphStyle(
        "body",
        fontName=roman,
        fontSize=size,
        leading=size * 1.28,
        alignment=TA_JUSTIFY,
        allowWidows=0,
        allowOrphans=0,
        embeddedHyphenation=1,
    )
    heading = ParagraphStyle(
        "heading1", body, fontName=bold, fontSize=size + 1.2, leading=(size + 1.2) * 1.2, alignment=TA_LEFT
    )
    small = ParagraphStyle("small", body, fontSize=size - 0.8, leading=(size - 0.8) * 1.22)
    centre = TA_LEFT if narrow else TA_CENTER
    return {
        "title": ParagraphStyle(
            "title", heading, fontSize=size + 7, leading=(size + 7) * 1.15, alignment=centre, spaceAfter=7
        ),
        "authors": ParagraphStyle("authors", body, fontSize=size + 1, alignment=centre, spaceAfter=3),
        "affiliation": ParagraphStyle("affiliation", small, fontName=italic, alignment=centre, spaceAfter=3),
        "doi": ParagraphStyle("doi", small, alignment=centre, spaceAfter=4),
        "heading1": ParagraphStyle("heading1", heading, spaceBefore=size, spaceAfter=size * 0.35),
        "heading2": ParagraphStyle(
            "heading2",
            heading,
            fontName=italic,
            fontSize=size + 0.3,
            spaceBefore=size * 0.7,
            spaceAfter=size * 0.25,
        ),
        "first": body,
        "paragraph": ParagraphStyle("paragraph", body, firstLineIndent=size * 1.1),
        "summary": ParagraphStyle("summary", small, leftIndent=14, rightIndent=14, spaceAfter=3),
        "keywords": ParagraphStyle(
            "keywords", small, leftIndent=14, rightIndent=14, spaceBefore=3, spaceAfter=6, alignment=TA_LEFT
        ),
        "quotation": ParagraphStyle("quotation", small, leftIndent=16, rightIndent=16, spaceBefore=5, spaceAfter=5),
        "reference": ParagraphStyle(
            "reference", small, leftIndent=12, firstLineIndent=-12, spaceAfter=2, alignment=TA_LEFT
        ),
        "caption": ParagraphStyle("caption", small, spaceBefore=8, spaceAfter=4, alignment=TA_LEFT),
        "cell": ParagraphStyle("cell", small, alignment=TA_LEFT, splitLongWords=0),
    }


class Heading(Paragraph):
    """A heading that enters itself into the PDF outline."""

    def __init__(self, text: str, style: ParagraphStyle, entry: str, level: int) -> None:
        super().__init__(text, style)
        self.entry = entry
        self.level = level


class FloatingTable(KeepTogether):
    """A table that waits for the next column if there is no room for it in this one."""

    def __init__(self, parts: list[Flowable], needed: float) -> None:
        super().__init__(parts)
        self.needed = needed


class JournalArticle(BaseDocTemplate):
    """The pages of one article, with running header and printed page numbers."""

    def __init__(self, work: Work, target: Path, head_height: float) -> None:
        described = work.is_set("metadata", "yes")
        wide = work["page_size"] == "a4"
        margin = (25 if work.columns == 1 else 17) * mm
        super().__init__(
            str(target),
            pagesize=A4 if wide else JOURNAL_PAGE,
            leftMargin=margin,
            rightMargin=margin,
            topMargin=24 * mm,
            bottomMargin=22 * mm,
            title=work["title"] if described else None,
            author="; ".join(f"{given} {family}" for family, given in work.authors) if described else None,
            lang=work["language"],
            invariant=1,
        )
        self.work = work
        self.entries = 0
        self.waiting: list[Flowable] = []
        later = self.column_frames(0.0)
        first = later
        if work.columns == 2:
            head = Frame(
                self.leftMargin,
                self.bottomMargin + self.height - head_height,
                self.width,
                head_height,
                leftPadding=0,
                rightPadding=0,
                topPadding=0,
                bottomPadding=0,
            )
            first = [head, *self.column_frames(head_height + 4 * mm)]
        self.addPageTemplates(
            [
                PageTemplate("first", first, onPage=self.draw_first_header, onPageEnd=self.draw_footer),
                PageTemplate("later", later, onPage=self.draw_header, onPageEnd=self.draw_footer),
            ]
        )

    def column_frames(self, used: float) -> list[Frame]:
        """The text columns below a head of the given height."""
        count = self.work.columns
        width = (self.width - (count - 1) * COLUMN_GAP) / count
        return [
            Frame(
                self.leftMargin + index * (width + COLUMN_GAP),
                self.bottomMargin,
                width,
                self.height - used,
                leftPadding=0,
                rightPadding=0,
                topPadding=0,
                bottomPadding=0,
            )
            for index in range(count)
        ]

    @property
    def header_font(self) -> str:
        return "Helvetica" if self.work["font"] == "Helvetica" else "Times-Roman"

    def draw_first_header(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        work = self.work
        issue = f"{work['journal']} {work['volume']}({work['issue']}), {work['year']}"
        label = "S." if work["language"].startswith("de") else "pp."
        self.draw_header_line(canvas, issue, f"{label} {work.first_page}\u2013{work.last_page}")

    def draw_header(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        work = self.work
        self.draw_header_line(canvas, work["journal"], work["short_title"])

    def draw_header_line(self, canvas: Canvas, left: str, right: str) -> None:
        top = self.bottomMargin + self.height + 5 * mm
        canvas.saveState()
        canvas.setFont(self.header_font, 8.5)
        canvas.drawString(self.leftMargin, top, left)
        canvas.drawRightString(self.leftMargin + self.width, top, right)
        canvas.setLineWidth(0.4)
        canvas.line(self.leftMargin, top - 3, self.leftMargin + self.width, top - 3)
        canvas.restoreState()

    def draw_footer(self, canvas: Canvas, _doc: BaseDocTemplate) -> None:
        canvas.saveState()
        canvas.setFont(self.header_font, 9)
        number = str(self.work.first_page + self.page - 1)
        canvas.drawCentredString(self.leftMargin + self.width / 2, self.bottomMargin - 9 * mm, number)
        canvas.restoreState()

    def beforeDocument(self) -> None:  # noqa: N802 (the name is reportlab's)
        if self.work.is_set("page_labels"):
            self.canv.addPageLabel(0, style=PDFPageLabel.ARABIC, start=self.work.first_page)
        if self.work.is_set("outline"):
            self.canv.showOutline()

    def handle_flowable(self, flowables: list[Flowable]) -> None:
        first = flowables[0]
        floats = isinstance(first, FloatingTable) and flowables is not self._hanging
        if floats and first.needed > self.frame._y - self.frame._y1p:
            self.waiting.append(flowables.pop(0))
        else:
            super().handle_flowable(flowables)

    def handle_frameBegin(self, *args: Any, **kwargs: Any) -> None:  # noqa: N802 (the name is reportlab's)
        super().handle_frameBegin(*args, **kwargs)
        self._hanging += self.waiting
        self.waiting = []

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 (the name is reportlab's)
        if isinstance(flowable, Heading) and self.work.is_set("outline"):
            self.entries += 1
            key = f"section-{self.entries}"
            self.canv.bookmarkHorizontal(key, 0, flowable.height + 6)
            self.canv.addOutlineEntry(flowable.entry, key, flowable.level, closed=False)


def table_of(block: Block, work: Work, styles: dict[str, ParagraphStyle], width: float) -> Flowable:
    """A table with its caption above it."""
    label, _, rest = block.text.partition(". ")
    caption = Paragraph(f"<b>{label}.</b> {markup(rest, work)}", styles["caption"])
    count = len(block.rows[0])
    first = width * (0.40 if count <= 4 else 0.30 if work.columns == 1 else 0.255)
    widths = [first] + [(width - first) / (count - 1)] * (count - 1)
    cells = [[Paragraph(markup(cell, work), styles["cell"]) for cell in row] for row in block.rows]
    table = Table(cells, colWidths=widths, hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
                ("LINEBELOW", (0, 0), (-1, 0), 0.4, colors.black),
                ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 1),
                ("RIGHTPADDING", (0, 0), (-1, -1), 3),
                ("TOPPADDING", (0, 0), (-1, -1), 1.5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ]
        )
    )
    parts: list[Flowable] = [caption, table, Spacer(1, 8)]
    return FloatingTable(parts, height_of(parts, width))


def head_of(work: Work, styles: dict[str, ParagraphStyle]) -> list[Flowable]:
    """Title, authors and address."""
    names = [f"{given} {family}" for family, given in work.authors]
    joined = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    if work["language"].startswith("de"):
        joined = joined.replace(" and ", " und ")
    head: list[Flowable] = [
        Paragraph(markup(work["title"], work), styles["title"]),
        Paragraph(markup(joined, work), styles["authors"]),
        Paragraph(markup(work["affiliation"], work), styles["affiliation"]),
    ]
    if work.is_set("print_doi"):
        head.append(Paragraph(f"https://doi.org/{work['doi']}", styles["doi"]))
    return head


def story_of(work: Work, styles: dict[str, ParagraphStyle], width: float) -> tuple[list[Flowable], list[Flowable]]:
    """The head of the article (with its summary) and the body."""
    head = head_of(work, styles)
    body: list[Flowable] = []
    target = head
    in_summary = False
    previous = ""
    for block in work.blocks:
        text = markup(block.text, work)
        if block.kind == "heading1":
            if in_summary:
                label = "Schlagwörter" if work["language"].startswith("de") else "Keywords"
                words = markup("; ".join(work.keywords), work)
                target.append(Paragraph(f"<b>{label}:</b> {words}", styles["keywords"]))
            in_summary = block.text in SUMMARY_HEADINGS
            target = head if in_summary else body
            room = styles["heading1"].leading * (6 if target is body else 1)
            target += [CondPageBreak(room), Heading(text, styles["heading1"], block.text, 0)]
        elif block.kind == "heading2":
            if previous != "heading1":
                target.append(CondPageBreak(styles["heading2"].leading * 4))
            target.append(Heading(text, styles["heading2"], block.text, 1))
        elif block.kind == "table":
            target.append(table_of(block, work, styles, width))
        elif block.kind == "paragraph":
            if in_summary:
                style = styles["summary"]
            else:
                style = styles["paragraph" if previous in {"paragraph", "table"} else "first"]
            target.append(Paragraph(text, style))
        else:
            target.append(Paragraph(text, styles[block.kind]))
        previous = block.kind
    return head, body


def height_of(flowables: list[Flowable], width: float) -> float:
    """The height of flowables set one below the other."""
    total = 0.0
    for flowable in flowables:
        total += flowable.wrap(width, 10_000)[1] + flowable.getSpaceBefore() + flowable.getSpaceAfter()
    return total


def build_pdf(work: Work) -> int:
    """Write the PDF of one article and return the number of its pages."""
    styles = styles_for(work)
    target = PAPERS / work["file"]
    measure = JournalArticle(work, target, 100.0)
    column = (measure.width - (work.columns - 1) * COLUMN_GAP) / work.columns
    head_height = height_of(story_of(work, styles, column)[0], measure.width) + 2
    article = JournalArticle(work, target, head_height)
    head, body = story_of(work, styles, column)
    between: list[Flowable] = [NextPageTemplate("later")]
    if work.columns == 2:
        between.append(FrameBreak())
    article.build([*head, *between, *body])
    if article.waiting:
        raise ValueError(f"{work['key']}: a table found no place")
    return int(article.page)


# --- records -------------------------------------------------------------------------------------------


def csl_record(work: Work) -> dict[str, Any]:
    """One work as CSL-JSON."""
    date = [int(work["year"])] + ([int(work["month"])] if work["month"] else [])
    record: dict[str, Any] = {
        "id": work["key"],
        "abstract": work.abstract,
        "author": [{"family": family, "given": given} for family, given in work.authors],
        "citation-key": work["key"],
        "container-title": work["journal"],
        "DOI": work["doi"],
        "issue": work["issue"],
        "issued": {"date-parts": [date]},
        "keyword": ", ".join(work.keywords),
        "language": work["language"],
        "page": work["pages"],
        "title": work["title"],
        "title-short": work["title"].partition(":")[0] if ":" in work["title"] else "",
        "type": "article-journal",
        "URL": work.url,
        "volume": work["volume"],
    }
    return {name: value for name, value in record.items() if value}


def latex(text: str) -> str:
    """Write text with LaTeX commands for everything beyond ASCII."""
    return "".join(LATEX.get(letter, letter) for letter in text)


def bibtex_record(work: Work) -> str:
    """One work as BibTeX."""
    fields = {
        "title": f"{{{{{latex(work['title'])}}}}}",
        "author": f"{{{latex(' and '.join(f'{family}, {given}' for family, given in work.authors))}}}",
        "year": f"{{{work['year']}}}",
        "month": MONTHS[int(work["month"]) - 1] if work["month"] else "",
        "journal": f"{{{latex(work['journal'])}}}",
        "volume": f"{{{work['volume']}}}",
        "number": f"{{{work['issue']}}}",
        "pages": f"{{{work['pages'].replace('-', '--')}}}",
        "doi": f"{{{work['doi']}}}" if work["doi"] else "",
        "url": f"{{{work.url}}}",
        "abstract": f"{{{latex(work.abstract)}}}",
        "langid": f"{{{LANGIDS[work['language']]}}}",
        "keywords": f"{{{latex(','.join(work.keywords))}}}",
        "file": f"{{papers/{work['file']}}}",
    }
    lines = ",\n".join(f"  {name} = {value}" for name, value in fields.items() if value)
    return f"@article{{{work['key']},\n{lines}\n}}\n"


def main() -> None:
    """Build everything; fail if the pages of a PDF do not match its record."""
    register_ligature_fonts()
    PAPERS.mkdir(parents=True, exist_ok=True)
    works = sorted((read_work(path) for path in TEXTS.glob("*.md")), key=lambda work: work["key"])
    wrong: list[str] = []
    for work in works:
        pages = build_pdf(work)
        print(f"{work['key']}: {pages} pages, printed {work['pages']}")
        if pages != work.last_page - work.first_page + 1:
            wrong.append(f"{work['key']}: {pages} pages, but the record says {work['pages']}")
    records = json.dumps([csl_record(work) for work in works], ensure_ascii=False, indent=2)
    (SAMPLE / "library.json").write_text(records + "\n", encoding="utf-8", newline="\n")
    entries = "\n".join(bibtex_record(work) for work in works)
    (SAMPLE / "library.bib").write_text(entries, encoding="utf-8", newline="\n")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
