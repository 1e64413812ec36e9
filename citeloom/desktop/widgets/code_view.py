"""Read-only view of code in a fixed-width font: a diff with coloured lines, or an entry to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QPalette, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from citeloom.core.text.sanitize import clean

_ADDED, _REMOVED = QColor("#3a9d5d"), QColor("#d1495b")


class _DiffHighlighter(QSyntaxHighlighter):
    """Highlighter for unified diffs. It tints the background, which stays readable in light and dark palettes."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view.document())
        self._view = view
        self.on = False

    def highlightBlock(self, line: str) -> None:
        if not self.on:
            return
        style = QTextCharFormat()
        if line.startswith(("+++", "---", "@@")):
            style.setForeground(self._view.palette().color(QPalette.ColorRole.PlaceholderText))
        elif line.startswith(("+", "-")):
            tint = QColor(_ADDED if line.startswith("+") else _REMOVED)
            tint.setAlphaF(0.28)
            style.setBackground(tint)
        self.setFormat(0, len(line), style)


class CodeView(QPlainTextEdit):
    """Shows a diff or plain text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # code is left-to-right in every locale
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setMinimumHeight(self.fontMetrics().height() * 10)
        self._highlighter = _DiffHighlighter(self)

    def show_diff(self, diff: str) -> None:
        """Show a unified diff."""
        self._highlighter.on = True
        self.setPlainText(clean(diff))

    def show_text(self, text: str) -> None:
        """Show plain text."""
        self._highlighter.on = False
        self.setPlainText(clean(text))
