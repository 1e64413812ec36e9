"""The documents of a project: a table with filter, search, sorting, actions, and details of the selected document."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QTableView,
    QToolBar,
    QToolButton,
    QWidget,
)

from citeloom.api.library import DocumentPage, DocumentRow, ListDocuments
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import Coverage
from citeloom.desktop.library.document_actions import DocumentActions
from citeloom.desktop.library.documents_model import CITEKEY, NOTE, SORTS, STATUS, DocumentsModel
from citeloom.desktop.library.paged_list import Row
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.text import library_text
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, column, row, splitter, stack
from citeloom.desktop.widgets.table import set_up_view

_TYPING_MS = 250
_REFRESH_MS = 1000  # minimum between two reloads during an import
_MAX_RESTORED = 1000  # selected rows that are restored by id; beyond that the selection stays by row number


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


class DocumentsTable(QWidget):
    """The documents table with its filters, actions and details."""

    answered = Signal(object)  # with a DocumentPage
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__()
        self._engine = tasks
        self.project = ""
        self._selected: set[str] = set()
        self._coverage: Coverage | None = None  # whose counts the filter shows
        self._counting: Task | None = None
        self.model = DocumentsModel(tasks, self)
        self.model.answered.connect(self._on_answer)
        self.model.arrived.connect(self._restore_selection)
        self.model.failed.connect(self.failed)
        self._typing = basics.single_shot(self, _TYPING_MS, self._query)
        self._refresh = basics.single_shot(self, _REFRESH_MS, self._reload)
        self._make_filters()
        self._make_table()
        self.actions_ = DocumentActions(tasks, self, self._collect)
        self.tools = basics.named(QToolBar(), self.tr("What to do with the selected papers"))
        self.tools.setIconSize(QSize(16, 16))
        self.tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for action in self.actions_.all:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.view.addAction(action)
            self.tools.addAction(action)
        if more := self.tools.findChild(QToolButton, "qt_toolbar_ext_button"):
            more.setIcon(icon("down"))  # Qt's own icon is black in dark palettes too
        self.view.doubleClicked.connect(self.actions_.open.trigger)
        self.details = DocumentDetails()
        self.details.hide()
        self._lay_out()

    def _make_filters(self) -> None:
        self.status_box = basics.named(QComboBox(), self.tr("Which papers are shown"))
        self.status_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._show_counts(basics.NO_COVERAGE, 0)
        self.status_box.currentIndexChanged.connect(self._query)
        self.find_field = QLineEdit(clearButtonEnabled=True, placeholderText=self.tr("Find by title, author, citekey"))
        self.find_field.setAccessibleName(self.tr("Find papers"))
        self.find_field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.find_field.textChanged.connect(self._typing.start)
        QShortcut(QKeySequence.StandardKey.Find, self, self.find_field.setFocus)

    def _make_table(self) -> None:
        view = self.view = QTableView()
        set_up_view(view, self.tr("Papers"))
        view.setModel(self.model)
        self.model.modelReset.connect(view.scrollToTop)  # connected after the view's own slot
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = view.horizontalHeader()
        # With the table's selection model, painting the header checks every selected row: too slow for 100,000.
        header.setSelectionModel(QItemSelectionModel(self.model, header))
        header.setSortIndicator(CITEKEY, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)
        header.sortIndicatorChanged.connect(self._only_sortable)
        view.selectionModel().selectionChanged.connect(self._on_selection)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)

    def _lay_out(self) -> None:
        self._nothing = basics.EmptyState(
            "search",
            self.tr("No paper matches"),
            self.tr("No paper of this project has these words and this status."),
            [(self.tr("Show &all papers"), self.show_all)],
        )
        self._stack = stack(self.view, self._nothing)
        parts = splitter((self._stack, 300), (self.details, 200), vertical=True, stretch=(1, 0))
        column(row((self.find_field, 1), self.status_box), self.tools, (parts, 1), of=self)
        wide = self.fontMetrics().horizontalAdvance("0")
        for number, shown in enumerate(self.model.columns):
            self.view.setColumnWidth(number, wide * shown.width)
        self.view.horizontalHeader().setStretchLastSection(True)

    # -- loading -------------------------------------------------------------------------------------------------

    def show_project(self, project: str) -> None:
        """Show all documents of a project."""
        self.project = project
        self.view.clearSelection()
        self._on_selection()
        if self._counting:
            self._counting.drop()
        self._coverage = None
        self._show_counts(basics.NO_COVERAGE, 0)
        self.show_all()

    def show_all(self) -> None:
        """Clear filter and search."""
        with QSignalBlocker(self.status_box), QSignalBlocker(self.find_field):
            self.status_box.setCurrentIndex(0)
            self.find_field.clear()
        self._query()

    def reload_soon(self) -> None:
        """Reload the visible rows soon; several calls cause one reload."""
        if not self._refresh.isActive():
            self._refresh.start()

    def _query(self) -> None:
        self._typing.stop()
        if not self.project:
            self.model.show_query(None)
            return
        header = self.view.horizontalHeader()
        sort = SORTS[header.sortIndicatorSection()] or "citekey"
        descending = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        status, find = self.status_box.currentData(), self.find_field.text().strip()
        self.model.show_query(
            ListDocuments(project=self.project, status=status, find=find, sort=sort, descending=descending)
        )

    def _reload(self) -> None:
        if self.model.waiting:  # a slow request would never finish if every reload restarted it
            self._refresh.start()
            return
        first = self.view.rowAt(0)
        last = self.view.rowAt(self.view.viewport().height() - 1)
        self.model.refresh(max(0, first), max(0, self.model.rowCount() - 1 if last < 0 else last))

    def _on_answer(self, page: DocumentPage) -> None:
        filtered = self.status_box.currentData() is not None or bool(self.find_field.text().strip())
        self._stack.setCurrentIndex(1 if filtered and not page.total else 0)
        self._count(page.coverage)
        self.answered.emit(page)

    def _count(self, coverage: Coverage) -> None:
        """Count the duplicates: coverage counts them as searchable, the filter lists them apart."""

        def done(duplicates: DocumentPage) -> None:
            self._show_counts(coverage, duplicates.total)

        def failed(error: CiteLoomError) -> None:
            self._coverage = None  # requested again with the next page

        if coverage != self._coverage:
            self._coverage = coverage
            request = ListDocuments(project=self.project, status="duplicate", limit=1)
            self._counting = self._engine.send(self, request, done=done, failed=failed, replaces=self._counting)

    def _show_counts(self, coverage: Coverage, duplicates: int) -> None:
        counts = {
            "ready": coverage.searchable - duplicates,
            "pending": coverage.pending,
            "failed": coverage.failed,
            "without_file": coverage.without_file,
            "duplicate": duplicates,
        }
        with QSignalBlocker(self.status_box):
            chosen = self.status_box.currentData()
            self.status_box.clear()
            all_ = self.tr("All papers ({count})").format(count=basics.number(coverage.documents))
            self.status_box.addItem(all_, None)
            for status in library_text.STATUSES:
                if counts[status] or status == chosen:
                    name = self.tr("{status} ({count})").format(
                        status=library_text.status_text(status), count=basics.number(counts[status])
                    )
                    self.status_box.addItem(icon(library_text.STATUS_ICONS[status]), name, status)
            self.status_box.setCurrentIndex(max(0, self.status_box.findData(chosen)))

    def _only_sortable(self, section: int) -> None:
        """Put the sort indicator back: the engine does not sort by reasons."""
        if SORTS[section] is None and self.model.query:
            query = self.model.query
            order = Qt.SortOrder.DescendingOrder if query.descending else Qt.SortOrder.AscendingOrder
            self.view.horizontalHeader().setSortIndicator(SORTS.index(query.sort), order)

    # -- selection -----------------------------------------------------------------------------------------------

    def selected_rows(self) -> list[int]:
        """Return the numbers of the selected rows."""
        return sorted({row for top, bottom in self._ranges() for row in range(top, bottom + 1)})

    def _ranges(self) -> list[tuple[int, int]]:
        selection = self.view.selectionModel().selection()
        return [(selection.at(n).top(), selection.at(n).bottom()) for n in range(selection.count())]

    def _on_selection(self) -> None:
        few = sum(bottom + 1 - top for top, bottom in self._ranges()) <= _MAX_RESTORED
        known = (self.model.document(row) for row in self.selected_rows()) if few else ()
        self._selected = {document.doc_id for document in known if document}
        self._show_selection()
        if self.details.isVisible():  # the details take space from the table
            QTimer.singleShot(0, self, self._scroll_to_current)

    def _scroll_to_current(self) -> None:
        sideways = self.view.horizontalScrollBar().value()
        self.view.scrollTo(self.view.currentIndex())
        self.view.horizontalScrollBar().setValue(sideways)

    def _show_selection(self) -> None:
        ranges = self._ranges()
        count = sum(bottom + 1 - top for top, bottom in ranges)
        one: Row | None = self.model.document(ranges[0][0]) if count == 1 else None
        self.actions_.set_selection(self.project, count, one)
        self.details.setVisible(one is not None)
        if one is not None:
            self.details.show_document(one)

    def _restore_selection(self) -> None:
        """Select the same documents again after their rows have moved."""
        if self._selected:
            places = self.model.places()
            rows = sorted(places[one] for one in self._selected if one in places)
            if rows != self.selected_rows():
                self._select(rows)
        self._show_selection()

    def _select(self, rows: list[int]) -> None:
        selection = QItemSelection()
        for number in rows:
            selection.select(self.model.index(number, STATUS), self.model.index(number, NOTE))
        chosen = self.view.selectionModel()
        with QSignalBlocker(chosen):
            chosen.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.view.viewport().update()

    def _collect(self, done: Any) -> None:
        self.model.collect(self, self.selected_rows(), done, self.actions_.failed.emit)

    def _show_menu(self, at: QPoint) -> None:
        if self.selected_rows():
            menu = QMenu(self)
            if self.actions_.confirm.isEnabled():
                menu.addActions(self.actions_.decisions)
                menu.addSeparator()
            menu.addActions(self.actions_.all)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.view.viewport().mapToGlobal(at))
