"""The text of a passage, to read and select; with its neighbours where there is no page to show."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from citeloom.core.text.sanitize import clean
from citeloom.desktop.text.hit_text import highlight_spans, utf16

_MARKER = QColor(255, 214, 10, 60)
_LINES_ABOVE = 3  # of what stands before, so that one sees that there is more


class PassageText(QPlainTextEdit):
    """Read-only; the words of the question are set off, and the passage from what stands around it."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(self.tr("Passage"))
        self._passage, self._start, self._alone = "", 0, True

    def show_passage(self, passage: str, question: str, before: str = "", after: str = "") -> None:
        """Show a passage, and what stands before and after it."""
        passage, before, after = clean(passage), clean(before), clean(after)
        self.setPlainText("\n\n".join(part for part in (before, passage, after) if part))
        self._passage, self._alone = passage, not (before or after)
        self._start = utf16(before, len(before)) + 2 if before else 0
        self.show_question(question)
        # Once it has been laid out in the room that it gets.
        QTimer.singleShot(0, self, lambda: self._scroll_to(self._start))

    def show_question(self, question: str) -> None:
        """Set off the words of a question."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # laid out once, not at every word
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setCharFormat(QTextCharFormat())
        if not self._alone:
            ground = QTextCharFormat()
            ground.setBackground(_MARKER)
            self._give(cursor, (0, len(self._passage)), ground)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        for place in highlight_spans(self._passage, question):
            self._give(cursor, place, bold)
        cursor.endEditBlock()

    def selected(self) -> str | None:
        """What is selected of the passage itself, which alone the citation speaks of; None where nothing is."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        end = self._start + utf16(self._passage, len(self._passage))
        first, last = (min(max(at, self._start), end) for at in (cursor.selectionStart(), cursor.selectionEnd()))
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selection().toPlainText().strip()

    def _scroll_to(self, at: int) -> None:
        line = self.document().findBlock(at).firstLineNumber()
        self.verticalScrollBar().setValue(max(0, line - _LINES_ABOVE))

    def _give(self, cursor: QTextCursor, place: tuple[int, int], form: QTextCharFormat) -> None:
        first, last = (self._start + utf16(self._passage, at) for at in place)
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(form)
