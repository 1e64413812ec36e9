"""What an import finds: its sources looked at, and what has to be done about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.conversion.formats import file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.importing.ids import STORED, document_id
from citeloom.importing.import_state import ImportState
from citeloom.importing.planning import Plan, plan
from citeloom.importing.sources.folder import ALL_OF_ZOTERO, ZOTERO, FoundFile, Survey, survey
from citeloom.importing.sources.open_within import outside
from citeloom.importing.sources.web import fetch
from citeloom.importing.sources.web_address import is_address
from citeloom.importing.sources.zotero import item_source, library_of


class Discovery:
    """Looks at the sources of one import. Nothing is written."""

    def __init__(self, state: ImportState) -> None:
        self._state = state
        self._request = state.request
        self._importer = state.importer

    def find(self) -> Survey:
        """Everything that the import's sources hold now."""
        source = self._request.source
        if source is not None and is_address(source):
            return self._fetched(source)
        strict = source is not None
        sources = self._allowed()
        # Zotero first: where a file is there and in a folder too, its record is the one to cite by.
        found = Survey()
        allowed = [s for s in sources if s.kind == "zotero"]
        everything = source is None or source == ALL_OF_ZOTERO or self._request.force_rebuild
        if allowed and (everything or str(source).startswith(ZOTERO)):
            self._state.tell(stage="plan", file="Zotero")
            only = None if everything else source
            self._importer.zotero.look_up(allowed, found, only=only, strict=strict)
        survey(self._places(), found, strict=strict)
        # A folder that was named may reach further than what the project may read of it.
        places = really(sources)
        found.files = {name: kept for name, file in found.files.items() if (kept := bound(file, places))}
        if not self._request.allow_mass_removal:
            self._doubt_empty_folders(found)
        return found

    def plan(self, found: Survey, *, again: bool = False, second_look: bool = False) -> Plan:
        """What has to be done about what was found; a second look takes only what is new or has changed."""
        request = self._request
        # Who names one file, or other languages, means more than what has changed.
        asked = bool(request.metadata or request.ocr_languages) or request.source in found.files
        disallowed = self._belongs_nowhere() if request.source is None else lambda source: False
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

    def place_of(self, path: str) -> str:
        """The source that holds a path."""
        place = next((place for place in really(self._allowed()) if place.holds(Path(path))), None)
        if place is None:
            raise outside(Path(path))
        return place.path

    def _allowed(self) -> list[Source]:
        return self._state.catalog.projects.sources(self._state.project.id)

    def _places(self) -> list[Source]:
        """The folders and files to look at."""
        source = self._request.source
        if source is None or self._request.force_rebuild:
            return [s for s in self._allowed() if s.kind != "zotero"]
        if source.startswith(ZOTERO):
            return []
        return [Source("file" if Path(source).is_file() else "folder", source, self._request.recursive)]

    def _fetched(self, address: str) -> Survey:
        self._state.tell(file=address, stage="fetch")
        doc_id = document_id(self._state.project.id, address)
        path = fetch(address, self._importer.downloads / doc_id).path
        stat = path.stat()
        file = FoundFile(str(path), file_type(path) or "", stat.st_size, stat.st_mtime_ns, address)
        return Survey(files={address: file})

    def _belongs_nowhere(self) -> Callable[[str], bool]:
        """What tells whether a document comes from a place that the project may no longer read."""
        sources = self._allowed()
        libraries = {library_of(s.path) for s in sources if s.kind == "zotero"}
        places = really(sources)

        def belongs_nowhere(source: str) -> bool:
            if source.startswith(ZOTERO):
                return not any(source.startswith(item_source(library, "")) for library in libraries)
            if source.startswith(STORED) or is_address(source):
                return False
            return not _held(source, places)

        return belongs_nowhere

    def _doubt_empty_folders(self, found: Survey) -> None:
        """A folder that is empty all at once is rather the place of a drive that is not connected."""
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
        return False  # that it cannot be read is said elsewhere


def really(sources: Sequence[Source]) -> list[Source]:
    """Folders and files as they were named, and where they really are: a folder may have become a link since."""
    named = [source for source in sources if source.kind != "zotero"]
    return [*named, *(replace(source, path=_real(source)) for source in named)]


def _real(source: Source) -> str:
    path = Path(source.path)
    return str(path.resolve() if source.kind == "folder" else path.parent.resolve() / path.name)


def bound(file: FoundFile, places: Sequence[Source]) -> FoundFile | None:
    """A file with the place that it must not leave until it is read; None for one that no source holds."""
    if file.known_as:
        return file
    place = next((place for place in places if place.holds(Path(file.path))), None)
    return replace(file, within=place.path) if place else None


def _held(path: str, places: Sequence[Source]) -> bool:
    return any(place.holds(Path(path)) for place in places)
