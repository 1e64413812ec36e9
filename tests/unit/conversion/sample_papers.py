"""Small papers for the tests, set with reportlab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
TOKENIZER = Path(__file__).parents[3] / "citeloom" / "index" / "models" / "data" / "tokenizer.json"


class Paper:
    """A PDF written line by line, so that a test decides where every word stands."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=A4, invariant=1, **options)
        self.y = HEIGHT - 80

    def line(self, text: str, x: float = 72, font: str = "Times-Roman", size: float = 10, skip: float = 12) -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.y, text)
        self.y -= skip

    def lines(self, texts: list[str], **how: Any) -> None:
        for text in texts:
            self.line(text, **how)

    def heading(self, text: str, size: float = 13, level: int | None = None) -> None:
        self.y -= 10
        if level is not None:
            key = f"{text}-{self.canvas.getPageNumber()}"
            self.canvas.bookmarkPage(key)
            self.canvas.addOutlineEntry(text, key, level)
        self.line(text, font="Times-Bold", size=size, skip=20)

    def at(self, x: float, y: float, text: str, size: float = 9) -> None:
        self.canvas.setFont("Times-Roman", size)
        self.canvas.drawString(x, y, text)

    def new_page(self) -> None:
        self.canvas.showPage()
        self.y = HEIGHT - 80

    def save(self) -> Path:
        self.canvas.save()
        return self.path


def encrypted(path: Path) -> Path:
    paper = Paper(path, encrypt=StandardEncryption("secret", ownerPassword="owner"))
    paper.line("Nobody reads this without the password.")
    return paper.save()


def draw_diagram(paper: Paper) -> None:
    """Draw boxes with words in them, whose layout geometry is not sure of."""
    for at in range(27):
        x, y = 80 + 97 * at % 320, paper.y - 10 - 21 * at
        paper.canvas.rect(x - 4, y - 3, 60, 10)
        paper.at(x, y, f"step {at:02}", size=7)
    paper.y -= 590


FILLER = [
    "The archive holds letters from merchants who wrote about grain, salt and the",
    "weather, and it is seldom that a letter mentions any of the three without the",
    "others. We read all of them in the order in which they had been bound, and we",
    "noted every price together with the place and the day on which it was written.",
]
