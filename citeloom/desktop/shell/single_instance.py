"""One app per data folder: a second start raises the window of the first."""

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

_SECONDS = 10.0  # the first one may still be starting
_MAX_BYTES = 4096


class OneInstance(QObject):
    """Held by the app for as long as it runs."""

    raised = Signal(str)  # the page that a second start asks for; "" for the window as it is

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = FileLock(paths.app_lock())
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def first(self) -> bool:
        """Whether no other app runs here; then this one is it."""
        data_folder.prepare()
        if not self._lock.acquire():
            return False
        QLocalServer.removeServer(_name())  # what a killed app left behind
        if not self._server.listen(_name()):
            log.warning("a second start will not find this one: %s", self._server.errorString())
        return True

    def raise_other(self, page: str) -> bool:
        """Have the app that runs show its window; False if it does not answer."""
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            socket = QLocalSocket()
            socket.connectToServer(_name())
            if socket.waitForConnected(500):
                socket.write(json.dumps({"page": page}).encode() + b"\n")
                socket.flush()
                return bool(socket.waitForReadyRead(2000))
            time.sleep(0.1)
        return False

    def release(self) -> None:
        """Let another one be the first."""
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
        self.raised.emit(page)


def _name() -> str:
    """A name of the data folder's own: two folders may have an app each."""
    return "citeloom-" + hashlib.sha256(paths.folders().data.encode()).hexdigest()[:16]
