"""The search page: searches while typing, lists the hits and shows the page of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from citeloom.api.events import Event, JobFinished, JobQueued
from citeloom.api.library import ListProjects, ProjectSummary
from citeloom.api.search import FacetsResult, GetFacets, QueryResult, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage
from citeloom.desktop.search.hits_model import HitsModel
from citeloom.desktop.search.hits_view import HitsView
from citeloom.desktop.search.reader import Reader
from citeloom.desktop.search.search_bar import SearchBar
from citeloom.desktop.shell.engine_tasks import Task
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.text.hit_text import cut
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row, splitter, stack

_TYPING_MS, _BUSY_AFTER_MS = 250, 300
_MAX_HITS = 20


class SearchPage(Page):
    """Page that searches a project and shows the hits that an agent would get."""

    name = "search"
    icon_name = "search"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._projects_task: Task | None = None
        self._facets_task: Task | None = None
        self._search_task: Task | None = None
        self._wanted_project: str | None = None
        self._projects_loaded = False
        self.bar = SearchBar()
        self.banner = basics.Banner()
        self.busy = basics.busy_line(self.tr("Searching"))
        self.model = HitsModel(self)
        self.hits = HitsView(self.model)
        self.reader = Reader(context)
        self.coverage = basics.text(muted=True)
        self.papers_button = basics.button(self.tr("Show the papers"), self._show_papers)
        self.papers_button.setFlat(True)
        self.waiting = basics.EmptyState("search", "", self.tr("Starting …"))
        self.no_project = basics.EmptyState(
            "projects",
            self.tr("No project yet"),
            self.tr("A project holds the papers that you search. Create one from a Zotero collection or a folder."),
            [(self.tr("Create a project"), context.first_run.emit)],
        )
        self.welcome = self._welcome([])
        without_filters = (self.tr("Search without filters"), self.bar.filters.clear)
        self.no_results = basics.EmptyState("search", "", "", [without_filters])
        self.results = splitter((self.hits, 400), (self.reader, 600), stretch=(2, 3))
        self.results.setHandleWidth(basics.GAP)
        self.stack = stack(self.waiting, self.no_project, self.welcome, self.no_results, self.results)
        self._lay_out()
        self._typing = basics.single_shot(self, _TYPING_MS, self.search_now)
        self._busy_timer = basics.single_shot(self, _BUSY_AFTER_MS, self.busy.show)
        self._connect()

    def title(self) -> str:
        return self.tr("Search")

    def shown(self, target: dict[str, str]) -> None:
        wanted = self._wanted_project = target.get("project") or self._wanted_project
        if target.get("question"):
            self.bar.box.setText(target["question"])
        self._load_projects()
        self._load_facets()
        if self.bar.question() and wanted in (None, self.bar.project_id()):
            self.search_now()  # documents may have been added since
        self._focus_box()

    def search_now(self) -> None:
        """Search for the current question at once."""
        self._typing.stop()
        self._cancel_search()
        request = self.bar.request()
        if request is None:
            self._show_hits((), None, "")
            return
        self._busy_timer.start()
        request = replace(request, top_k=_MAX_HITS, full_text=True)
        question = request.text
        self._search_task = self.context.tasks.send(
            self, request, done=lambda result: self._on_found(result, question), failed=self._on_failed
        )

    # -- layout ------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column(
            self.bar,
            self.banner,
            self.busy,
            (self.stack, 1),
            row((self.coverage, 1), self.papers_button),
            of=self,
            margins=basics.PAGE_MARGINS,
        )
        self.papers_button.hide()

    def _welcome(self, topics: list[str]) -> basics.EmptyState:
        """Create the state shown before the first question, with examples from the project's tags."""
        questions = [self.tr("What is known about {topic}?").format(topic=cut(topic, 40)) for topic in topics]
        return basics.EmptyState(
            "search",
            self.tr("What do your papers say?"),
            self.tr(
                "Type a question, a claim or a few words. "
                "You see the passages that your editor would get, each on its page."
            ),
            [(question.replace("&", "&&"), partial(self._search_for, question)) for question in questions],
        )

    def _connect(self) -> None:
        self.bar.changed.connect(self._typing.start)
        self.bar.project_chosen.connect(self._on_project)
        self.bar.box.returnPressed.connect(self.search_now)
        self.bar.box.down.connect(self._focus_hits)
        self.hits.up_from_first.connect(self.bar.box.setFocus)
        self.hits.addActions(self.reader.menu_actions)
        self.hits.opened.connect(self.reader.open)
        self.hits.copied.connect(self.reader.copy_citation)
        self.hits.selectionModel().currentChanged.connect(self._on_hit)
        self.reader.failed.connect(self.banner.show_error)
        self.context.tasks.connected.connect(self._on_connected)
        self.context.tasks.event_received.connect(self._on_event)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self._focus_box)

    # -- projects ----------------------------------------------------------------------------------------------

    def _load_projects(self) -> None:
        before = self._projects_task
        self._projects_task = self.context.tasks.send(
            self, ListProjects(), done=self._on_projects, failed=self._on_failed, replaces=before
        )

    def _on_projects(self, projects: list[ProjectSummary]) -> None:
        self._projects_loaded = True
        self.bar.show_projects(projects, self._wanted_project)
        self._wanted_project = None
        if self.bar.project_id() is None:
            self._show_hits((), None, "")
        if not self._search_task:
            self._show_coverage(self._project_coverage())

    def _on_project(self) -> None:
        self.model.show_hits((), "")
        self.reader.show_hit("", None, "")
        self.bar.filters.show_facets(None)
        self._show_coverage(self._project_coverage())
        self._load_facets()
        self.search_now()

    def _load_facets(self) -> None:
        if self._facets_task:
            self._facets_task.drop()
        self._facets_task = None
        if project := self.bar.project_id():
            request = GetFacets(project=project)
            self._facets_task = self.context.tasks.send(self, request, done=self._on_facets, failed=lambda error: None)

    def _on_facets(self, facets: FacetsResult) -> None:
        self.bar.filters.show_facets(facets)
        topics = [tag for tag in facets.tags if tag[:1].isalpha()]
        old, self.welcome = self.welcome, self._welcome(topics[:2])
        current = self.stack.currentWidget() is old
        self.stack.addWidget(self.welcome)
        if current:
            self.stack.setCurrentWidget(self.welcome)
        self.stack.removeWidget(old)
        old.deleteLater()

    # -- searching ---------------------------------------------------------------------------------------------

    def _cancel_search(self) -> None:
        if self._search_task:
            self._search_task.drop()
        self._search_task = None
        self._busy_timer.stop()
        self.busy.hide()

    def _on_found(self, result: QueryResult, question: str) -> None:
        self._cancel_search()
        self.banner.hide()
        self._show_hits(result.items, result.coverage, question)

    def _show_hits(self, hits: Sequence[SearchHit], coverage: Coverage | None, question: str) -> None:
        chosen = self.hits.currentIndex()
        before = self.model.rows[chosen.row()].chunk_id if chosen.isValid() else None
        self.model.show_hits(hits, question)
        if coverage:
            self._show_coverage(coverage)
        if hits:
            row = max(0, self.model.row_of(before))
            self.hits.setCurrentIndex(self.model.index(row))
            self.stack.setCurrentWidget(self.results)
            return
        self.reader.show_hit("", None, "")
        if not self._projects_loaded:
            self.stack.setCurrentWidget(self.waiting)
        elif self.bar.project_id() is None:
            self.stack.setCurrentWidget(self.no_project)
        elif not question:
            self.stack.setCurrentWidget(self.welcome)
        else:
            self._show_nothing(self.tr("Nothing found"), self._why_nothing(coverage))

    def _why_nothing(self, coverage: Coverage | None) -> str:
        """Return why nothing was found, and what to do."""
        if coverage is None or not coverage.searchable:
            return self.tr("No paper of this project can be searched yet. The list of papers shows the progress.")
        text = self.tr("{count} papers were searched. Try other words.")
        if self.bar.filters.filters():
            text = self.tr("None of the {count} searchable papers has a passage that matches the filters.")
        return text.format(count=basics.number(coverage.searchable))

    def _show_nothing(self, title: str, text: str) -> None:
        self.no_results.show_message(title, text)
        self.no_results.buttons[0].setVisible(bool(self.bar.filters.filters()))
        self.stack.setCurrentWidget(self.no_results)

    def _project_coverage(self) -> Coverage:
        project = self.bar.chosen()
        return project.coverage if project else basics.NO_COVERAGE

    def _show_coverage(self, coverage: Coverage) -> None:
        self.coverage.setText(basics.coverage_text(coverage) if self.bar.project_id() else "")
        missing = not coverage.searchable or coverage.searchable < coverage.documents
        self.papers_button.setVisible(missing and self.bar.project_id() is not None)

    def _on_failed(self, error: CiteLoomError) -> None:
        self._cancel_search()
        self.banner.show_error(error)
        if error.code == Code.INVALID_PROJECT:
            self._load_projects()
        elif error.code != Code.ENGINE_UNAVAILABLE:  # the hits shown belong to another question
            self.model.show_hits((), "")
            self.reader.show_hit("", None, "")
            self._show_nothing(self.tr("No answer"), self.tr("See the message above."))

    # -- events ------------------------------------------------------------------------------------------------

    def _on_connected(self, status: dict[str, Any]) -> None:
        if self._projects_task is None:
            return  # the page was not opened yet
        self.banner.hide()
        self._load_projects()
        self._load_facets()
        self.reader.reload()
        if self.bar.question():
            self.search_now()

    def _on_event(self, event: Event) -> None:
        if not self.isVisible():
            return
        if isinstance(event, JobQueued) and not self.bar.has_project(event.project_id):
            self._load_projects()
        elif isinstance(event, JobFinished) and event.project_id == self.bar.project_id():
            self._load_projects()
            self._load_facets()
            if self.bar.question():
                self._typing.start()

    def _on_hit(self, index: QModelIndex) -> None:
        if index.isValid():
            self.reader.show_hit(self.bar.project_id() or "", self.model.rows[index.row()], self.model.question)

    def _focus_hits(self) -> None:
        if self.model.rows:
            self.hits.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _focus_box(self) -> None:
        self.bar.box.setFocus()
        self.bar.box.selectAll()

    def _search_for(self, question: str) -> None:
        self.bar.box.setText(question)
        self.search_now()

    def _show_papers(self) -> None:
        self.context.open_page.emit("projects", {"project": self.bar.project_id() or ""})
