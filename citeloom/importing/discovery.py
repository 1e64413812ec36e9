"""Discovery, the first step of the import pipeline: lists the files in an import's sources and plans the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.importing.ids import document_id
from citeloom.importing.import_state import ImportState
from citeloom.importing.planning import Plan, plan
from citeloom.importing.sources.folder import FoundFile, SourceContents, scan_sources
from citeloom.importing.sources.names import ALL_OF_ZOTERO, STORED, ZOTERO
from citeloom.importing.sources.open_within import outside
from citeloom.importing.sources.web import fetch
from citeloom.importing.sources.web_address import is_address
from citeloom.importing.sources.zotero import ZoteroItems, item_source, library_of


class Discovery:
    """Finds the files of one import and plans what to do with them. Nothing is written."""

    def __init__(self, state: ImportState, zotero: ZoteroItems, downloads: Path) -> None:
        self._state = state
        self._request = state.request
        self._zotero = zotero
        self._downloads = downloads  # where documents from the web are stored

    def find(self) -> SourceContents:
        """Return everything that the import's sources hold now."""
        source = self._request.source
        if source is not None and is_address(source):
            return self._fetched(source)
        strict = source is not None
        sources = self._allowed()
        # Zotero first: if a file is also in a folder, the Zotero record is the one to cite by.
        found = SourceContents()
        allowed = [s for s in sources if s.kind == "zotero"]
        everything = source is None or source == ALL_OF_ZOTERO or self._request.force_rebuild
        if allowed and (everything or str(source).startswith(ZOTERO)):
            self._state.report(stage="plan", file="Zotero")
            only = None if everything else source
            self._zotero.look_up(allowed, found, only=only, strict=strict)
        scan_sources(self._folders_and_files(), found, strict=strict)
        # A folder named in the request may hold more than the project is allowed to read.
        folders = with_real_paths(sources)
        found.files = {name: own for name, file in found.files.items() if (own := bind_to_source(file, folders))}
        if not self._request.allow_mass_removal:
            self._report_empty_folders(found)
        return found

    def plan(self, found: SourceContents, *, again: bool = False, second_look: bool = False) -> Plan:
        """Plan what to do with the files found; with `second_look`, only new and changed files are read."""
        request = self._request
        # Naming one file, or other languages, asks for more than reading what has changed.
        asked = bool(request.metadata or request.ocr_languages) or request.source in found.files
        disallowed = self._outside_sources() if request.source is None else lambda source: False
        return plan(
            list(found.files.values()),
            self._state.catalog.documents.known_files(self._state.project.id),
            in_scope=found.covers,
            disallowed=disallowed,
            converter=CONVERTER_VERSION,
            again=(again or asked) and not second_look,
            retry=not (request.watched or second_look),
            retry_failed=request.retry_failed and not second_look,
            quick=QUICK_VERSION,
        )

    def source_of(self, path: str) -> str:
        """Return the path of the source that contains a path; raise an error if there is none."""
        source = next((source for source in with_real_paths(self._allowed()) if source.holds(Path(path))), None)
        if source is None:
            raise outside(Path(path))
        return source.path

    def _allowed(self) -> list[Source]:
        return self._state.catalog.projects.sources(self._state.project.id)

    def _folders_and_files(self) -> list[Source]:
        """Return the folders and files to scan."""
        source = self._request.source
        if source is None or self._request.force_rebuild:
            return [s for s in self._allowed() if s.kind != "zotero"]
        if source.startswith(ZOTERO):
            return []
        return [Source("file" if Path(source).is_file() else "folder", source, self._request.recursive)]

    def _fetched(self, address: str) -> SourceContents:
        self._state.report(file=address, stage="fetch")
        doc_id = document_id(self._state.project.id, address)
        path = fetch(address, self._downloads / doc_id).path
        stat = path.stat()
        file = FoundFile(str(path), file_type(path) or "", stat.st_size, stat.st_mtime_ns, address)
        return SourceContents(files={address: file})

    def _outside_sources(self) -> Callable[[str], bool]:
        """Return a predicate: whether a document comes from a source that the project may no longer read."""
        sources = self._allowed()
        libraries = {library_of(s.path) for s in sources if s.kind == "zotero"}
        folders = with_real_paths(sources)

        def outside_sources(source: str) -> bool:
            if source.startswith(ZOTERO):
                return not any(source.startswith(item_source(library, "")) for library in libraries)
            if source.startswith(STORED) or is_address(source):
                return False
            return not _is_held(source, folders)

        return outside_sources

    def _report_empty_folders(self, found: SourceContents) -> None:
        """Report empty folders that had documents: probably a drive that is not connected, not deleted files."""
        empty = [s for s in found.seen if s.kind == "folder" and _is_empty(Path(s.path))]
        if not empty:
            return
        known = [Path(row["source"]) for row in self._state.catalog.documents.known_files(self._state.project.id)]
        for source in empty:
            count = sum(source.holds(path) for path in known)
            if count:
                found.seen.remove(source)
                found.problems[source.path] = CiteLoomError(
                    Code.FILE_NOT_FOUND,
                    f"{source.path} is empty, and {count} documents were read from it.",
                    "Connect its drive; or, if they are gone, sync and say so;"
                    f" on the command line: citeloom sync {self._state.project.id} --yes.",
                )


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False  # the scan reports that it cannot be read


def with_real_paths(sources: Sequence[Source]) -> list[Source]:
    """Return folders and files as named and with links resolved: a folder may have become a link since."""
    named = [source for source in sources if source.kind != "zotero"]
    return [*named, *(replace(source, path=_real(source)) for source in named)]


def _real(source: Source) -> str:
    path = Path(source.path)
    return str(path.resolve() if source.kind == "folder" else path.parent.resolve() / path.name)


def bind_to_source(file: FoundFile, sources: Sequence[Source]) -> FoundFile | None:
    """Return a file with the source that must contain it when it is opened; None if no source contains it."""
    if file.known_as:
        return file
    source = next((source for source in sources if source.holds(Path(file.path))), None)
    return replace(file, within=source.path) if source else None


def _is_held(path: str, sources: Sequence[Source]) -> bool:
    return any(source.holds(Path(path)) for source in sources)
