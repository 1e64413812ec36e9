"""Download of a file from Zotero's storage: resumable, verified by checksum, moved into place when complete."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import httpx2

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.zip_reader import ZIP_ERRORS
from citeloom.zotero.api_json import incomplete_answer

_MAX_REDIRECTS = 5
_CHUNK = 1 << 16


class _RemoteFileChanged(Exception):
    """Raised when the remote file is not the one of the partial download."""


@dataclass(frozen=True, slots=True)
class Download:
    """Download of one file to a path; a partial one is kept beside it and resumed."""

    client: httpx2.Client
    address: str
    header: Mapping[str, str]
    name: str
    to: Path
    max_bytes: int
    on_progress: Callable[[int, int | None], None]
    stopped: Callable[[], bool]

    def run(self) -> Path:
        """Download the file, resuming a partial download."""
        part, etag_file = self.to.with_name(f"{self.to.name}.part"), self.to.with_name(f"{self.to.name}.part-of")
        try:
            self.to.parent.mkdir(parents=True, exist_ok=True)
            try:
                headers = self._fetch(part, etag_file)
            except _RemoteFileChanged:
                _delete(part, etag_file)
                headers = self._fetch(part, etag_file)
            try:
                _check(part, headers, self.name)
                if headers.get("zotero-file-compressed") == "Yes":
                    _unpack(part, self.name, self.max_bytes)
            except CiteLoomError:
                _delete(part, etag_file)
                raise
            part.replace(self.to)
            etag_file.unlink(missing_ok=True)
            return self.to
        except OSError as error:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"{self.name} could not be written: {error.strerror}.",
                "Free some disk space, or check the rights of the folder.",
            ) from error

    def _fetch(self, part: Path, etag_file: Path) -> Mapping[str, str]:
        """Complete the partial file; return the response headers."""
        partial = part.exists() and etag_file.exists()
        received, etag = (part.stat().st_size, etag_file.read_text("utf-8")) if partial else (0, "")
        wanted = {"Accept-Encoding": "identity"}
        if received and etag:
            wanted |= {"Range": f"bytes={received}-", "If-Range": etag}
        with _opened(self.client, self.address, self.header, wanted) as (response, headers):
            if response.status_code == 416:
                raise _RemoteFileChanged
            _check_status(response.status_code, self.name)
            received, total = _extent(response, received, etag)
            _check_size(max(total or 0, received), self.max_bytes, self.name)
            etag_file.write_text(_strong_etag(response), "utf-8")
            with part.open("ab" if received else "wb") as file:
                for chunk in response.iter_bytes(_CHUNK):
                    if self.stopped():
                        raise CiteLoomError(
                            Code.TIMEOUT,
                            f"Fetching {self.name} was stopped.",
                            "The next sync resumes the download.",
                            stopped=True,
                        )
                    received += len(chunk)
                    _check_size(received, self.max_bytes, self.name)
                    file.write(chunk)
                    self.on_progress(received, total)
            if total is not None and received != total:
                raise _RemoteFileChanged
        return headers


@contextmanager
def _opened(
    client: httpx2.Client, address: str, header: Mapping[str, str], wanted: Mapping[str, str]
) -> Iterator[tuple[httpx2.Response, Mapping[str, str]]]:
    """Follow redirects; yield the response and all headers. Only the first address gets the key."""
    headers: dict[str, str] = {}
    for _ in range(_MAX_REDIRECTS):
        with client.stream("GET", address, headers={**wanted, **header}) as response:
            headers |= {key.lower(): value for key, value in response.headers.items()}
            if not response.has_redirect_location:
                yield response, headers
                return
            address, header = urljoin(address, response.headers["location"]), {}
    raise incomplete_answer("Zotero's servers redirect too often")


def _extent(response: httpx2.Response, received: int, etag: str) -> tuple[int, int | None]:
    """Return the offset at which the reply continues, and the total size."""
    if response.status_code == 206:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("content-range", ""))
        if not found or int(found[1]) != received or _strong_etag(response) != etag:
            raise _RemoteFileChanged
        return received, None if found[2] == "*" else int(found[2])
    length = response.headers.get("content-length", "")
    return 0, int(length) if length.isdecimal() else None


def _strong_etag(response: httpx2.Response) -> str:
    """Return the strong ETag of a response, or ""."""
    etag = str(response.headers.get("etag", ""))
    return "" if etag.startswith("W/") else etag


def _check_status(status: int, name: str) -> None:
    if status in (200, 206):
        return
    if status == 404:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"{name} is not in Zotero's storage: never uploaded, or stored on WebDAV, which CiteLoom does not read.",
            "Open Zotero on the computer that has the file and sync, or open Zotero here so that it fetches the file.",
        )
    if status in (401, 403):
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"The key may not read {name} from Zotero's storage.",
            "Allow file access for the key at https://www.zotero.org/settings/keys.",
        )
    raise incomplete_answer(f"Zotero's storage answered with an error ({status})")


def _check_size(size: int, max_bytes: int, name: str) -> None:
    if size > max_bytes:
        raise CiteLoomError(
            Code.BUDGET_EXCEEDED,
            f"{name} is larger than the {max_bytes // 1_000_000} MB that are fetched.",
            "Open Zotero here so that it fetches the file, or raise zotero.max_file_mb in the settings.",
        )


def _check(part: Path, headers: Mapping[str, str], name: str) -> None:
    checksum = headers.get("zotero-file-md5") or headers.get("etag", "").strip('"')
    if not re.fullmatch("[0-9a-fA-F]{32}", checksum):
        return
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
    if digest != checksum.lower():
        raise incomplete_answer(f"{name} was not downloaded correctly: its checksum is wrong")


def _unpack(part: Path, name: str, max_bytes: int) -> None:
    """Replace the archive, in which Zotero stores a web page with its images, by the page."""
    unpacked = part.with_name(f"{part.name}-unpacked")
    try:
        with zipfile.ZipFile(part) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
            pages = [entry for entry in names if entry.lower().endswith((".html", ".htm"))]
            main = name if name in names else (pages if len(names) > 1 else names)[0]
            with archive.open(main) as packed, unpacked.open("wb") as file:
                size = 0
                while chunk := packed.read(_CHUNK):
                    size += len(chunk)
                    _check_size(size, max_bytes, name)
                    file.write(chunk)
        unpacked.replace(part)
    except (*ZIP_ERRORS, IndexError) as error:
        raise incomplete_answer(f"{name} is in an archive in Zotero's storage that cannot be read") from error
    finally:
        unpacked.unlink(missing_ok=True)


def _delete(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)
