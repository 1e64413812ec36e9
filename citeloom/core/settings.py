"""Settings file: one TOML file that users can edit. Values only; nothing is constructed here."""

from __future__ import annotations

import errno
import stat
import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file

BUNDLED_DENSE = "citeloom/all-MiniLM-L6-v2-int8"
BUNDLED_SPARSE = "citeloom/bm25"
_SHORTEST_TEXT = 100
_DAY = 86_400  # seconds; longer waits overflow in some system calls
_MAX = 1_000_000_000  # default upper limit of a number
MAX_TOP_K = 1000
_LIMITS = {
    "watch.zotero_seconds": _DAY,
    "engine.workers": 256,
    "search.max_top_k": MAX_TOP_K,
    "privacy.log_days": 36_500,
}
_HEADER = "# The settings of CiteLoom. What is not written here has its default.\n"
FUSIONS = ("blend", "rrf", "dbsf")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Models:
    """Models of new projects. An existing project continues to use the ones it was built with."""

    dense: str = BUNDLED_DENSE
    sparse: str = BUNDLED_SPARSE  # "" switches hybrid search off
    language: str = "auto"  # of stemming and stop words: "auto" by document, or one for all, such as "german"
    allow_download: bool = False  # whether a missing model may be downloaded from its hub


@dataclass(frozen=True, slots=True)
class Index:
    """Location of the index of new projects. `citeloom index move` moves that of an existing one."""

    server: str = ""  # the address of a Qdrant server; "": in CiteLoom's own folder
    shards: int = 1  # of a collection on a cluster
    replicas: int = 1  # copies of each shard
    timeout_seconds: float = 10.0  # of a request to a server


@dataclass(frozen=True, slots=True)
class ProjectSearch:
    """Options of search of one project; 0: as for all projects."""

    top_k: int = 0
    max_top_k: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """Options of search."""

    top_k: int = 6
    max_top_k: int = 20
    max_chars: int = 1800
    fusion: str = "blend"  # of dense and sparse ranking by scores; or "rrf", by ranks, or "dbsf", by distribution
    rrf_k: int = 60
    rerank: str = ""  # cross-encoder that reranks the best passages; "": none
    include_references: bool = False  # whether reference lists are searched like other text
    projects: Mapping[str, ProjectSearch] = field(default_factory=dict)  # by project id

    def top_k_of(self, project_id: str) -> tuple[int, int]:
        """Return the number of hits of a project, and the largest number that can be requested."""
        own = self.projects.get(project_id, ProjectSearch())
        largest = own.max_top_k or self.max_top_k
        return own.top_k or min(self.top_k, largest), largest


@dataclass(frozen=True, slots=True)
class Ocr:
    """Options of OCR."""

    languages: tuple[str, ...] = ("en", "de")  # default, if neither the record nor the import names one
    engine: str = "tesseract"  # or "rapidocr", if installed


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts of tools in seconds."""

    query: float = 8.0
    query_hybrid: float = 15.0
    store_chunks: float = 15.0
    ingest_from_source: float = 15.0
    list_projects: float = 2.0
    other: float = 5.0

    def of(self, tool: str) -> float:
        """Return the timeout of a tool."""
        return float(getattr(self, tool, self.other))


@dataclass(frozen=True, slots=True)
class Engine:
    """Options of the engine."""

    idle_minutes: float = 10.0
    workers: int = 0  # 0: as many as the machine's cores and memory allow
    worker_memory_mb: int = 0  # memory limit of one conversion; 0: by its pages and the machine's memory
    min_free_mb: int = 200  # imports stop when the disk has less
    on_battery: bool = False  # whether imports embed passages and read scans on battery too


@dataclass(frozen=True, slots=True)
class Zotero:
    """Options of the access to Zotero."""

    source: str = "auto"  # or "local", "sqlite", "web"
    local_url: str = "http://127.0.0.1:23119"
    web_url: str = "https://api.zotero.org"
    data_folder: str = ""  # folder of zotero.sqlite and storage; "": from Zotero's profile
    fetch_files: bool = True  # once logged in: download files that are not on this disk
    max_file_mb: int = 300


@dataclass(frozen=True, slots=True)
class Watch:
    """Options of automatic synchronization."""

    zotero: bool = True
    files: bool = True  # folders and references files of projects
    zotero_seconds: float = 20.0  # polling interval of a running Zotero


@dataclass(frozen=True, slots=True)
class Privacy:
    """Options of the access log, and permissions of agents."""

    access_log: bool = True
    log_days: int = 0  # retention of the access log; 0: until it is cleared
    agents_may_fetch: bool = False  # whether agents may import web addresses


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults."""

    default_project: str = ""
    models: Models = field(default_factory=Models)
    index: Index = field(default_factory=Index)
    search: Search = field(default_factory=Search)
    ocr: Ocr = field(default_factory=Ocr)
    timeouts: Timeouts = field(default_factory=Timeouts)
    engine: Engine = field(default_factory=Engine)
    zotero: Zotero = field(default_factory=Zotero)
    watch: Watch = field(default_factory=Watch)
    privacy: Privacy = field(default_factory=Privacy)


def load(path: Path | None = None) -> Settings:
    """Read the settings file; a missing file means the defaults."""
    path = path or Path(paths.settings_file())
    try:
        return parse(_read(path))
    except (ValueError, OSError) as error:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The settings file {path} cannot be used: {error}.",
            "Correct that line, or rename the file to go back to the defaults.",
        ) from error


def load_or_defaults(path: Path | None = None) -> tuple[Settings, CiteLoomError | None]:
    """Return the settings, or the defaults with the error for a file that cannot be used."""
    try:
        return load(path), None
    except CiteLoomError as error:
        return Settings(), error


def change(changes: Mapping[str, Any], path: Path | None = None) -> Settings:
    """Write settings by their dotted names, such as "ocr.languages"; None restores a default.

    Comments and order in the file stay. An invalid value raises INVALID_INPUT, and nothing is written.
    """
    from tomlkit.exceptions import TOMLKitError

    path = path or Path(paths.settings_file())
    try:
        text = with_changes(_read(path) or _HEADER, changes)
        settings = parse(text)
        text.encode()
    except (TOMLKitError, ValueError, TypeError, RecursionError, OSError) as error:
        load(path)  # raises if the file was invalid before the change
        message = f"That cannot be set: {str(error).rstrip('.')}."
        raise CiteLoomError(Code.INVALID_INPUT, message, "Nothing was changed. Choose another value.") from error
    _write(path, text)
    return settings


def parse(text: str) -> Settings:
    """Parse settings; raises ValueError for an invalid text."""
    try:
        settings = _section(Settings, tomllib.loads(text), "")
    except RecursionError as error:  # deep nesting
        raise ValueError(str(error)) from error
    search = settings.search
    if not (1 <= search.top_k <= search.max_top_k and search.max_chars >= _SHORTEST_TEXT and search.rrf_k >= 1):
        raise ValueError(f"[search] needs 1 <= top_k <= max_top_k, max_chars >= {_SHORTEST_TEXT} and rrf_k >= 1")
    for project in search.projects:
        top_k, largest = search.top_k_of(project)
        if top_k > largest:
            raise ValueError(f'[search.projects."{project}"] needs top_k <= max_top_k, which is {largest}')
    for name, value, choices in (
        ("search.fusion", search.fusion, FUSIONS),
        ("zotero.source", settings.zotero.source, ("auto", "local", "sqlite", "web")),
        ("ocr.engine", settings.ocr.engine, ("tesseract", "rapidocr")),
    ):
        if value not in choices:
            raise ValueError(f'{name} is "{value}"; it can be {" or ".join(choices)}')
    return settings


def with_changes(text: str, changes: Mapping[str, Any]) -> str:
    """Return the TOML text with some settings changed."""
    import tomlkit

    document = tomlkit.parse(text)
    first = ""  # new keys without a section go above all sections
    for name, value in changes.items():
        *sections, key = name.split(".")
        if not sections and key not in document:
            first += tomlkit.dumps({key: value}) if value is not None else ""
        else:
            _set(document, sections, key, value)
    new = tomlkit.dumps(document)
    header = _HEADER if new.startswith(_HEADER) else ""
    new = header + first + new[len(header) :]
    if "\r\n" in text:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    return new


def _set(document: Any, sections: Sequence[str], key: str, value: Any) -> None:
    """Set or remove one setting of a parsed document."""
    inner = document
    for section in sections:
        if section not in inner:
            if value is None:
                return
            inner[section] = {}
        inner = _table(inner, section)
        if not isinstance(inner, MutableMapping):
            raise ValueError(f"there is no setting {'.'.join([*sections, key])}")
    if value is None:
        inner.pop(key, None)
        return
    body = getattr(inner.value, "body", None) if sections and key not in inner else None
    below: list[Any] = []  # comments at a section's end mostly belong to the next one: the new setting goes above them
    while body and body[-1][0] is None:
        below.insert(0, body.pop())
    inner[key] = list(value) if isinstance(value, tuple) else value
    if body is not None:
        body.extend(below)


def _table(document: Any, name: str) -> Any:
    """Return a table; where tables below it stand elsewhere in the file, the part with its own settings."""
    parts = [item for key, item in getattr(document, "body", ()) if key is not None and key.key == name]
    own = [item for item in parts if not (hasattr(item, "is_super_table") and item.is_super_table())]
    return own[0] if len(parts) > 1 and own else document[name]


def _read(path: Path) -> str:
    """Read the file with its own line ends."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # some editors on Windows write a byte order mark
            return file.read()
    except FileNotFoundError:
        return ""


def _write(path: Path, text: str) -> None:
    """Replace the file atomically; its permissions stay."""
    path = path.resolve()  # a link stays a link
    try:
        old = path.stat() if path.exists() else None
        if old and not old.st_mode & stat.S_IWUSR:
            raise PermissionError(errno.EACCES, "it is read-only", str(path))
        paths.make_private(str(path.parent))
        with atomic_file.replacing(path, like=old, sync=True) as file:
            file.write(text.encode())
    except OSError as error:
        raise CiteLoomError(
            Code.PERMISSION_DENIED if isinstance(error, PermissionError) else Code.STORAGE_ERROR,
            f"The settings file {path} cannot be written: {error.strerror or error}.",
            "Nothing was changed. Make it writable, or free some disk space.",
        ) from error


def _section(cls: type[_T], data: dict[str, Any], prefix: str) -> _T:
    defaults = cls()
    known = {f.name for f in fields(cls)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise ValueError(f"there is no setting {name}; here there are {', '.join(sorted(known))}")
        default = getattr(defaults, key)
        if isinstance(default, str | bool | int | float):
            kind = (int, float) if isinstance(default, float) else type(default)
            if not isinstance(value, kind) or isinstance(value, bool) != isinstance(default, bool):
                raise ValueError(f"{name} is {value!r}, but it must be like {default!r}")
            most = _DAY if cls is Timeouts else MAX_TOP_K if cls is ProjectSearch else _LIMITS.get(name, _MAX)
            if isinstance(value, int | float) and not 0 <= value <= most:  # nan compares as False
                raise ValueError(f"{name} must be a number from 0 to {most:,}")
            values[key] = value
        elif isinstance(default, tuple):
            if not isinstance(value, list) or not value or not all(isinstance(v, str) and v.strip() for v in value):
                raise ValueError(f"{name} is {value!r}, but it must be like {list(default)!r}")
            values[key] = tuple(value)
        elif isinstance(default, dict):
            if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
                raise ValueError(f'{name} has a table for each project: write [{name}."ID"] above its settings')
            values[key] = {id: _section(ProjectSearch, inner, f'{name}."{id}".') for id, inner in value.items()}
        elif isinstance(value, dict):
            values[key] = _section(type(default), value, f"{name}.")
        else:
            raise ValueError(f"{name} is a table: write [{name}] above its settings")
    return cls(**values)
