"""The engine process: `python -m citeloom.engine.main`. Takes the lock before anything slow."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from citeloom.core import data_folder, paths
from citeloom.core.errors import CiteLoomError
from citeloom.core.text.sanitize import escaped
from citeloom.ipc.launch import FileLock

if TYPE_CHECKING:
    from citeloom.engine.process_state import ProcessState, SettingsFile

_ALREADY_RUNNING = 3


def main(arguments: list[str]) -> int:
    """Run the engine until it is told to stop; `--started-by WHO` decides whether it ends when idle."""
    started_by = arguments[arguments.index("--started-by") + 1] if "--started-by" in arguments else "person"
    lock = FileLock(paths.engine_lock())
    try:
        data_folder.prepare()
        if not lock.acquire(2.0):
            print("Another engine is running in this data folder.", file=sys.stderr)
            return _ALREADY_RUNNING
        return _run(started_by)
    except CiteLoomError as error:
        print(escaped(str(error)), file=sys.stderr)
        return 1
    finally:
        lock.release()


def _run(started_by: str) -> int:
    from citeloom.core import logging as logs
    from citeloom.engine.process_state import ProcessState, SettingsFile
    from citeloom.maintenance import pending_restore

    try:
        logs.to_file(paths.engine_log())
    except OSError as error:
        raise data_folder.unusable(error) from error
    pending_restore.apply()
    asyncio.run(_serve(SettingsFile(), ProcessState(started_by)))
    return 0


async def _serve(settings: SettingsFile, process_state: ProcessState) -> None:
    from citeloom.engine.server import Server
    from citeloom.tools import open_session

    server = Server(settings, process_state, open_session)
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        if hasattr(signal, name) and sys.platform != "win32":
            loop.add_signal_handler(getattr(signal, name), server.stop, f"got {name}")
    await server.run()


def run_and_exit(arguments: list[str]) -> NoReturn:
    """Run the engine in this process, then exit at once: a call that hangs must not keep the process alive."""
    code = main(arguments)
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run_and_exit(sys.argv[1:])
