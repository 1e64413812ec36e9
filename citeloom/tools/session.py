"""One editor's MCP session: the SDK's server over the engine's socket, with time limits, errors and the access log."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from citeloom import __version__
from citeloom.api.engine import ConnectedEditor
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import describe_progress
from citeloom.core.text.sanitize import clean_values, shortened_values
from citeloom.engine.container import Container
from citeloom.ipc import protocol
from citeloom.tools import older_names
from citeloom.tools.access_record import AccessRecord
from citeloom.tools.arguments import ArgumentNames, schema, validate
from citeloom.tools.dialect import dialect
from citeloom.tools.tool import READ, Call, ImportOutcome, StartedImport, Tool

if TYPE_CHECKING:
    from citeloom.engine.server import Connection

log = logging.getLogger(__name__)

_UNKNOWN = "unknown"  # an editor that has not sent its name
_MAX_UNANSWERED = 256  # calls of one editor; above that, its input is not read
_LARGE_CALL_BYTES = 1_000_000  # bytes: such a call is read only after all earlier ones are answered
_MAX_NAME = 100  # characters of the name of an editor or a tool
# Arguments that say what was asked, for the access log.
_ASKED = (
    "text", "query", "quote", "chunk_id", "citekey", "citekeys", "doc_id", "source", "title", "id", "path", "file_path",
    "dir_path", "url",
)  # fmt: skip
_ANSWER_MARGIN = 1.0  # an import answers "running" this long before the time limit


class Session:
    """Serves one editor until it disconnects."""

    def __init__(self, container: Container, connection: Connection, options: dict[str, Any]) -> None:
        self._container = container
        self._connection = connection
        projects = options.get("projects")
        self._visible = frozenset(str(p) for p in projects) if projects else None
        self._toolsets = [str(t) for t in options.get("toolsets") or (READ,)]
        self._dialect = dialect(str(options.get("dialect") or ""))
        self._tools = {name: tool for name, tool in self._dialect.tools.items() if tool.toolset in self._toolsets}
        self._bridge = str(options.get("bridge") or "")
        self._editor = container.editors.reconnected(self._bridge)
        self._id = self._editor.session_id if self._editor else uuid.uuid4().hex[:12]
        self._close: Callable[[], object] = lambda: None
        self._server: Server[Any] = Server(
            "citeloom",
            version=__version__,
            title="CiteLoom",
            instructions=self._dialect.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self._server.middleware.append(self._identify_editor)

    async def run(self) -> None:
        """Transfer lines between the socket and the SDK's server."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](16)
        connection = self._connection

        async def receive() -> None:
            async with to_server:
                while (line := await connection.read_line(protocol.LINE_LIMIT)) is not None:
                    if not line.strip():
                        continue
                    try:
                        message = _read_message(line)
                        await self._count_call(message, line)
                        await to_server.send(SessionMessage(message))
                    except (ValueError, RecursionError):  # also if nested too deeply to be serialised again
                        number = protocol.request_id(protocol.decode_object(line))
                        problem = {"code": -32600, "message": "That is not a JSON-RPC request."}
                        await connection.send(protocol.encode_line({"jsonrpc": "2.0", "id": number, "error": problem}))

        async def send() -> None:
            async with from_server:
                async for outgoing in from_server:
                    message = outgoing.message
                    number = message.id if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
                    if isinstance(message, types.JSONRPCError):
                        message = _shortened(message)
                    text = message.model_dump_json(by_alias=True, exclude_unset=True)
                    await connection.send(text.encode() + b"\n")
                    connection.call_ended(number)

        try:
            async with anyio.create_task_group() as group:
                loop = asyncio.get_running_loop()
                self._close = partial(loop.call_soon_threadsafe, group.cancel_scope.cancel)
                if self._editor:
                    self._container.editors.add(self._editor, self._bridge, self._close)
                group.start_soon(receive)
                group.start_soon(send)
                await self._server.run(from_client, to_client, self._server.create_initialization_options())
                group.cancel_scope.cancel()
        except* (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.info("an editor's connection was lost")
        finally:
            self._container.editors.remove(self._id)

    async def _list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._register_editor(_info(context))
        return types.ListToolsResult(tools=[describe(tool) for tool in self._tools.values()])

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = self._register_editor(_info(context)).name
        self._container.editors.record_call(self._id, params.name[:_MAX_NAME])
        correlation_id = uuid.uuid4().hex[:16]
        began = time.perf_counter()
        tool, given, answer = params.name, dict(params.arguments or {}), {}
        outcome, record = "ok", AccessRecord()
        try:
            names = None if self._dialect.name else older_names.argument_names(tool, given)
            if not self._dialect.name:
                tool, given = older_names.resolve(
                    tool, given, lambda: self._container.projects.default_project(self._visible).id
                )
            if names:
                answer = await self._run_older(tool, given, context, record, names)
            else:
                answer = await self._run(tool, given, context, record)
        except CiteLoomError as error:
            outcome = str(error.code)
            answer = self._dialect.failure(error)
        except Exception as error:
            log.exception("tool %s failed [%s]", tool, correlation_id)
            outcome = str(Code.INTERNAL_ERROR)
            problem = CiteLoomError(
                Code.INTERNAL_ERROR,
                f"{type(error).__name__} in {tool}.",
                f"The engine's log has it under {correlation_id}.",
            )
            answer = self._dialect.failure(problem)
        if self._dialect.in_answer:
            answer["correlation_id"] = correlation_id
        tool = tool[:_MAX_NAME]
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        log.info("%s %s %s %.1f ms [%s]", client, tool, outcome, milliseconds, correlation_id)
        await self._log_call(client, tool, given, record, outcome, milliseconds, correlation_id)
        shown = clean_values(answer)  # documents, records and other agents are not trusted
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=json.dumps(shown, ensure_ascii=False))],
            structured_content=shown,
            is_error=outcome != "ok",
            _meta=None if self._dialect.in_answer else {"correlation_id": correlation_id},
        )

    async def _run_older(
        self,
        name: str,
        given: dict[str, Any],
        context: ServerRequestContext[Any],
        record: AccessRecord,
        names: ArgumentNames,
    ) -> dict[str, Any]:
        """Run a call by an older name: its errors use its names, and it searches also without a sparse model."""
        try:
            return await self._run(name, given, context, record, names)
        except CiteLoomError as error:
            if error.code == Code.HYBRID_NOT_SUPPORTED:
                return await self._run("query", given, context, record, names)
            raise older_names.in_older_words(error, names) from error

    async def _run(
        self,
        name: str,
        given: dict[str, Any],
        context: ServerRequestContext[Any],
        record: AccessRecord,
        names: ArgumentNames | None = None,
    ) -> dict[str, Any]:
        tool = self._tools.get(name)
        if tool is None:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There is no tool '{name[:60]}'.",
                f"Tools are: {', '.join(self._tools)}.",
            )
        cancel = Cancel()
        call = Call(self._container, self._visible, validate(tool.arguments, given, names), cancel, record)
        limit = tool.seconds or self._container.settings.timeouts.of(tool.limit)
        try:
            with anyio.fail_after(limit):
                answer = await self._connection.pool.run(self._id, name, partial(tool.run, call), limit)
                if isinstance(answer, StartedImport):
                    outcome = await self._wait_for_import(answer.job_id, limit, context)
                    if outcome.finished:
                        record.add_import(outcome.finished.result)
                    make = partial(answer.answer, outcome)
                    answer = await self._connection.pool.run(self._id, name, make, limit)
                return answer
        except TimeoutError as error:
            log.warning("%s was stopped at its time limit of %s s: incomplete", name, limit)
            raise CiteLoomError(
                Code.TIMEOUT,
                f"{name} took longer than {limit:g} seconds and was stopped.",
                "Try again, or ask for less.",
            ) from error
        finally:
            cancel.set()

    async def _wait_for_import(self, job_id: str, limit: float, context: ServerRequestContext[Any]) -> ImportOutcome:
        until = time.monotonic() + max(0.0, limit - _ANSWER_MARGIN)
        jobs, reported = self._container.jobs, 0.0
        while True:
            remaining = until - time.monotonic()
            wait = partial(jobs.wait, job_id, max(0.0, min(0.5, remaining)))
            finished, progress = await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)
            if progress and (reached := round(100 * (progress.share or 0.0), 1)) > reported:
                reported = reached
                await context.session.report_progress(reached, 100, describe_progress(progress))
            if finished or remaining <= 0 or jobs.paused:
                break
        if finished is None:
            jobs.mark_unreported(job_id)
        return ImportOutcome(job_id, finished, progress, jobs.paused)

    async def _identify_editor(self, ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        """Identify the editor by its handshake, or by each request since MCP 2026-07-28."""
        if info := _info(ctx):
            self._register_editor(info)
        result = await call_next(ctx)
        if ctx.method == "initialize":
            self._register_editor(types.Implementation.model_validate((ctx.params or {})["clientInfo"]))
        return result

    async def _count_call(self, message: types.JSONRPCMessage, line: bytes) -> None:
        """Count unanswered calls, and wait while there are too many: calls and unread answers are held in memory."""
        connection = self._connection
        if isinstance(message, types.JSONRPCRequest):
            connection.call_began(message.id)
            await connection.wait_for_answers(_MAX_UNANSWERED if len(line) < _LARGE_CALL_BYTES else 1)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            connection.call_ended(cancelled_request_id_from_params(message.params))  # it gets no answer

    def _register_editor(self, info: types.Implementation | None) -> ConnectedEditor:
        if self._editor is None:
            projects = sorted(self._visible) if self._visible is not None else None
            name, version = (info.name[:_MAX_NAME], info.version[:_MAX_NAME]) if info else (_UNKNOWN, "")
            self._editor = ConnectedEditor(self._id, name, version, projects, self._toolsets)
            self._container.editors.add(self._editor, self._bridge, self._close)
        return self._editor

    async def _log_call(
        self,
        client: str,
        tool: str,
        given: dict[str, Any],
        record: AccessRecord,
        outcome: str,
        milliseconds: float,
        correlation_id: str,
    ) -> None:
        if not self._container.settings.privacy.access_log:
            return
        asked = next((value for name in _ASKED if (value := given.get(name))), "")
        if isinstance(asked, list):
            asked = ", ".join(map(str, asked))
        if record.summary:
            asked = f"{record.summary}: {asked}" if asked else record.summary
        named = str(given["project"])[:_MAX_NAME] if "project" in given else None  # also if there is no such project
        entry = partial(
            self._container.catalog.access_log.add,
            correlation_id=correlation_id,
            client=client,
            project_id=record.project or named,
            tool=tool,
            asked=str(asked),
            passages=record.passages,
            outcome=outcome,
            milliseconds=milliseconds,
        )
        try:
            await anyio.to_thread.run_sync(entry)
        except CiteLoomError as error:
            log.error("the access log could not be written: %s", error)


def _info(context: ServerRequestContext[Any]) -> types.Implementation | None:
    params = context.session.client_params
    return params.client_info if params else None


def _read_message(line: bytes) -> types.JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        # An editor that cuts a text inside a character sends a lone surrogate, which strict parsers reject.
        repaired = json.dumps(protocol.decode_line(line), ensure_ascii=False).encode("utf-8", "replace")
        return jsonrpc_message_adapter.validate_json(repaired, by_name=False)


def _shortened(problem: types.JSONRPCError) -> types.JSONRPCError:
    """Shorten the SDK's own errors, which may repeat the input."""
    cleaned = clean_values(shortened_values(problem.error.model_dump(exclude_unset=True)))
    return problem.model_copy(update={"error": types.ErrorData.model_validate(cleaned)})


def describe(tool: Tool) -> types.Tool:
    """Return the description of a tool as listed for agents."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema(tool.arguments),
        output_schema=tool.output,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=True,
            open_world_hint=tool.open_world,
        ),
    )
