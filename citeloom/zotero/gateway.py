"""ZoteroGateway: chooses the source that works now (local API, database, web API) and finds files and citekeys.

Used by the import of Zotero items, the watcher and the Zotero verbs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.core import credentials
from citeloom.core import settings as config
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.file_stamp import file_stamp
from citeloom.zotero.attachments import file_of
from citeloom.zotero.better_bibtex import BetterBibTex
from citeloom.zotero.cached_source import cached_source
from citeloom.zotero.citekeys import own_citekey
from citeloom.zotero.local_api import LocalApi
from citeloom.zotero.profile import DATABASE, Profile, find_zotero
from citeloom.zotero.sqlite.source import SqliteSource, legacy_citekeys
from citeloom.zotero.types import AttachmentFile, Item, Library, LibrarySource, Snapshot, ZoteroProbe

if TYPE_CHECKING:
    from citeloom.zotero.web_api.source import WebApi

log = logging.getLogger(__name__)

KEYRING_NAME = "zotero"  # name of the key for zotero.org in the keyring
_MINUTE, _QUARTER = 60, 900
_DATABASE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-journal")


class ZoteroGateway:
    """Access to the researcher's Zotero by the best available source."""

    def __init__(self, settings: config.Zotero, mirror: Path) -> None:
        self._settings = settings
        self._mirror = mirror  # cache of the web API, so that only changes are downloaded
        self._web_apis: dict[str, WebApi] = {}  # by key: a requested backoff must be remembered

    # -- location -----------------------------------------------------------------------------------------

    def data_folder(self, profile: Profile | None) -> Path | None:
        """Return the folder with zotero.sqlite and the files, or None."""
        if self._settings.data_folder:
            return Path(self._settings.data_folder).expanduser()
        return profile.data_folder if profile else None

    def local_url(self, profile: Profile | None) -> str:
        """Return the address of a running Zotero; the profile may name another port."""
        usual = self._settings.local_url == config.Zotero().local_url
        if usual and profile and profile.port:
            return f"http://127.0.0.1:{profile.port}"
        return self._settings.local_url.rstrip("/")

    # -- sources --------------------------------------------------------------------------------------

    def local(self) -> LocalApi:
        """Return the local API of a running Zotero."""
        return LocalApi(self.local_url(find_zotero()))

    def database(self) -> SqliteSource | None:
        """Return the database source, which works while Zotero is closed; None if not found."""
        folder = self.data_folder(find_zotero())
        file = folder / DATABASE if folder else None
        return SqliteSource(file) if file and file.is_file() else None

    def web(self) -> WebApi | None:
        """Return the web API with the stored key; None without a key."""
        key = credentials.get(KEYRING_NAME)
        return self.web_with(key) if key else None

    def web_with(self, key: str) -> WebApi:
        """Return the web API with a key."""
        from citeloom.zotero.web_api.source import WebApi  # slow to import, and rarely needed

        if key not in self._web_apis:
            self._web_apis = {key: WebApi(self._settings.web_url, key, self._mirror)}
        return self._web_apis[key]

    def open(self) -> LibrarySource:
        """Return the source that works now. Raises ZOTERO_UNAVAILABLE with what to do."""
        if known := cached_source():
            return known
        source = self._open()
        return cached_source(source) or source

    def _open(self) -> LibrarySource:
        wanted = self._settings.source
        problem: CiteLoomError | None = None
        if wanted in ("auto", "local"):
            local = self.local()
            try:
                local.about()
                return local
            except CiteLoomError as error:
                problem = error
        if wanted in ("auto", "sqlite") and (database := self.database()):
            return database
        if wanted in ("auto", "web") and (web := self.web()):
            return web
        raise problem or _no_source(wanted)

    # -- items -------------------------------------------------------------------------------

    def file_finder(self) -> Callable[[Item], AttachmentFile]:
        """Return a function that locates the file of an attachment by Zotero's current settings."""
        profile = find_zotero()
        base_folder = profile.base_folder if profile else None
        return partial(file_of, data_folder=self.data_folder(profile), base_folder=base_folder)

    def citekeys(self, source: LibrarySource, snapshot: Snapshot, items: Sequence[Item]) -> dict[str, str]:
        """Return the citekeys of items, by item key; items without one are left out."""
        found = {item.key: key for item in items if (key := own_citekey(item))}
        rest = [item.key for item in items if item.key not in found]
        if rest and source.kind == "local":
            try:
                found |= BetterBibTex(self.local_url(find_zotero())).citekeys(snapshot.library, rest)
            except CiteLoomError as error:
                log.info("Better BibTeX gave no citekeys: %s", error)
        rest = [key for key in rest if key not in found]
        folder = self.data_folder(find_zotero()) if rest else None
        if folder:
            legacy = legacy_citekeys(folder)
            library = snapshot.library.id
            found |= {key: legacy[library, key] for key in rest if (library, key) in legacy}
        return found

    # -- status ---------------------------------------------------------------------------------------------

    def probe(self) -> ZoteroProbe:
        """Return whether Zotero answers, and a token that changes when the library may have changed.

        The stamps of the database files are cheap, and cover more changes than Zotero's library versions.
        """
        wanted = self._settings.source
        try:
            reachable = wanted in ("auto", "local") and bool(self.local().about())
        except CiteLoomError:
            reachable = False
        folder = self.data_folder(find_zotero())
        stamps = tuple(file_stamp(folder / name) for name in _DATABASE_FILES) if folder else ()
        if any(stamps) and wanted != "web":
            return ZoteroProbe(reachable, stamps)
        # Without a database on this disk, a running Zotero is polled often, zotero.org seldom.
        return ZoteroProbe(reachable, int(time.monotonic() // (_MINUTE if reachable else _QUARTER)))

    def status(self) -> dict[str, Any]:
        """Return the status for people: the source in use, why, and what prevents a better one."""
        profile = find_zotero()
        folder = self.data_folder(profile)
        local, database, web = self._local_status(profile), self._database_status(), self._web_status()
        answer: dict[str, Any] = {
            "in_use": None,
            "why": "",
            "local": local,
            "sqlite": database,
            "web": web,
            "libraries": [],
            "data_folder": str(folder) if folder else None,
            "base_folder": str(profile.base_folder) if profile and profile.base_folder else None,
            "next_step": local.pop("next_step"),
        }
        try:
            source = self.open()
            answer["libraries"] = [_counts(source.read(library)) for library in source.libraries()]
            answer["in_use"] = source.kind
            answer["why"] = _REASONS[source.kind]
        except CiteLoomError as error:
            answer["why"] = str(error)
            answer["next_step"] = answer["next_step"] or error.next_step
        return answer

    def _local_status(self, profile: Profile | None) -> dict[str, Any]:
        url = self.local_url(profile)
        status: dict[str, Any] = {"running": True, "api": "on", "version": None, "better_bibtex": None, "url": url}
        status["next_step"] = ""
        try:
            status["version"] = LocalApi(url).about().get("version")
            status["better_bibtex"] = BetterBibTex(url).version()
        except CiteLoomError as error:
            status["running"] = bool(error.details.get("running", True))
            status["api"] = error.details.get("api") if status["running"] else None
            status["next_step"] = error.next_step
        return status

    def _database_status(self) -> dict[str, Any]:
        database = self.database()
        status: dict[str, Any] = {"database": None, "schema": None, "problem": None}
        if database:
            try:
                about = database.about()
                status |= {"database": about.get("database"), "schema": about.get("schema")}
            except CiteLoomError as error:
                status["problem"] = str(error)
        return status

    def _web_status(self) -> dict[str, Any]:
        status: dict[str, Any] = {"key": None, "user": None, "problem": None}
        try:
            status["key"] = credentials.key_source(KEYRING_NAME)
            if web := self.web():
                status["user"] = web.check_key().get("name")
        except CiteLoomError as error:
            status["problem"] = str(error)
        return status


_REASONS = {
    "local": "it answers",
    "sqlite": "Zotero does not answer; a copy is read",
    "web": "with your key",
}


def library_named(libraries: Sequence[Library], library_id: str) -> Library:
    """Return a library by id. Raises INVALID_INPUT."""
    found = next((library for library in libraries if library.id == library_id), None)
    if found is None:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"Zotero has no library '{library_id}' now.",
            "Check in Zotero that you are still a member of the group, and sync it.",
        )
    return found


def _counts(snapshot: Snapshot) -> dict[str, Any]:
    library = snapshot.library
    works = sum(item.type not in ("note", "attachment") for item in snapshot.top_level())
    return {"id": library.id, "name": library.name, "items": works, "collections": len(snapshot.collections)}


def tree(snapshot: Snapshot) -> dict[str, Any]:
    """Return a library with its Zotero collections, in tree order, and saved searches, to choose from."""
    within: dict[str, int] = dict.fromkeys(snapshot.collections, 0)
    for item in snapshot.top_level():
        for key in item.collections:
            if key in within:
                within[key] += 1
    paths = {key: snapshot.collection_ancestry(key) for key in snapshot.collections}
    # With the key beside each name, so that siblings of the same name keep their own children.
    ordered = sorted(paths, key=lambda key: [(snapshot.collections[at].name.casefold(), at) for at in paths[key]])
    return {
        **_counts(snapshot),
        "collections": [
            {
                "key": key,
                "path": snapshot.collection_paths[key],
                "name": snapshot.collections[key].name,
                "parent": paths[key][-2] if len(paths[key]) > 1 else None,
                "items": within[key],
                "depth": len(paths[key]) - 1,
            }
            for key in ordered
        ],
        "searches": [{"key": s.key, "name": s.name} for s in snapshot.searches.values()],
    }


def _no_source(wanted: str) -> CiteLoomError:
    if wanted == "web":
        return CiteLoomError(
            Code.ZOTERO_UNAVAILABLE,
            "There is no key for zotero.org.",
            "Store one: in the settings, or with 'citeloom zotero login'.",
        )
    return CiteLoomError(
        Code.ZOTERO_UNAVAILABLE,
        "Zotero's database was not found on this computer.",
        "Name its folder in the settings: data_folder under [zotero].",
    )
