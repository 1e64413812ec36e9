"""Text of a passage to read and select, with its neighbours if there is no page image. Used by `reader`."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from citeloom.core.text.sanitize import clean
from citeloom.desktop.text.hit_text import highlight_spans, utf16

_MARKER = QColor(255, 214, 10, 60)
_LINES_ABOVE = 3  # of the preceding text, to show that there is more


class PassageText(QPlainTextEdit):
    """Read-only text view that highlights the words of the question, and the passage within its context."""

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
        """Show a passage with the text before and after it."""
        passage, before, after = clean(passage), clean(before), clean(after)
        self.setPlainText("\n\n".join(part for part in (before, passage, after) if part))
        self._passage, self._alone = passage, not (before or after)
        self._start = utf16(before, len(before)) + 2 if before else 0
        self.show_question(question)
        # After the text was laid out at its final size.
        QTimer.singleShot(0, self, lambda: self._scroll_to(self._start))

    def show_question(self, question: str) -> None:
        """Highlight the words of a question."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # one layout instead of one per word
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setCharFormat(QTextCharFormat())
        if not self._alone:
            background = QTextCharFormat()
            background.setBackground(_MARKER)
            self._format(cursor, (0, len(self._passage)), background)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.Bold)
        for span in highlight_spans(self._passage, question):
            self._format(cursor, span, bold)
        cursor.endEditBlock()

    def selected(self) -> str | None:
        """Return the selected part of the passage, without the context, which the citation does not cover; or None."""
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

    def _format(self, cursor: QTextCursor, span: tuple[int, int], format_: QTextCharFormat) -> None:
        first, last = (self._start + utf16(self._passage, at) for at in span)
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(format_)
