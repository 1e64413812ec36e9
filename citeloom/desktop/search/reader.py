"""Reader of the chosen hit: its page, its text, and the actions copy and open. Used by the search page."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from citeloom.api.evidence import GetRecord, RecordResult
from citeloom.api.search import GetPassage, PassageResult, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.search.page_view import PageView
from citeloom.desktop.search.passage_text import PassageText
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.text.hit_text import also_cites, cut, opens_in_zotero, quotation
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row, splitter

_COPIED_MS = 2500
_PAGE_DELAY_MS = 120  # moving through the hits with the arrow keys renders no pages in between


class Reader(QWidget):
    """Shows a hit."""

    failed = Signal(object)  # a CiteLoomError for the page's banner

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self._project = self._question = ""
        self._hit: SearchHit | None = None
        self._surroundings_task: Task | None = None
        self.title = basics.text(bold=True, shrinks=True)
        self.also = basics.text(muted=True, shrinks=True)
        self.copied = basics.text(muted=True, shrinks=True)
        self.page = PageView(context)
        self.problem = basics.text(muted=True, shrinks=True)
        self.problem.hide()
        self.passage = PassageText()
        self.copy_button = self._copy_menu()
        keys = QKeySequence("Ctrl+O").toString(QKeySequence.SequenceFormat.NativeText)
        self.open_button = basics.button(self.tr("Open file"), self.open, icon_name="open", tip=keys)
        buttons = row(self.copy_button, self.open_button, (self.copied, 1))
        self.parts = splitter((self.page, 600), (self.passage, 100), vertical=True, stretch=(1, 0))
        column(self.title, self.also, buttons, self.problem, (self.parts, 1), of=self)
        self._page_timer = basics.single_shot(self, _PAGE_DELAY_MS, self._show_page)
        self._fade = basics.single_shot(self, _COPIED_MS, self.copied.clear)
        self.page.failed.connect(self._on_page_failed)
        self.show_hit("", None, "")

    def show_hit(self, project: str, hit: SearchHit | None, question: str) -> None:
        """Show a hit, or nothing."""
        same = bool(hit and self._hit and hit.chunk_id == self._hit.chunk_id and project == self._project)
        self._project, self._hit, self._question = project, hit, question
        self.setEnabled(hit is not None)
        if hit is None:
            self._drop_requests()
            self.page.empty()
            self.passage.clear()
            self.title.clear()
            self.also.hide()
            return
        if same:  # typing must not render the same page again
            self.passage.show_question(question)
            return
        self._drop_requests()
        title = hit.title or hit.source or ""
        self.title.setText(cut(title, 140))
        self.title.setToolTip(basics.tip(cut(title, 2000)) if len(title) > 140 else "")
        cites = also_cites(hit)
        self.also.setText(self.tr("Also in {cites}").format(cites=cites))
        self.also.setVisible(bool(cites))
        where = self.tr("Open in Zotero") if opens_in_zotero(hit) else self.tr("Open file")
        self.open_button.setText(where)
        self.open_button.setAccessibleName(where)
        self.open_hit.setText(where)
        for uses_link in (self.open_hit, self.open_button, self.copy_link):
            uses_link.setEnabled(bool(hit.open_uri))
        self.copy_bibtex.setEnabled(bool(hit.citekey))
        for copies_citation in (self.copy_cite, self.copy_quote):
            copies_citation.setEnabled(bool(hit.cite))
        self.passage.show_passage(self._text(), question)
        self.problem.hide()
        self.page.setVisible(bool(hit.page_span))
        self._page_timer.start()

    def reload(self) -> None:
        """Request again what is missing, when the engine is back."""
        self.page.reload()

    # -- actions -----------------------------------------------------------------------------------------------

    def copy_citation(self) -> None:
        """Copy the citation, such as `[@key, p. 3]`."""
        if self._hit and self._hit.cite:
            self._copy(self._hit.cite, self.tr("Citation copied"))

    def copy_quotation(self) -> None:
        """Copy the selected text, or the whole passage, as a quotation with its citation."""
        if self._hit is None or not self._hit.cite:
            return
        selected = self.passage.selected()
        if selected == "":
            self._show_confirmation(self.tr("Select text within the marked passage: the citation is only for that"))
        else:
            self._copy(quotation(selected or self._text(), self._hit.cite), self.tr("Quotation copied"))

    def copy_as_bibtex(self) -> None:
        """Copy the record of the paper as BibTeX."""
        if self._hit:
            request = GetRecord(project=self._project, citekey=self._hit.citekey, format="bibtex")
            self._context.tasks.send(self, request, done=self._on_record, failed=self.failed.emit)

    def copy_as_link(self) -> None:
        """Copy the link that opens the page."""
        if self._hit and self._hit.open_uri:
            self._copy(self._hit.open_uri, self.tr("Link copied"))

    def open(self) -> None:
        """Open the page in Zotero, or the file."""
        if self._hit and (uri := self._hit.open_uri):
            self._context.tasks.open(self, uri, done=self._opened, failed=self.failed.emit)

    def _opened(self, answer: tuple[str, str]) -> None:
        text = self.tr("Opened: go to PDF page {page}") if answer[1] else self.tr("Opened")
        self._show_confirmation(text.format(page=answer[1]))

    def _on_record(self, record: RecordResult) -> None:
        self._copy(record.text, self.tr("BibTeX copied"))

    def _copy(self, text: str, confirmation: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._show_confirmation(confirmation)

    def _show_confirmation(self, message: str) -> None:
        self.copied.setText(message)
        self._fade.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.copied, message))

    def _copy_menu(self) -> QToolButton:
        result = QToolButton()
        menu = QMenu(result)
        self.copy_cite = self._action(menu, self.tr("Copy &citation"), "", self.copy_citation)
        self.copy_quote = self._action(menu, self.tr("Copy as &quotation"), "Ctrl+Shift+C", self.copy_quotation)
        self.copy_bibtex = self._action(menu, self.tr("Copy as &BibTeX"), "Ctrl+Shift+B", self.copy_as_bibtex)
        self.copy_link = self._action(menu, self.tr("Copy as &link"), "Ctrl+Shift+L", self.copy_as_link)
        self.copy_cite.setIcon(icon("copy"))
        self.open_hit = self._action(None, self.tr("Open file"), "Ctrl+O", self.open)
        self.menu_actions = [*menu.actions(), self.open_hit]
        result.setDefaultAction(self.copy_cite)
        result.setMenu(menu)
        result.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        result.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        result.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        result.setAccessibleName(self.tr("Copy citation"))
        result.setToolTip(self.tr("Copy the citation (Ctrl+C in the list of hits)"))
        return result

    def _action(self, menu: QMenu | None, message: str, shortcut: str, triggered: Any) -> QAction:
        result = QAction(message, self)
        result.triggered.connect(lambda: triggered())  # noqa: PLW0108 - without the signal's "checked"
        if shortcut:
            result.setShortcut(QKeySequence(shortcut))
            result.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self.addAction(result)
        if menu:
            menu.addAction(result)
        return result

    # -- page and neighbouring passages ------------------------------------------------------------------------

    def _text(self) -> str:
        return (self._hit.full_text or self._hit.render_text) if self._hit else ""

    def _drop_requests(self) -> None:
        """Drop pending requests, which belong to the previous passage."""
        if self._surroundings_task:
            self._surroundings_task.drop()
        self.page.drop_requests()

    def _show_page(self) -> None:
        if self._hit and self._hit.page_span:
            self.page.show_passage(self._project, self._hit)
        else:
            self.page.empty()
            self._load_neighbours()

    def _on_page_failed(self, error: CiteLoomError) -> None:
        if error.code == Code.ENGINE_UNAVAILABLE or self._hit is None:
            return  # requested again when the engine is back
        self.page.empty()
        self.page.hide()
        self.problem.setText("" if error.code == Code.UNSUPPORTED_FORMAT else cut(str(error), 400))
        self.problem.setVisible(bool(self.problem.text()))
        self._load_neighbours()

    def _load_neighbours(self) -> None:
        if self._hit:
            request = GetPassage(chunk_id=self._hit.chunk_id)
            self._surroundings_task = self._context.tasks.send(
                self, request, done=self._show_surroundings, failed=lambda error: None
            )

    def _show_surroundings(self, result: PassageResult) -> None:
        own = {part.chunk_id for part in self._hit.merged} if self._hit else set()
        before, after = (
            "\n\n".join(one.render_text for one in side if one.chunk_id not in own)
            for side in (result.before, result.after)
        )
        self.passage.show_passage(self._text(), self._question, before, after)
