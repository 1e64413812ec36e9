"""Zotero on this computer: its local API and, where it is installed, Better BibTeX."""

from __future__ import annotations

from tests.zotero_stand_in import better_bibtex
from tests.zotero_stand_in.local_calls import NO_ENDPOINT, NOT_FOUND, TEXT, LocalCall
from tests.zotero_stand_in.serving import Reply, Request, StandIn
from tests.zotero_stand_in.world import MY_LIBRARY, World


class LocalZotero(StandIn):
    """A Zotero that runs on this computer, 9 or 10."""

    def __init__(
        self,
        world: World,
        *,
        version: str = "10.0.1",
        enabled: bool = True,
        better_bibtex: bool = True,
        port: int = 0,
    ) -> None:
        super().__init__(port)
        self.world, self.version, self.enabled, self.better_bibtex = world, version, enabled, better_bibtex
        self.server_id = "nM0LQCPmlMrn"
        self.unloaded = 0  # how many calls of Better BibTeX still fail because Zotero has not loaded its items

    @property
    def counts_itself(self) -> bool:
        """Whether versions are its own counter (Zotero 10) and not those of the last sync."""
        return int(self.version.split(".")[0]) >= 10

    def answer(self, request: Request) -> Reply | None:
        """What Zotero replies; None where it drops the connection."""
        if "origin" in request.headers or request.headers.get("user-agent", "").startswith("Mozilla/"):
            return None
        if request.headers.get("host", "").rpartition(":")[0] not in ("127.0.0.1", "localhost", "[::1]"):
            return self._with_name(Reply(400, "Invalid Host header\n", TEXT))
        if request.path == "/connector/ping":
            page = "<!DOCTYPE html><html><body>Zotero is running</body></html>"
            return self._with_name(Reply(200, page, {"Content-Type": "text/html"}))
        if request.path.startswith("/better-bibtex/") and self.better_bibtex:
            return self._with_name(better_bibtex.answer(self, request))
        if not request.path.startswith("/api/"):
            return self._with_name(NO_ENDPOINT)
        if request.method != "GET":
            return self._with_name(Reply(400, "Endpoint does not support method\n", TEXT))
        reply = self._api(request)
        if reply is NO_ENDPOINT:
            return self._with_name(reply)
        more = {"Zotero-API-Version": "3", "Zotero-Schema-Version": "41"}
        if self.counts_itself:
            more["Zotero-Server-ID"] = self.server_id
        empty = {} if reply.body != b"" else {"Content-Length": "0"}
        return self._with_name(Reply(reply.status, reply.body, {**reply.headers, **more, **empty}, reply.reason))

    def _with_name(self, reply: Reply) -> Reply:
        name = {"X-Zotero-Version": self.version, "X-Zotero-Connector-API-Version": "3"}
        return Reply(reply.status, reply.body, {**name, **reply.headers}, reply.reason)

    def _api(self, request: Request) -> Reply:
        if not self.enabled:
            return Reply(403, "Local API is not enabled", TEXT)
        version = request.query.get("v", request.headers.get("zotero-api-version", "3"))
        if version != "3":
            return Reply(501, f"API version not implemented: {version}", TEXT)
        match request.path.strip("/").split("/")[1:]:
            case []:
                return Reply(200, "Nothing to see here.", TEXT)
            case ["users", "0", *what]:
                return self._call(request, MY_LIBRARY, what)
            case ["users", *_]:
                text = "Only data for the logged-in user is available locally -- use userID 0"
                return Reply(400, text, TEXT)
            case ["groups", number, *what]:
                group = f"groups/{number}"
                return self._call(request, group, what) if group in self.world.libraries else NOT_FOUND
        return NO_ENDPOINT

    def _call(self, request: Request, library: str, what: list[str]) -> Reply:
        shelf = self.world.libraries[library]
        return LocalCall(self.world, shelf, request, port=self.port, counted=self.counts_itself).reply(what)
