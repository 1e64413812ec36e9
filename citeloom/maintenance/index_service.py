"""Request handlers for indexes: show their location, move them to a Qdrant server and back, compact, manage keys."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.maintenance import (
    EMBEDDED,
    CheckServer,
    CompactIndex,
    CompactionStarted,
    IndexInfo,
    IndexList,
    ListIndexes,
    LogInServer,
    LogOutServers,
    MoveIndex,
    MoveStarted,
    ServerInfo,
    ServerLogin,
    ServerLogout,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core import credentials, settings
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.importing.requests import CompactRequest, MoveRequest
from citeloom.index.registry import Collections
from citeloom.index.server import keys


@dataclass
class IndexService:
    """Shows, moves and compacts indexes, and stores the keys of their servers."""

    _catalog: Catalog
    _collections: Collections
    _settings: settings.Index
    _jobs: JobQueue

    @handles(ListIndexes)
    def show(self, request: ListIndexes) -> IndexList:
        """Return location, size and availability of the index of one project, or of all."""
        found = self._catalog.projects
        projects = [found.get(request.project)] if request.project else found.all()
        servers = {address: self._version(address) for address in sorted({p.server for p in projects if p.server})}
        return IndexList(
            new_projects=self._settings.server or EMBEDDED,
            key=self.key_location(),
            projects=[self._info(project, servers.get(project.server)) for project in projects],
        )

    def _info(self, project: Project, version: str | CiteLoomError | None) -> IndexInfo:
        location = project.index_location
        problem = str(version) if isinstance(version, CiteLoomError) else None
        return IndexInfo(
            project=project.id,
            place=project.server or EMBEDDED,
            name=location.on_server if project.server else str(self._collections.folder(location)),
            passages=self._catalog.documents.chunk_count(project.id),
            bytes=None if project.server else self._collections.size_on_disk(project.collection),
            waiting_for_graph=0 if project.server else project.without_graph,
            reachable=problem is None,
            version=version if isinstance(version, str) else None,
            problem=problem,
            jobs=list(self._jobs.unfinished(project.id)),
        )

    def _version(self, address: str) -> str | CiteLoomError:
        try:
            return self._collections.server(address).check()
        except CiteLoomError as error:
            return error

    def key_location(self) -> str | None:
        """Return where the servers' keys are stored, or why that is unknown; None if there are none."""
        try:
            return credentials.key_source(keys.NAME)
        except CiteLoomError as error:
            return str(error)

    @handles(CheckServer)
    def check_server(self, request: CheckServer) -> ServerInfo:
        """Check whether a server can be used, with the stored key or the one of the request."""
        version = self._collections.server(request.address, request.key).check()
        key = self.key_location() if self._collections.server(request.address).key else None
        return ServerInfo(request.address, version, key)

    @handles(LogInServer)
    def log_in(self, request: LogInServer) -> ServerLogin:
        """Store a key in the keyring for one server or for those in use, after they have accepted it."""
        key = request.key.strip()
        servers = [self._collections.server(request.address, key).address] if request.address else self.servers()
        versions = {one: self._collections.server(one, key).check() for one in servers}
        keys.store(key, servers)
        self._collections.reconnect_servers()
        self._jobs.retry_now()
        return ServerLogin(versions, credentials.key_source(keys.NAME))

    @handles(LogOutServers)
    def log_out(self, request: LogOutServers) -> ServerLogout:
        """Delete the keys from the keyring; an environment variable may still provide one."""
        forgotten = credentials.delete(keys.NAME)
        on_servers = [project.id for project in self._catalog.projects.all() if project.server]
        if forgotten:
            self._collections.reconnect_servers()
        return ServerLogout(forgotten, credentials.key_source(keys.NAME), on_servers)

    def servers(self) -> list[str]:
        """Return the servers of existing projects, and the one for new projects."""
        return sorted({self._settings.server, *(project.server for project in self._catalog.projects.all())} - {""})

    @handles(MoveIndex)
    def move(self, request: MoveIndex) -> MoveStarted:
        """Queue a move; raise an error at once if the server cannot be used."""
        project = self._catalog.projects.get(request.project)
        target = "" if request.to == EMBEDDED else self._collections.server(request.to).address
        for job in self._catalog.jobs.unfinished():
            if job.kind == "move" and job.project_id == project.id and job.request["to"] != target:
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"The index of '{project.id}' is being moved to {job.request['to'] or EMBEDDED}.",
                    "Wait until that is done, or cancel it; then move it to another place.",
                )
        if project.server == target:
            return MoveStarted(None, "done", already=True, place=target or EMBEDDED)
        for server in filter(None, (target, project.server)):
            self._collections.server(server).check()
        job = self._jobs.submit(MoveRequest(project.id, target, project.server))
        return MoveStarted(job.id, self._jobs.state(job), already=False, place=target or EMBEDDED)

    @handles(CompactIndex)
    def compact(self, request: CompactIndex) -> CompactionStarted:
        """Queue a compaction; not for a server, which compacts by itself."""
        project = self._catalog.projects.get(request.project)
        if project.server:
            return CompactionStarted(None, "done", by_server=True, place=project.server)
        job = self._jobs.submit(CompactRequest(project.id))
        return CompactionStarted(job.id, self._jobs.state(job), by_server=False, place=EMBEDDED)
