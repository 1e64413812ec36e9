"""Read-only view of formatted paragraphs, built from plain text: nothing is interpreted as markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QPalette, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit

from citeloom.core.text.sanitize import clean

_MARGIN_ABOVE = 10.0  # pixels above a paragraph with `new`


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of the view."""

    text: str
    bold: bool = False
    muted: bool = False
    new: bool = False  # starts a new part, with space above


class RichTextView(QTextEdit):
    """Read-only view of paragraphs that can be selected and copied."""

    _parts: Sequence[Paragraph] = ()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(10)

    def write(self, parts: Sequence[Paragraph]) -> None:
        """Replace the paragraphs."""
        self._parts = parts
        self.clear()
        cursor = QTextCursor(self.document())
        for number, part in enumerate(parts):
            paragraph = QTextBlockFormat()
            paragraph.setTopMargin(_MARGIN_ABOVE if part.new and number else 2.0)
            letters = QTextCharFormat()
            letters.setFontWeight(QFont.Weight.DemiBold if part.bold else QFont.Weight.Normal)
            role = QPalette.ColorRole.PlaceholderText if part.muted else QPalette.ColorRole.Text
            letters.setForeground(self.palette().color(role))
            if number:
                cursor.insertBlock(paragraph, letters)
            cursor.setCharFormat(letters)
            cursor.insertText(clean(part.text).replace("\n", "\u2028"), letters)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._parts:
            self.write(self._parts)
