"""Documents from the web: public addresses only, at every step, within limits."""

from __future__ import annotations

import contextlib
import http.server
import ipaddress
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.sources.web import fetch
from citeloom.importing.sources.web_address import is_public, web_address

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


# What a server may send that is not what it should be: whole answers, as bytes.
ANSWERS = {
    "cut": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\nthe first words",
    "chunks cut": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwords\r\n",
    "a chunk cut": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nwords",
    "no number": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: many\r\n\r\nwords",
    "negative": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: -1\r\n\r\nwords",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\nword",
    "packed": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
    "no answer": b"",
    "no HTTP": b"220 mail.example ESMTP\r\n",
    "to nowhere": b"HTTP/1.1 302 Found\r\nLocation: http://[::1/x\r\nContent-Length: 0\r\n\r\n",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
}
# And what it may go on sending, a piece at a time, for as long as anybody listens.
DRIPS = {
    "a status": (b"", b"H"),
    "headers": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "more to come": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9999\r\n\r\n", b"x"),
    "chunks": (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
}


@contextlib.contextmanager
def answering(begin: bytes, drip: bytes = b"") -> Iterator[str]:
    """A server that answers every connection so."""
    over = threading.Event()

    class Raw(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            with contextlib.suppress(OSError):
                self.wfile.write(begin)
                while drip and not over.wait(0.02):
                    self.wfile.write(drip)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Raw) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/notes.txt"
        over.set()
        server.shutdown()


def only_the_test_server(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return str(address) == "127.0.0.1"


def test_a_document_is_kept_with_the_suffix_of_its_kind(site: str, tmp_path: Path) -> None:
    fetched = fetch(f"{site}/moved", tmp_path / "doc", allowed=only_the_test_server)
    assert fetched == tmp_path / "doc.pdf"
    assert fetched.read_bytes() == PAGES["/paper"][2]
    assert fetch(f"{site}/notes.md", tmp_path / "doc", allowed=only_the_test_server).suffix == ".md"


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
        fetch(f"{site}/endless", tmp_path / "doc", allowed=only_the_test_server, max_bytes=1_000)
    assert list(tmp_path.iterdir()) == []


def test_the_machine_itself_is_never_asked(site: str, tmp_path: Path) -> None:
    for address in (site, site.replace("127.0.0.1", "localhost")):
        with pytest.raises(CiteLoomError) as caught:
            fetch(f"{address}/paper", tmp_path / "doc")
        assert caught.value.code == Code.PERMISSION_DENIED


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "fe80::1",
     "fc00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.9",
     "192.0.0.170", "198.18.0.1", "64:ff9b::5db8:d822", "64:ff9b::7f00:1", "64:ff9b:1::1", "::5db8:d822", "::7f00:1",
     "2001:0:4136:e378:8000:63bf:3fff:fdd2", "fec0::1", "ff0e::1", "100::1", "2001:db8::1", "::"],
)  # fmt: skip
def test_private_addresses_are_told_from_public_ones(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert is_public(ipaddress.ip_address("93.184.216.34")) and is_public(ipaddress.ip_address("2606:4700::1111"))


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.org/x", "https://", "https://me:secret@example.org/x", "https://secret@a.org/",
     "http://@a.org/", "http://a..b/", "http://.a/", f"http://{'a' * 300}/", f"http://{'a' * 64}.org/",
     f"http://{'a.' * 150}org/", "http://a.org:99999/", "http://a.org:0/", "http://a.org:x/", "http://a.org/\x00",
     "http://a.org/\r\nHost: b", "http://a\n.org/", "http://a.org/a b", "http://[fe80::1%25eth0]/", "http://[::1/",
     "http://[v1.x]/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/", "http://1.2.3.4.5/",
     "http://0x/", "http://a%2eb/", "http://a_b c/", "http://-a.org/", "http://\ud800.org/", "http://a.org/\ud800",
     "http://\u2100.org/", "http://" + "a/" * 3000, "http://xn--a\u0301b.org/"],
)  # fmt: skip
def test_what_is_no_address_to_read_is_refused_without_a_connection(url: str, tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError) as caught:
        fetch(url, tmp_path / "doc")
    assert caught.value.code == Code.INVALID_INPUT
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)


def test_addresses_in_other_scripts_are_asked_for_as_they_are_meant() -> None:
    found = web_address("https://b\u00fccher.example/\u00fcber%20uns/\u8bba\u6587.pdf?von=M\u00fcnchen&x=1")
    assert (found.host, found.port) == ("xn--bcher-kva.example", 443)
    assert found.target == "/%C3%BCber%20uns/%E8%AE%BA%E6%96%87.pdf?von=M%C3%BCnchen&x=1"
    assert web_address("http://[2606:4700:0::1111]:8080").host == "2606:4700::1111"


@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_that_is_cut_or_not_understood_is_refused(what: str, tmp_path: Path) -> None:
    with answering(ANSWERS[what]) as url, pytest.raises(CiteLoomError) as caught:
        fetch(url, tmp_path / "doc", allowed=only_the_test_server)
    assert caught.value.code in (Code.FILE_NOT_FOUND, Code.INVALID_INPUT) and len(str(caught.value)) < 500
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", DRIPS)
def test_an_answer_that_comes_a_piece_at_a_time_is_given_up(what: str, tmp_path: Path) -> None:
    with answering(*DRIPS[what]) as url, pytest.raises(CiteLoomError, match="took longer than") as caught:
        fetch(url, tmp_path / "doc", allowed=only_the_test_server, seconds=0.5)
    assert caught.value.code == Code.TIMEOUT
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_nobody_answers_for_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: asked.wait(30))
    with pytest.raises(CiteLoomError, match="took longer than"):
        fetch("http://slow.example/x", tmp_path / "doc", seconds=0.2)
    asked.set()


def test_proxies_of_the_environment_are_not_asked(site: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(f"{site}/paper", tmp_path / "doc", allowed=only_the_test_server).suffix == ".pdf"
