"""Where the projects' indexes lie: shown, moved to a Qdrant server and back, compacted."""

from __future__ import annotations

from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core import credentials
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import JobQueue
from citeloom.importing.importer import Importer
from citeloom.importing.index_location import place_of
from citeloom.importing.requests import CompactRequest, MoveRequest
from citeloom.index.registry import Collections
from citeloom.index.server import keys

EMBEDDED = "embedded"


class IndexLocationService:
    """Answers for the places of indexes."""

    def __init__(self, importer: Importer, jobs: JobQueue) -> None:
        self._catalog: Catalog = importer.catalog
        self._collections: Collections = importer.collections
        self._settings = importer.settings.index
        self._jobs = jobs

    def show(self, project_id: str | None = None) -> dict[str, Any]:
        """Where the index of a project, or of every project, lies, how large it is, and whether it can be reached."""
        projects = [self._catalog.projects.get(project_id)] if project_id else self._catalog.projects.all()
        servers = {address: self._reached(address) for address in sorted({p.server for p in projects if p.server})}
        return {
            "new_projects": self._settings.server or EMBEDDED,
            "key": self.key_place(),
            "projects": [self._shown(project, servers) for project in projects],
        }

    def _shown(self, project: Project, servers: dict[str, dict[str, Any]]) -> dict[str, Any]:
        place = place_of(project)
        reached = servers.get(project.server, {"reachable": True, "version": None, "problem": None})
        return {
            "project": project.id,
            "place": project.server or EMBEDDED,
            "name": place.on_server if project.server else str(self._collections.folder(place)),
            "passages": self._catalog.documents.chunk_count(project.id),
            "bytes": None if project.server else self._collections.size_on_disk(project.collection),
            "waiting_for_graph": 0 if project.server else project.without_graph,
            **reached,
            "jobs": self._jobs.busy(project.id),
        }

    def _reached(self, address: str) -> dict[str, Any]:
        try:
            return {"reachable": True, "version": self._collections.version_of(address), "problem": None}
        except CiteLoomError as error:
            return {"reachable": False, "version": None, "problem": str(error)}

    def key_place(self) -> str | None:
        """Where the servers' keys are kept, or why that cannot be said; None where there are none."""
        try:
            return credentials.where(keys.NAME)
        except CiteLoomError as error:
            return str(error)

    def test(self, address: str, key: str | None = None) -> dict[str, Any]:
        """Whether a server can be used, with the key that is kept or with this one."""
        version = self._collections.version_of(address, key)
        kept = self.key_place() if self._collections.server(address).key else None
        return {"address": address, "version": version, "key": kept}

    def log_in(self, key: str, address: str | None = None) -> dict[str, Any]:
        """Keep a key in the keyring for one server or for those in use, once they have taken it."""
        key = key.strip()
        servers = [self._collections.server(address, key).address] if address else self.servers()
        versions = {one: self._collections.version_of(one, key) for one in servers}
        keys.keep(key, servers)
        self._collections.reconnect_servers()
        self._jobs.try_now()
        return {"servers": versions, "key": credentials.where(keys.NAME)}

    def log_out(self) -> dict[str, Any]:
        """Forget the keys; whether there were any, and where there is still one."""
        forgotten = credentials.forget(keys.NAME)
        on_servers = [project.id for project in self._catalog.projects.all() if project.server]
        if forgotten:
            self._collections.reconnect_servers()
        return {"forgotten": forgotten, "key": credentials.where(keys.NAME), "projects": on_servers}

    def servers(self) -> list[str]:
        """The servers that projects are on, or that new ones go to."""
        return sorted({self._settings.server, *(project.server for project in self._catalog.projects.all())} - {""})

    def move(self, project_id: str, to: str) -> dict[str, Any]:
        """Queue a move; a server that cannot be used is said before anything is made."""
        project = self._catalog.projects.get(project_id)
        target = "" if to == EMBEDDED else self._collections.server(to).address
        for job in self._catalog.jobs.unfinished():
            if job.kind == "move" and job.project_id == project.id and job.request["to"] != target:
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"The index of '{project.id}' is being moved to {job.request['to'] or EMBEDDED}.",
                    "Wait until that is done, or cancel it; then move it to another place.",
                )
        if project.server == target:
            return {"job_id": None, "state": "done", "already": True, "place": target or EMBEDDED}
        for server in filter(None, (target, project.server)):
            self._collections.version_of(server)
        job = self._jobs.submit(MoveRequest(project.id, target, project.server))
        return {"job_id": job.id, "state": self._jobs.state(job), "already": False, "place": target or EMBEDDED}

    def compact(self, project_id: str) -> dict[str, Any]:
        """Queue a compaction; a server looks after that by itself."""
        project = self._catalog.projects.get(project_id)
        if project.server:
            return {"job_id": None, "state": "done", "by_server": True, "place": project.server}
        job = self._jobs.submit(CompactRequest(project.id))
        return {"job_id": job.id, "state": self._jobs.state(job), "by_server": False, "place": EMBEDDED}
