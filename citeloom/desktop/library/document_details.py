"""The details of the selected document, below the documents table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from citeloom.api.library import DocumentRow
from citeloom.desktop.text import library_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column


class DocumentDetails(QScrollArea):
    """Shows status, reason of a failure, record, source of the text, warnings and file of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("About this paper"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._shown: DocumentRow | None = None
        self.title = basics.text(bold=True)
        self.authors = basics.text(muted=True)
        self.lines: dict[str, QLabel] = {}
        self._form = QFormLayout()
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop)
        for name, label in (
            ("status", self.tr("Status")),
            ("reason", self.tr("Why")),
            ("citekey", self.tr("Citekey")),
            ("record", self.tr("Record")),
            ("text", self.tr("Text")),
            ("warnings", self.tr("Notes")),
            ("file", self.tr("File")),
        ):
            self.lines[name] = basics.text()
            self._form.addRow(_label(label), self.lines[name])
        for line in (self.title, self.authors, *self.lines.values()):
            # A long word must not widen the window.
            line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.MinimumExpanding)
        inner = QWidget()
        column(self.title, self.authors, self._form, Stretch(1), of=inner, margins=None)
        self.setWidget(inner)

    def show_document(self, document: DocumentRow) -> None:
        """Show a document."""
        if document == self._shown:
            return
        self.title.setText(document.title or document.source)
        year = str(document.year or "")
        self.authors.setText(" · ".join(p for p in ("; ".join(document.authors), year) if p))
        self.authors.setVisible(bool(self.authors.text()))
        status = library_text.status_text(document.status)
        if document.chunk_count:
            status = self.tr("{status}, {count} passages").format(
                status=status, count=basics.number(document.chunk_count)
            )
        texts = {
            "status": status,
            "reason": document.reason or "",
            "citekey": document.citekey,
            "record": library_text.match_text(document),
            "text": library_text.text_origin(document),
            "warnings": "\n".join(document.warnings),
            "file": document.path or document.source,
        }
        for name, text in texts.items():
            self.lines[name].setText(text)
            self._form.setRowVisible(self.lines[name], bool(text))
        if self._shown is None or document.doc_id != self._shown.doc_id:
            self.verticalScrollBar().setValue(0)
        self._shown = document


def _label(message: str) -> QLabel:
    label = basics.text(message, muted=True)
    label.setWordWrap(False)
    return label
