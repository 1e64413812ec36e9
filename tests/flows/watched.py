"""Runs a program and notes what it, and everything it starts, sends beyond this machine and writes to the disk.

The program runs under strace, which sees every attempt whether it succeeds or not. Where the system allows that, it has
a network of its own as well, with nothing but loopback: then nothing can leave the machine while it is watched.
"""

from __future__ import annotations

import functools
import ipaddress
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SENDING = ("connect", "sendto", "sendmsg", "sendmmsg", "bind")
_OPENING = ("open", "openat", "openat2", "creat")
_MAKING = ("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
# What answers questions for names: DNS and its relatives by port, and the system's own services by their sockets.
_LOOKUP = re.compile(r"htons\((?:53|853|5353|5355)\)|nscd/socket|systemd/resolve|avahi-daemon")
_FOR_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^creat")
_OPENED = re.compile(r"\) = \d+<(.*?)(?: \(deleted\))?>$")
_NAMED = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
# Compiled Python, and what the system's font library keeps for all programs that have windows.
_CACHES = {"__pycache__", "fontconfig"}
_LOOPBACK_UP = """
import fcntl, os, socket, struct, sys
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: up and running
os.execvp(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Watched:
    """What a program did until it and everything it started had ended."""

    code: int
    output: str
    calls: tuple[str, ...]

    @property
    def beyond_this_machine(self) -> list[str]:
        """Calls that speak to other machines, listen to them, or ask for the address of one."""
        return sorted({call for call in self.calls if call.startswith(_SENDING) and _goes_beyond(call)})

    def written_outside(self, *folders: Path) -> list[str]:
        """Files that were made or opened for writing elsewhere; devices and the system's own caches do not count."""
        found = {Path(path) for call in self.calls if (path := _written(call))}
        return sorted(
            str(path)
            for path in found
            if not any(path.is_relative_to(folder) for folder in (*folders, Path("/proc")))
            and not path.is_char_device()
            and not _CACHES & {*path.parts}
        )


def watched(command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float) -> Watched:
    """Run a command to the end of its last process; what is noted goes to `folder`."""
    folder.mkdir()
    calls = ",".join(f"?{name}" for name in (*_SENDING, *_OPENING, *_MAKING))  # ?: not every machine has all of them
    strace = ["strace", "-ff", "-qq", "-y", "--seccomp-bpf", "-e", f"trace={calls}", "-o", str(folder / "calls")]
    done = subprocess.run(
        [*_alone(), *strace, *command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Watched(done.returncode, done.stdout, tuple(_calls(folder)))


@functools.cache
def cannot_watch() -> str:
    """Why nothing can be watched here; nothing if it can."""
    if not sys.platform.startswith("linux"):
        return "system calls are watched with strace, which is for Linux"
    if not shutil.which("strace"):
        return "strace is not installed"
    attempt = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"]
    tried = subprocess.run(attempt, capture_output=True, text=True, check=False)
    return f"strace is not allowed here: {tried.stderr.strip()}" if tried.returncode else ""


@functools.cache
def _alone() -> tuple[str, ...]:
    """What gives a command a network of its own; nothing where that is not allowed."""
    for unshare in (("unshare", "-n"), ("unshare", "-rn")):
        alone = (*unshare, sys.executable, "-c", _LOOPBACK_UP)
        if not shutil.which("unshare"):
            break
        if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0:
            return alone
    return ()


def _calls(folder: Path) -> Iterator[str]:
    for file in sorted(folder.iterdir()):
        yield from file.read_text(encoding="utf-8", errors="replace").splitlines()


def _goes_beyond(call: str) -> bool:
    addresses = [ipaddress.ip_address(four or six.removeprefix("::ffff:")) for four, six in _ADDRESS.findall(call)]
    return bool(_LOOKUP.search(call)) or not all(address.is_loopback for address in addresses)


def _written(call: str) -> str | None:
    name = call.partition("(")[0]
    if call.rpartition(") = ")[2].startswith("-1"):
        return None
    if name in _OPENING and _FOR_WRITING.search(call) and (opened := _OPENED.search(call)):
        return opened[1]
    if name in _MAKING and (named := _NAMED.findall(call)):
        below, path = named[-1]
        return str(Path(below, path))
    return None
