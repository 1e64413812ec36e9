"""Connection to a Qdrant server, and translation of its errors."""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.server.address import checked, is_loopback

WRITE_SECONDS = 60  # timeout of a write, which the server answers when it is done
_MIN_VERSION = (1, 20)  # the first with every filter, and the version of Qdrant Edge
_CONNECTION_LOST = (httpx.ReadError, httpx.WriteError, httpx.CloseError, httpx.RemoteProtocolError)


@dataclass(frozen=True, slots=True)
class QdrantServer:
    """A Qdrant server: address, key, timeout, and options for new collections."""

    address: str  # http://host, https://host:port/path
    key: str | None = field(default=None, repr=False)
    timeout: float = 10.0  # seconds
    shards: int = 1
    replicas: int = 1

    def __post_init__(self) -> None:
        """Validate the address, and refuse to send a key unencrypted."""
        address = checked(self.address)
        object.__setattr__(self, "address", address)
        if self.key is not None and not re.fullmatch(r"[!-~]+", self.key):
            raise CiteLoomError(
                Code.INVALID_INPUT,
                "The key for the Qdrant server contains spaces or invalid characters.",
                "Copy the key again and log in: citeloom index login.",
            )
        if self.key and address.startswith("http:") and not is_loopback(address):
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"A key sent to {address} could be read by others on its way.",
                "Write https:// and have the server use TLS, or log out of it: citeloom index logout.",
            )

    def check(self) -> str:
        """Return the server's version; raise the reason why it cannot be used."""
        with self.connected() as client:
            version = client.info().version
            numbers = re.match(r"(\d+)\.(\d+)", version)
            if not numbers or (int(numbers[1]), int(numbers[2])) < _MIN_VERSION:
                needed = ".".join(map(str, _MIN_VERSION))
                raise CiteLoomError(
                    Code.INDEX_UNAVAILABLE,
                    f"The Qdrant server at {self.address} has version {version}; CiteLoom needs {needed} or newer.",
                    "Update the server.",
                    version=version,
                    needed=needed,
                )
            client.get_collections()  # the version is public, this needs the key
            return version

    def collection_names(self) -> list[str]:
        """Return the names of all collections on the server."""
        with self.connected() as client:
            return sorted(one.name for one in client.get_collections().collections)

    def delete_collection(self, name: str) -> None:
        """Delete a collection, if it exists."""
        with self.connected() as client:
            client.delete_collection(name, timeout=WRITE_SECONDS)

    @contextmanager
    def connected(self) -> Iterator[QdrantClient]:
        """Open a connection for a few requests, with translated errors."""
        client = self.connect()
        try:
            with self.translated(Code.INDEX_UNAVAILABLE, "The Qdrant server refused"):
                yield client
        finally:
            client.close()

    def connect(self) -> QdrantClient:
        """Return a client that retries a request once when its connection was lost."""
        # No proxy for loopback addresses.
        options: dict[str, Any] = {"trust_env": not is_loopback(self.address)}
        if self.address.startswith("https:"):
            options["verify"] = httpx.create_ssl_context()
            options["verify"].load_default_certs()  # universities have their own certificate authorities
        client = QdrantClient(
            url=self.address,
            timeout=math.ceil(self.timeout),
            headers={"api-key": self.key} if self.key else None,
            check_compatibility=False,
            **options,
        )
        client.http.client.add_middleware(_retry_lost_connection)
        return client

    @contextmanager
    def translated(self, code: Code, what: str, collection: str = "") -> Iterator[None]:
        """Translate exceptions of the client into CiteLoomError."""
        try:
            yield
        except CiteLoomError:
            raise
        except Exception as error:
            raise self._error(code, what, error, collection) from error

    def _error(self, code: Code, what: str, error: Exception, collection: str) -> CiteLoomError:
        at = f"the Qdrant server at {self.address}"
        match error:
            case UnexpectedResponse(status_code=401 | 403):
                problem = f"refuses the key: {_reason(error)}" if self.key else f"requires a key: {_reason(error)}"
                return CiteLoomError(
                    Code.PERMISSION_DENIED,
                    f"{_capitalised(at)} {problem}.",
                    "Log in with its key: citeloom index login.",
                    away=self.address,
                )
            case UnexpectedResponse(status_code=404) if collection and collection in _reason(error):
                return CiteLoomError(
                    Code.INDEX_UNAVAILABLE,
                    f"{_capitalised(at)} has no collection {collection}: it was deleted there.",
                    "Rebuild the index; on the command line: citeloom ingest PROJECT --force-rebuild.",
                    missing=collection,
                )
            case UnexpectedResponse(status_code=408 | 504):
                return self.timed_out()
            case UnexpectedResponse(status_code=502 | 503):
                return CiteLoomError(
                    Code.INDEX_UNAVAILABLE,
                    f"{_capitalised(at)} cannot answer now: {_reason(error)}.",
                    "Try again in a minute.",
                    away=self.address,
                )
            case UnexpectedResponse():
                reason = _reason(error)
                if "No space left" in reason or error.status_code == 507:
                    return CiteLoomError(
                        Code.STORAGE_ERROR,
                        f"The disk of {at} is full: nothing more can be written.",
                        "Free some disk space there and try again.",
                        away=self.address,
                    )
                # A 5xx is a problem of the server; a 4xx rejects this request.
                detail = "away" if (error.status_code or 0) >= 500 else "refused"
                return CiteLoomError(
                    code,
                    f"{what}: {at} answered: {reason}.",
                    "Check the server, then try again.",
                    **{detail: self.address},
                )
            case ResourceExhaustedResponse():
                return CiteLoomError(
                    Code.TIMEOUT, f"{_capitalised(at)} is busy: {error}.", "Try again in a minute.", away=self.address
                )
            case ResponseHandlingException(source=httpx.TimeoutException()):
                return self.timed_out()
            case ResponseHandlingException(source=httpx.TransportError() as source):
                return self._unreachable(source)
            case ResponseHandlingException() | ValueError():  # not a response of Qdrant
                return CiteLoomError(
                    Code.INDEX_UNAVAILABLE,
                    f"The server at {self.address} is not a Qdrant server.",
                    "Check the address: citeloom index show.",
                    away=self.address,
                )
        return CiteLoomError(code, f"{what}: {error}.", "Run the check-up ('citeloom doctor').")

    def timed_out(self) -> CiteLoomError:
        """Return the error for a server that does not answer in time."""
        return CiteLoomError(
            Code.TIMEOUT,
            f"The Qdrant server at {self.address} did not answer in time.",
            "Try again; if it happens often, raise index.timeout_seconds in the settings.",
            away=self.address,
        )

    def _unreachable(self, source: httpx.TransportError) -> CiteLoomError:
        reasons: list[BaseException] = [source]
        while (inner := reasons[-1].__cause__ or reasons[-1].__context__) is not None:
            reasons.append(inner)
        host, root = urlsplit(self.address).hostname, reasons[-1]
        if any(isinstance(reason, ssl.SSLError) for reason in reasons):
            why = f"No secure connection to {self.address} could be made: {source}."
            next_step = "Check the server's certificate, and that it uses https."
        elif any(isinstance(reason, socket.gaierror) for reason in reasons):
            why, next_step = f"The host {host} was not found.", "Check the address and the network."
        elif isinstance(source, _CONNECTION_LOST):
            why = f"The connection to the Qdrant server at {self.address} was lost."
            next_step = "Try again when the server is back."
        else:
            why = f"The Qdrant server at {self.address} cannot be reached: {root}."
            next_step = (
                "Start the server, or check the address and the network. If it is gone for good, rebuild the index"
                " on this disk; on the command line: citeloom ingest PROJECT --force-rebuild --embedded."
            )
        return CiteLoomError(Code.INDEX_UNAVAILABLE, why, next_step, away=self.address)


def _retry_lost_connection(request: httpx.Request, send: Any) -> httpx.Response:
    """Send a request again when its connection was lost: servers close idle ones, and every request is idempotent."""
    try:
        return cast("httpx.Response", send(request))
    except ResponseHandlingException as error:
        if not isinstance(error.source, _CONNECTION_LOST):
            raise
    return cast("httpx.Response", send(request))


def _reason(error: UnexpectedResponse) -> str:
    """Return the server's message as one line."""
    try:
        message = str(json.loads(error.content)["status"]["error"])
    except (ValueError, KeyError, TypeError):
        message = " ".join(error.content.decode("utf-8", "replace").split()) or error.reason_phrase
    return f"{message[:300].rstrip('. ')} ({error.status_code})"


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
