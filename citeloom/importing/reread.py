"""Discovery for imports that read only given documents again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from citeloom.catalog.documents import Document
from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.discovery import Discovery, bind_to_source, with_real_paths
from citeloom.importing.planning import Plan, plan
from citeloom.importing.sources.folder import FoundFile, SourceContents
from citeloom.importing.sources.names import ZOTERO, shown_source
from citeloom.importing.sources.web_address import is_address

_SYNC = "Sync the project: that finds it again, or takes it off the list."


class Reread(Discovery):
    """Finds the files of the requested documents, changed or not."""

    def find(self) -> SourceContents:
        """Return the files; a missing one is reported as a problem, and its document is not changed."""
        chosen = self._state.catalog.documents.some(self._state.project.id, self._request.documents)
        found = SourceContents()
        in_zotero = {document.source: document for document in chosen if document.source.startswith(ZOTERO)}
        if in_zotero:
            self._look_up(in_zotero, found)
        for document in chosen:
            if document.source in in_zotero:
                continue
            try:
                file = self._fetch_again(document, found) if is_address(document.source) else self._on_disk(document)
                found.files[file.source] = file
            except CiteLoomError as error:
                found.problems[shown_source(document)] = error
        return found

    def plan(self, found: SourceContents, *, again: bool = True, second_look: bool = False) -> Plan:
        """Plan to read every file found, even if it looks unchanged."""
        return plan(
            list(found.files.values()),
            self._state.catalog.documents.known_files(self._state.project.id),
            in_scope=lambda source: False,
            converter=CONVERTER_VERSION,
            again=not second_look,
            retry=not second_look,
            quick=QUICK_VERSION,
        )

    def _look_up(self, wanted: dict[str, Document], found: SourceContents) -> None:
        self._state.report(stage="plan", file="Zotero")
        allowed = [source for source in self._allowed() if source.kind == "zotero"]
        everything = SourceContents()
        self._zotero.look_up(allowed, everything, only=None, strict=False)
        found.problems |= everything.problems
        for source, document in wanted.items():
            file = everything.files.get(source)
            if file is not None:
                # Fetch what can be fetched: an existing text must not prevent the file from being read.
                found.files[source] = replace(file, missing="") if file.get else file
            elif not everything.problems:
                problem = CiteLoomError(Code.FILE_NOT_FOUND, "It is no longer in the project's part of Zotero.", _SYNC)
                found.problems[shown_source(document)] = problem

    def _on_disk(self, document: Document) -> FoundFile:
        file = bind_to_source(_on_disk(document), with_real_paths(self._allowed()))
        if file is None:
            raise CiteLoomError(Code.PERMISSION_DENIED, "It is not among what the project may read now.", _SYNC)
        return file

    def _fetch_again(self, document: Document, found: SourceContents) -> FoundFile:
        """Download a web document again; if that fails, use the copy that was read before."""
        try:
            return self._fetched(document.source).files[document.source]
        except CiteLoomError as error:
            if not (document.path and Path(document.path).is_file()):
                raise
            found.warnings.append(f"{error.message} The copy from before was read.")
            return replace(_on_disk(document, Path(document.path)), known_as=document.source)


def _on_disk(document: Document, path: Path | None = None) -> FoundFile:
    path = path or Path(document.source)
    try:
        about = path.stat()
    except OSError as error:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"There is no file {path} now.", _SYNC) from error
    return FoundFile(str(path), file_type(path) or document.file_type, about.st_size, about.st_mtime_ns)
