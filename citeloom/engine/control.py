"""The control session: JSON lines for the command line and the tray. `{"id", "verb", "args"}` → `{"id", "result"}`."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import refuse_large
from citeloom.engine import events
from citeloom.engine.container import Service
from citeloom.ipc import protocol
from citeloom.library import claims, listing
from citeloom.maintenance import model_trial, models
from citeloom.maintenance.doctor import examine
from citeloom.maintenance.ocr import ocr
from citeloom.maintenance.sizes import sizes

if TYPE_CHECKING:
    from citeloom.engine.server import Connection

log = logging.getLogger(__name__)

_MOST_UNREAD = 100  # events that somebody has not read yet


class Control:
    """One control connection: requests are answered as they finish, events come in between."""

    def __init__(self, service: Service, connection: Connection, end_engine: Callable[[str], None]) -> None:
        self._service = service
        self._connection = connection
        self._end_engine = end_engine
        self._loop = asyncio.get_running_loop()
        self._unwatch: Callable[[], None] | None = None
        self._unread = 0
        self._gone = Cancel()  # what takes long ends with who asked for it

    async def run(self) -> None:
        """Answer until the client has gone."""
        tasks: set[asyncio.Task[None]] = set()
        try:
            while (line := await self._connection.read_line(protocol.LINE_LIMIT)) is not None:
                task = asyncio.create_task(self._answer(line))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
        finally:
            if self._unwatch:
                self._unwatch()
            for task in list(tasks):
                task.cancel()
            self._gone.set()

    async def _answer(self, line: bytes) -> None:
        call = object()
        self._connection.unanswered.add(call)
        try:
            await self._send_quietly(protocol.line(await self._result(line)))
        finally:
            self._connection.unanswered.discard(call)

    async def _result(self, line: bytes) -> dict[str, Any]:
        number = None
        try:
            request = protocol.read(line)
            number = protocol.request_id(request)
            args = dict(request.get("args") or {})
            refuse_large(args)
            result = await self._do(str(request["verb"]), args)
            return {"id": number, "result": result}
        except CiteLoomError as error:
            return {"id": number, "error": error.to_wire()}
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            log.warning("a request was not understood", exc_info=True)
            problem = CiteLoomError(Code.INVALID_INPUT, f"The request is not understood: {error!r}.")
            return {"id": number, "error": problem.to_wire()}
        except Exception as error:
            log.exception("a verb failed")
            problem = CiteLoomError(
                Code.INTERNAL_ERROR,
                f"{type(error).__name__}: {error}.",
                "The engine's log says more; the check-up ('citeloom doctor') says where it is.",
            )
            return {"id": number, "error": problem.to_wire()}

    async def _do(self, verb: str, args: dict[str, Any]) -> Any:
        faults.point("engine.verb", verb)
        if verb == "stop":
            # The answer goes out first.
            self._loop.call_later(0.05, self._end_engine, "asked to")
            return {}
        if verb == "watch":
            self._watch()
            return {}
        handler = _VERBS.get(verb)
        if handler is None and verb in self._service.verbs:
            handler = lambda service, arguments: service.verbs.run(verb, args, self._gone)  # noqa: E731
        if handler is None:
            raise CiteLoomError(
                Code.INVALID_INPUT, f"There is no verb '{verb}'.", f"Verbs: {', '.join(sorted(_VERBS))}."
            )
        work: Callable[[], Any] = partial(handler, self._service, {**args, "cancel": self._gone})
        if verb in (
            "search",
            "search.query",
        ):  # a person's question among those of editors: an import lets it go first, too
            return await self._connection.turns.run(self, verb, work, math.inf)
        if verb in ("restore", "maintenance.restore"):
            work = partial(self._restore, work)
        return await asyncio.to_thread(work)

    def _restore(self, work: Callable[[], Any]) -> Any:
        """Restore, and end the engine even if whoever asked has gone: what it wrote from then on would be lost."""
        result = work()
        self._loop.call_soon_threadsafe(self._loop.call_later, 0.05, self._end_engine, "a backup was restored")
        return result

    def _watch(self) -> None:
        def tell(event: events.Event) -> None:
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._tell(event)))

        if self._unwatch is None:
            self._unwatch = self._service.events.watch(tell)

    async def _tell(self, event: events.Event) -> None:
        if self._unread >= _MOST_UNREAD and isinstance(event, events.JobProgress):
            return  # whoever does not read would get hours of it at once, and the next one says more
        self._unread += 1
        await self._send_quietly(protocol.line({"event": events.to_json(event)}))
        self._unread -= 1

    async def _send_quietly(self, line: bytes) -> None:
        try:
            await self._connection.send(line)
        except ConnectionError:
            pass


def _search(service: Service, args: dict[str, Any]) -> Any:
    project = service.catalog.projects.get(args["project"])
    return service.questions.query(
        project,
        args["text"],
        hybrid=bool(args.get("hybrid", True)) and project.hybrid_enabled,
        top_k=args.get("top_k"),
        filter_by=args.get("filters"),
        full_text=bool(args.get("full_text")),
        per_document=args.get("per_document"),
        cancel=args["cancel"],
    )


def _ingest(service: Service, args: dict[str, Any]) -> Any:
    project = service.catalog.projects.get(args["project"])
    job = service.imports.ingest(project, args.get("source"), args.get("options") or {}, by_agent=False)
    return {"job_id": job.id, "state": service.jobs.state(job)}


def _page_picture(service: Service, args: dict[str, Any]) -> Any:
    return service.pictures.page(
        service.catalog.projects.get(args["project"]),
        str(args["chunk_id"]),
        int(args["width"]),
        int(args["page"]) if args.get("page") is not None else None,
        recognise=bool(args.get("recognise")),
    )


def _cite(service: Service, args: dict[str, Any]) -> Any:
    # A person asks about all of their works: without a project, each is looked for in every one.
    named = args.get("project")
    projects = [service.catalog.projects.get(named)] if named else service.catalog.projects.all()
    return service.citations.cite(
        projects,
        [str(text) for text in args["cites"]],
        style=args.get("style"),
        locale=args.get("locale"),
        markup=args.get("markup") or "markdown",
    )


def _check(service: Service, args: dict[str, Any]) -> Any:
    named = args.get("project")
    project = service.catalog.projects.get(named) if named else service.projects.only()
    if "path" in args:
        return service.checks.file(project, Path(args["path"]), args["cancel"])
    return service.checks.text(project, args["text"], None, args["cancel"], args.get("format"))


_VERBS: dict[str, Callable[[Service, dict[str, Any]], Any]] = {
    "status": lambda s, a: s.status(),
    "project_add": lambda s, a: s.projects.add(
        a["id"], a.get("references"), a.get("folders") or [], a.get("zotero") or []
    ),
    "project_allow": lambda s, a: s.projects.allow(a["id"], a.get("folders") or [], a.get("zotero") or []),
    "project_disallow": lambda s, a: s.projects.disallow(a["id"], a["source"]),
    "project_list": lambda s, a: s.projects.all(),
    "project_show": lambda s, a: s.projects.show(a["id"]),
    "project_remove": lambda s, a: s.projects.remove(a["id"]),
    "ingest": _ingest,
    "plan": lambda s, a: s.imports.preview(
        s.catalog.projects.get(a["project"]), retry_failed=bool(a.get("retry_failed"))
    ),
    "zotero_status": lambda s, a: s.zotero.status(),
    "zotero_collections": lambda s, a: s.zotero.collections(a.get("library")),
    "zotero_login": lambda s, a: s.zotero.log_in(a["key"]),
    "zotero_logout": lambda s, a: s.zotero.log_out(),
    "cancel": lambda s, a: s.jobs.cancel(a["job_id"]),
    "search": _search,
    "documents": listing.documents,
    "documents_remove": listing.remove,
    "claims": claims.claims,
    "claim_confirm": claims.confirm,
    "claim_refuse": claims.refuse,
    "reread": listing.reread,
    "models": lambda s, a: models.models(s),
    "project_model": models.choose,
    "model_download": lambda s, a: models.download(a),
    "model_test": model_trial.trial,
    "ocr": lambda s, a: ocr(s.settings),
    "sizes": lambda s, a: sizes(),
    "show": lambda s, a: s.find_passage(a["chunk_id"]),
    "record": lambda s, a: s.records.record(s.catalog.projects.get(a["project"]), a["citekey"], a["format"]),
    "cite": _cite,
    "verify": lambda s, a: s.quoting.verify(
        s.catalog.projects.get(a["project"]), a["quote"], a.get("citekey"), a.get("page"), a["cancel"]
    ),
    "check": _check,
    "export": lambda s, a: s.exports.export(
        s.catalog.projects.get(a["project"]),
        a["format"],
        escaped=bool(a.get("escaped")),
        cited_in=[Path(p) for p in a.get("cited_in") or []],
    ),
    "facets": lambda s, a: s.records.facets(s.catalog.projects.get(a["project"])),
    "page_picture": _page_picture,
    "log": lambda s, a: s.activity.log(a.get("project"), a.get("client"), int(a.get("limit", 50)), a.get("before")),
    "log_passages": lambda s, a: s.activity.passages(a.get("project"), [str(c) for c in a["chunk_ids"]]),
    "log_clear": lambda s, a: {"removed": s.activity.clear_log()},
    "jobs": lambda s, a: s.activity.jobs(a.get("project"), int(a.get("limit", 50))),
    "pause": lambda s, a: s.pause(),
    "resume": lambda s, a: s.resume(),
    "editors": lambda s, a: {"editors": s.editors.all()},
    "disconnect": lambda s, a: {"disconnected": s.editors.disconnect(str(a["session_id"]))},
    "cache_show": lambda s, a: s.cache.show(),
    "cache_prune": lambda s, a: s.cache.prune(everything=bool(a.get("everything"))),
    "index_show": lambda s, a: s.index_desk.show(a.get("project")),
    "index_test": lambda s, a: s.index_desk.test(a["address"], a.get("key")),
    "index_login": lambda s, a: s.index_desk.log_in(a["key"], a.get("address")),
    "index_logout": lambda s, a: s.index_desk.log_out(),
    "index_move": lambda s, a: s.index_desk.move(a["project"], a["to"]),
    "index_compact": lambda s, a: s.index_desk.compact(a["project"]),
    "backup": lambda s, a: s.back_up(a["file"], [str(p) for p in a.get("projects") or []]),
    "restore_look": lambda s, a: s.restoring.look(Path(a["file"])),
    "restore": lambda s, a: s.restoring.restore(
        Path(a["file"]),
        a["cancel"],
        replace=bool(a.get("replace")),
        accepted=[str(path) for path in a.get("accepted") or ()],
        all_settings=bool(a.get("all_settings")),
    ),
    "doctor": lambda s, a: examine(s),
}
