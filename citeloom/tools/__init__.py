"""The MCP tools, run inside the engine. Importing this package does not load the MCP SDK; the first session does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from citeloom.engine.process_state import preload_enabled

if TYPE_CHECKING:
    from citeloom.engine.container import Container
    from citeloom.engine.server import Connection


def open_session(container: Container) -> Callable[[Connection, dict[str, Any]], Awaitable[None]]:
    """Return a function that serves an editor's connection. The SDK is preloaded, because that takes a second."""
    if preload_enabled():
        threading.Thread(target=_load, name="load-mcp", daemon=True).start()

    async def session(connection: Connection, options: dict[str, Any]) -> None:
        module = await asyncio.to_thread(_load)
        await module.Session(container, connection, options).run()

    return session


def _load() -> Any:
    from citeloom.tools import session

    return session
