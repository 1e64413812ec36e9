"""The engine process: `python -m citeloom.engine.main`. Takes the lock before anything that takes time."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any

from citeloom import paths
from citeloom.engine.launch import FileLock

_ALREADY_RUNNING = 3


def main(arguments: list[str]) -> int:
    """Run the engine until it is told to stop; `--started-by WHO` decides whether it ends when idle."""
    started_by = arguments[arguments.index("--started-by") + 1] if "--started-by" in arguments else "person"
    paths.make_private(paths.folders().data)
    lock = FileLock(paths.engine_lock())
    if not lock.acquire(2.0):
        print("Another engine is running in this data folder.", file=sys.stderr)
        return _ALREADY_RUNNING
    try:
        return _run(started_by)
    finally:
        lock.release()


def _run(started_by: str) -> int:
    from citeloom import config, logs
    from citeloom.errors import CiteLoomError

    try:
        logs.to_file()
        settings = config.load()
        from citeloom.engine.service import Service

        service = Service(settings)
    except CiteLoomError as error:
        print(error, file=sys.stderr)
        return 1
    # A person who started it stops it; one that a face started on the way ends by itself.
    idle = settings.engine.idle_minutes if started_by in ("bridge", "cli") else 0.0
    try:
        asyncio.run(_serve(service, idle, started_by))
    except CiteLoomError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        service.stop()
    return 0


async def _serve(service: Any, idle_minutes: float, started_by: str) -> None:
    from citeloom.engine.server import Server
    from citeloom.mcp_tools import open_session

    server = Server(service, open_session(service), idle_minutes=idle_minutes, started_by=started_by)
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        if hasattr(signal, name) and sys.platform != "win32":
            loop.add_signal_handler(getattr(signal, name), server.end, f"got {name}")
    service.start()
    await server.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
