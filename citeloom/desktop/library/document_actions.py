"""Actions on the selected documents: buttons, menu entries and shortcuts of the documents table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMessageBox, QWidget

from citeloom.api.library import (
    ConfirmClaim,
    DocumentRow,
    RefuseClaim,
    RemovedDocuments,
    RemoveDocuments,
    RereadDocuments,
    RereadStarted,
)
from citeloom.desktop.shell.engine_tasks import EngineTasks
from citeloom.desktop.shell.icons import icon
from citeloom.desktop.widgets import basics

Collect = Callable[[Callable[[list[DocumentRow]], object]], None]

_MAX_LISTED = 200  # papers listed by title in the confirmation


class DocumentActions(QObject):
    """Actions on documents: retry, read again, open, show in folder, copy citekey, confirm or refuse, remove."""

    notice = Signal(str)
    failed = Signal(object)  # a CiteLoomError
    changed = Signal()  # documents are being read or were removed

    def __init__(self, tasks: EngineTasks, window: QWidget, collect: Collect) -> None:
        super().__init__(window)
        self._engine, self._window, self._collect = tasks, window, collect
        self._project = ""
        self._one: DocumentRow | None = None  # the selected document, if exactly one is selected
        self.question: QMessageBox | None = None  # the last one asked
        make = self._make
        self.retry = make(self.tr("&Try again"), "retry", partial(self._reread, False), "F5")
        self.open = make(self.tr("&Open"), "open", self._open, "Ctrl+O")
        self.show_in_folder = make(self.tr("Show in &folder"), "folder", self._show_in_folder, "")
        self.copy = make(self.tr("&Copy citekey"), "copy", self._copy, QKeySequence.StandardKey.Copy)
        self.convert = make(self.tr("Read again from &scratch"), "sync", partial(self._reread, True), "Ctrl+F5")
        self.remove = make(self.tr("&Remove…"), "remove", self._remove, QKeySequence.StandardKey.Delete)
        self.open.setShortcuts([QKeySequence(keys) for keys in ("Ctrl+O", "Return", "Enter")])
        self.all = (self.retry, self.open, self.show_in_folder, self.copy, self.convert, self.remove)
        self.confirm = make(self.tr("Co&nfirm: it is this work"), "check", self._confirm, "")
        self.refuse = make(self.tr("Ref&use: it is another"), "warning", self._refuse, "")
        self.decisions = (self.confirm, self.refuse)  # only in the menu, for a document with a claim
        self.retry.setToolTip(self.tr("Read them again"))
        self.convert.setToolTip(self.tr("Convert and recognise them again, as if they had never been read"))

    def set_selection(self, project: str, count: int, one: DocumentRow | None) -> None:
        """Enable the actions for a selection; `one` is the document if exactly one is selected and loaded."""
        self._project, self._one = project, one
        for action in (self.retry, self.copy, self.convert, self.remove):
            action.setEnabled(count > 0)
        uri = (one and one.open_uri) or ""
        self.open.setEnabled(bool(uri))
        self.open.setText(self.tr("&Open in Zotero") if uri.startswith("zotero:") else self.tr("&Open"))
        self.show_in_folder.setEnabled(bool(one and one.path))
        for action in self.decisions:
            action.setEnabled(bool(one and one.claimed_citekey))

    def _make(
        self, text: str, icon_name: str, callback: Callable[[], object], keys: str | QKeySequence.StandardKey
    ) -> QAction:
        action = QAction(icon(icon_name), text, self)
        action.setEnabled(False)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda: callback())  # noqa: PLW0108 - without the signal's "checked"
        return action

    def _reread(self, convert_again: bool) -> None:
        project = self._project

        def start(documents: list[DocumentRow]) -> None:
            if documents:
                request = RereadDocuments(project=project, doc_ids=_ids(documents), convert_again=convert_again)
                self._engine.send(self, request, done=done, failed=self.failed.emit)

        def done(started: RereadStarted) -> None:
            count = basics.number(started.documents)
            self.notice.emit(self.tr("{count} papers are being read again.").format(count=count))
            self.changed.emit()

        self._collect(start)

    def _open(self) -> None:
        if self._one and (uri := self._one.open_uri):
            self._engine.open(self, uri, failed=self.failed.emit)

    def _show_in_folder(self) -> None:
        if self._one and self._one.path:
            self._engine.open(self, Path(self._one.path).parent.as_uri(), failed=self.failed.emit)

    def _confirm(self) -> None:
        self._decide(ConfirmClaim, self.tr("It now counts as @{key}."))

    def _refuse(self) -> None:
        self._decide(RefuseClaim, self.tr("It does not count as @{key}; you will not be asked again."))

    def _decide(self, decision: type[ConfirmClaim] | type[RefuseClaim], message: str) -> None:
        if self._one is None:
            return
        key = self._one.claimed_citekey

        def done(_: DocumentRow) -> None:
            self.notice.emit(message.format(key=key))
            self.changed.emit()

        request = decision(project=self._project, doc_id=self._one.doc_id)
        self._engine.send(self, request, done=done, failed=self.failed.emit)

    def _copy(self) -> None:
        def done(documents: list[DocumentRow]) -> None:
            keys = [document.citekey for document in documents if document.citekey]
            QGuiApplication.clipboard().setText(", ".join(keys))
            self.notice.emit(self.tr("{count} citekeys were copied.").format(count=basics.number(len(keys))))

        self._collect(done)

    def _remove(self) -> None:
        self._collect(partial(self._confirm_removal, self._project))

    def _confirm_removal(self, project: str, documents: list[DocumentRow]) -> None:
        if not documents:
            return
        text = self.tr(
            "Remove {count} papers from the project “{project}”? Your files and Zotero stay as they are. A paper that "
            "is still in a folder or collection that the project reads comes back with the next sync."
        )
        request = RemoveDocuments(project=project, doc_ids=_ids(documents))
        self.question = basics.ask_confirmation(
            self._window,
            self.tr("Remove papers"),
            text.format(count=basics.number(len(documents)), project=project),
            self.tr("&Remove"),
            lambda: self._engine.send(self, request, done=self._removed, failed=self.failed.emit),
            details="\n".join(document.title or document.source for document in documents[:_MAX_LISTED]),
        )

    def _removed(self, done: RemovedDocuments) -> None:
        removed = self.tr("{count} papers were removed.").format(count=basics.number(done.removed))
        self.notice.emit("\n".join((removed, *dict.fromkeys(done.notes))))  # each kind of note once
        self.changed.emit()


def _ids(documents: list[DocumentRow]) -> list[str]:
    return [document.doc_id for document in documents]
