"""Discovery, the first step of the import pipeline: lists the files in an import's sources and plans the work."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citeloom.catalog.documents import Document
from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_within import outside
from citeloom.core.ids import document_id
from citeloom.core.types import Source
from citeloom.importing.import_state import ImportState
from citeloom.importing.planning import Plan, plan
from citeloom.importing.sources.folder import FoundFile, SourceContents, scan_sources
from citeloom.importing.sources.names import ALL_OF_ZOTERO, STORED, ZOTERO, shown_source
from citeloom.importing.sources.web import fetch
from citeloom.importing.sources.web_address import is_address
from citeloom.importing.sources.zotero import item_source
from citeloom.zotero.scope import Scope

_PLAN_SECONDS = 60.0  # for so long a plan can be carried out: files that were gone may have come back
_SYNC = "Sync the project: that finds the file again, or removes the document."


@dataclass(slots=True)
class ImportPlan:
    """What is in the sources of a project, and what an import has to do about it."""

    found: SourceContents
    plan: Plan
    made_at: float  # by the monotonic clock, before looking
    sources: list[Source]  # that the project may read, before looking

    @property
    def changes_anything(self) -> bool:
        """Whether there is something to do."""
        plan = self.plan
        removed = plan.disallowed or (plan.removed and not plan.removes_many)
        return bool(plan.to_read or plan.other_record or plan.without_file or removed)


class Discovery:
    """Finds the files of one import and plans what to do with them. Nothing is written."""

    def __init__(self, state: ImportState) -> None:
        self._state = state
        self._request = state.request

    def make_plan(self, *, again: bool = False, only_changes: bool = False) -> ImportPlan:
        """Look through the sources and compare them with the catalog."""
        made_at, sources = time.monotonic(), self._allowed()
        found = self.find()
        return ImportPlan(found, self.plan(found, again=again, only_changes=only_changes), made_at, sources)

    def is_current(self, made: ImportPlan) -> bool:
        """Whether a plan can be carried out: it is new, and the project may read the same sources as then."""
        return time.monotonic() - made.made_at < _PLAN_SECONDS and made.sources == self._allowed()

    def find(self) -> SourceContents:
        """Return everything that the import's sources contain now, or the files of the requested documents."""
        source = self._request.source
        if self._request.documents:
            return self._find_documents()
        if source is not None and is_address(source):
            return SourceContents(files={source: self._fetch(source)})
        strict = source is not None
        sources = self._allowed()
        # Zotero first: if a file is also in a folder, the Zotero record is the one to cite by.
        found = SourceContents()
        everything = source is None or source == ALL_OF_ZOTERO or self._request.force_rebuild
        if everything or str(source).startswith(ZOTERO):
            self._scan_zotero(found, only=None if everything else source, strict=strict)
        scan_sources(self._folders_and_files(), found, strict=strict)
        # A folder named in the request may contain more than the project is allowed to read.
        folders = _with_real_paths(sources)
        found.files = {name: own for name, file in found.files.items() if (own := _bind_to_source(file, folders))}
        if not self._request.allow_mass_removal:
            self._report_empty_folders(found)
        return found

    def plan(self, found: SourceContents, *, again: bool = False, only_changes: bool = False) -> Plan:
        """Plan what to do with the files found; with `only_changes`, only new and changed files are read."""
        request = self._request
        # Naming documents, one file or other languages asks for more than reading what has changed.
        asked = bool(request.documents or request.metadata or request.ocr_languages) or request.source in found.files
        all_sources = request.source is None and not request.documents
        return plan(
            list(found.files.values()),
            self._state.catalog.documents.known_files(self._state.project.id),
            in_scope=found.covers,
            disallowed=self._outside_sources() if all_sources else lambda source: False,
            converter=CONVERTER_VERSION,
            again=(again or asked) and not only_changes,
            retry=self._state.resumed or not (request.watched or only_changes),
            retry_failed=request.retry_failed and not only_changes,
            quick=QUICK_VERSION,
        )

    def source_of(self, path: str) -> str:
        """Return the path of the source that contains a path; raise an error if there is none."""
        source = _source_of(Path(path), _with_real_paths(self._allowed()))
        if source is None:
            raise outside(Path(path))
        return source.path

    def _allowed(self) -> list[Source]:
        return self._state.catalog.projects.sources(self._state.project.id)

    def _scan_zotero(self, found: SourceContents, *, only: str | None = None, strict: bool = False) -> None:
        """Add the project's parts of Zotero, or one of them."""
        if allowed := [source for source in self._allowed() if source.kind == "zotero"]:
            self._state.report(stage="plan", file="Zotero")
            self._state.context.zotero.scan(allowed, found, only=only, strict=strict)

    def _folders_and_files(self) -> list[Source]:
        """Return the folders and files to scan."""
        source = self._request.source
        if source is None or self._request.force_rebuild:
            return [s for s in self._allowed() if s.kind != "zotero"]
        if source.startswith(ZOTERO):
            return []
        return [Source("file" if Path(source).is_file() else "folder", source, self._request.recursive)]

    def _fetch(self, address: str) -> FoundFile:
        self._state.report(file=address, stage="fetch")
        downloads = self._state.catalog.db.path.parent / "downloads"
        path = fetch(address, downloads / document_id(self._state.project.id, address))
        return _file_on_disk(path, known_as=address)

    def _outside_sources(self) -> Callable[[str], bool]:
        """Return a predicate: whether a document comes from a source that the project may no longer read."""
        sources = self._allowed()
        libraries = {Scope.from_uri(s.path).library for s in sources if s.kind == "zotero"}
        folders = _with_real_paths(sources)

        def outside_sources(source: str) -> bool:
            if source.startswith(ZOTERO):
                return not any(source.startswith(item_source(library, "")) for library in libraries)
            if source.startswith(STORED) or is_address(source):
                return False
            return _source_of(Path(source), folders) is None

        return outside_sources

    def _report_empty_folders(self, found: SourceContents) -> None:
        """Report empty folders that had documents: probably a drive that is not connected, not deleted files."""
        empty = [s for s in found.scanned if s.kind == "folder" and _is_empty(Path(s.path))]
        if not empty:
            return
        known = [Path(row["source"]) for row in self._state.catalog.documents.known_files(self._state.project.id)]
        for source in empty:
            count = sum(source.contains(path) for path in known)
            if count:
                found.scanned.remove(source)
                found.problems[source.path] = CiteLoomError(
                    Code.FILE_NOT_FOUND,
                    f"{source.path} is empty, and {count} documents were read from it.",
                    "Connect its drive. If they were deleted, confirm their removal when you sync;"
                    f" on the command line: citeloom sync {self._state.project.id} --yes.",
                )

    # -- documents that are read again -----------------------------------------------------------------------

    def _find_documents(self) -> SourceContents:
        """Return the files of the requested documents; a missing one is a problem, and its document stays."""
        chosen = self._state.catalog.documents.by_ids(self._state.project.id, self._request.documents)
        found, zotero = SourceContents(), SourceContents()
        if any(document.source.startswith(ZOTERO) for document in chosen):
            self._scan_zotero(zotero)
            found.problems |= zotero.problems
        for document in chosen:
            try:
                if file := self._find_document(document, found, zotero):
                    found.files[document.source] = file
            except CiteLoomError as error:
                found.problems[shown_source(document)] = error
        return found

    def _find_document(self, document: Document, found: SourceContents, zotero: SourceContents) -> FoundFile | None:
        source = document.source
        if source.startswith(ZOTERO):
            file = zotero.files.get(source)
            if file is None and not zotero.problems:
                raise CiteLoomError(Code.FILE_NOT_FOUND, "It is no longer in the project's part of Zotero.", _SYNC)
            # Fetch what can be fetched: an existing text must not prevent the file from being read.
            return replace(file, missing="") if file and file.fetch else file
        if is_address(source):
            try:
                return self._fetch(source)
            except CiteLoomError as error:
                if not (document.path and Path(document.path).is_file()):
                    raise
                found.warnings.append(f"{error.message} The earlier copy was read instead.")
                return _file_on_disk(Path(document.path), document.file_type, source)
        file = _bind_to_source(_file_on_disk(Path(source), document.file_type), _with_real_paths(self._allowed()))
        if file is None:
            raise CiteLoomError(Code.PERMISSION_DENIED, "It is no longer in a place that the project may read.", _SYNC)
        return file


def _file_on_disk(path: Path, kind: str = "", known_as: str = "") -> FoundFile:
    try:
        about = path.stat()
    except OSError as error:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"The file {path} was not found.", _SYNC) from error
    return FoundFile(str(path), file_type(path) or kind, about.st_size, about.st_mtime_ns, known_as)


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False  # the scan reports that it cannot be read


def _with_real_paths(sources: Sequence[Source]) -> list[Source]:
    """Return folders and files as named and with links resolved: a folder may have become a link since."""
    named = [source for source in sources if source.kind != "zotero"]
    return [*named, *(replace(source, path=_real(source)) for source in named)]


def _real(source: Source) -> str:
    path = Path(source.path)
    return str(path.resolve() if source.kind == "folder" else path.parent.resolve() / path.name)


def _source_of(path: Path, sources: Sequence[Source]) -> Source | None:
    return next((source for source in sources if source.contains(path)), None)


def _bind_to_source(file: FoundFile, sources: Sequence[Source]) -> FoundFile | None:
    """Return a file with the source that must contain it when it is opened; None if no source contains it."""
    if file.known_as:
        return file
    source = _source_of(Path(file.path), sources)
    return replace(file, within=source.path) if source else None
