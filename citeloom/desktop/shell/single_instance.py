"""Single instance per data folder: a second start raises the window of the first."""

from __future__ import annotations

import hashlib
import json
import logging
import time

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from citeloom.core import data_folder, paths
from citeloom.ipc.launch import FileLock

log = logging.getLogger(__name__)

_WAIT_SECONDS = 10.0  # to wait for the first instance, which may still be starting
_MAX_BYTES = 4096


class SingleInstance(QObject):
    """Lock and local server that the app holds while it runs."""

    raise_requested = Signal(str)  # the page that a second start requests; "" for the current one

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = FileLock(paths.app_lock())
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def acquire(self) -> bool:
        """Try to become the only instance; return whether that worked."""
        data_folder.prepare()
        if not self._lock.acquire():
            return False
        QLocalServer.removeServer(_server_name())  # left behind by a killed app
        if not self._server.listen(_server_name()):
            log.warning("a second start will not find this one: %s", self._server.errorString())
        return True

    def raise_running(self, page: str) -> bool:
        """Ask the running instance to show its window; return False if it does not answer."""
        until = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < until:
            socket = QLocalSocket()
            socket.connectToServer(_server_name())
            if socket.waitForConnected(500):
                socket.write(json.dumps({"page": page}).encode() + b"\n")
                socket.flush()
                return bool(socket.waitForReadyRead(2000))
            time.sleep(0.1)
        return False

    def release(self) -> None:
        """Release the lock, so that another instance can start."""
        self._server.close()
        self._lock.release()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda s=socket: self._on_line(s))
            socket.disconnected.connect(socket.deleteLater)
            if socket.canReadLine():
                self._on_line(socket)

    def _on_line(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MAX_BYTES:
                socket.abort()
            return
        try:
            page = str(json.loads(bytes(socket.readLine(_MAX_BYTES).data()))["page"])
        except (ValueError, KeyError, TypeError):
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.raise_requested.emit(page)


def _server_name() -> str:
    """Return the server's name, which depends on the data folder: each folder may have its own app."""
    return "citeloom-" + hashlib.sha256(paths.folders().data.encode()).hexdigest()[:16]
