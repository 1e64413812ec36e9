"""Text of a file, in letters of one width: a change with its lines coloured, or an entry to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QPalette, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from citeloom.core.text.sanitize import clean

_ADDED, _TAKEN = QColor("#3a9d5d"), QColor("#d1495b")


class _Colours(QSyntaxHighlighter):
    """Colours the lines of a unified diff; the tint lies under the letters, so that both palettes can be read."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view.document())
        self._view = view
        self.on = False

    def highlightBlock(self, line: str) -> None:
        if not self.on:
            return
        letters = QTextCharFormat()
        if line.startswith(("+++", "---", "@@")):
            letters.setForeground(self._view.palette().color(QPalette.ColorRole.PlaceholderText))
        elif line.startswith(("+", "-")):
            tint = QColor(_ADDED if line.startswith("+") else _TAKEN)
            tint.setAlphaF(0.28)
            letters.setBackground(tint)
        self.setFormat(0, len(line), letters)


class CodeView(QPlainTextEdit):
    """Shows a change or an entry."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as files are, wherever they are read
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setMinimumHeight(self.fontMetrics().height() * 10)
        self._colours = _Colours(self)

    def show_diff(self, diff: str) -> None:
        """Show a change."""
        self._colours.on = True
        self.setPlainText(clean(diff))

    def show_text(self, text: str) -> None:
        """Show plain text."""
        self._colours.on = False
        self.setPlainText(clean(text))
