"""Documents from the web: public addresses only, at every step, within limits."""

from __future__ import annotations

import http.server
import ipaddress
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.errors import CiteLoomError, Code
from citeloom.ingest.fetch import fetch, is_public

PAGES = {
    "/paper": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 not really"),
    "/notes.md": (200, {"Content-Type": "text/plain; charset=utf-8"}, b"# Notes\n"),
    "/page": (200, {"Content-Type": "text/html"}, b"<p>Hello</p>"),
    "/moved": (302, {"Location": "/paper"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/inwards": (302, {"Location": "http://127.0.0.2/paper"}, b""),
    "/gone": (404, {}, b""),
    "/closed": (403, {}, b""),
    "/endless": (200, {"Content-Type": "text/plain"}, b"x" * 5_000),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = PAGES[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def only_the_test_server(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return str(address) == "127.0.0.1"


def test_a_document_is_kept_with_the_suffix_of_its_kind(site: str, tmp_path: Path) -> None:
    fetched = fetch(f"{site}/moved", tmp_path / "doc", allowed=only_the_test_server)
    assert (fetched.path, fetched.url) == (tmp_path / "doc.pdf", f"{site}/paper")
    assert fetched.path.read_bytes() == PAGES["/paper"][2]
    assert fetch(f"{site}/notes.md", tmp_path / "doc", allowed=only_the_test_server).path.suffix == ".md"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/page", Code.UNSUPPORTED_FORMAT),
        ("/gone", Code.FILE_NOT_FOUND),
        ("/closed", Code.PERMISSION_DENIED),
        ("/loop", Code.FILE_NOT_FOUND),
        ("/inwards", Code.PERMISSION_DENIED),
    ],
)
def test_what_cannot_be_read_leaves_nothing_behind(site: str, tmp_path: Path, path: str, code: Code) -> None:
    with pytest.raises(CiteLoomError) as caught:
        fetch(site + path, tmp_path / "doc", allowed=only_the_test_server)
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_a_document_over_the_limit_is_not_kept(site: str, tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError, match="larger than"):
        fetch(f"{site}/endless", tmp_path / "doc", allowed=only_the_test_server, most=1_000)
    assert list(tmp_path.iterdir()) == []


def test_the_machine_itself_is_never_asked(site: str, tmp_path: Path) -> None:
    for address in (site, site.replace("127.0.0.1", "localhost")):
        with pytest.raises(CiteLoomError) as caught:
            fetch(f"{address}/paper", tmp_path / "doc")
        assert caught.value.code == Code.PERMISSION_DENIED


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "fe80::1",
     "fc00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "224.0.0.1"],
)  # fmt: skip
def test_private_addresses_are_told_from_public_ones(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert is_public(ipaddress.ip_address("93.184.216.34"))


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.org/x", "https://", "https://me:secret@example.org/x"]
)
def test_other_schemes_and_passwords_are_refused_without_a_connection(url: str, tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError) as caught:
        fetch(url, tmp_path / "doc")
    assert caught.value.code == Code.INVALID_INPUT
    assert "secret" not in str(caught.value)
