"""Keys live in a keyring or in the environment. No test touches the keyring of whoever runs it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null
from keyring.errors import KeyringLocked

from citeloom.core import credentials
from citeloom.core.errors import CiteLoomError, Code
from tests.keyring_for_tests import Memory
from tests.support import environment

VARIABLE = "CITELOOM_ZOTERO_API_KEY"


class PlainText(Memory):
    """One that a careful program does not use: it writes a readable file."""

    priority = 0.5  # type: ignore[assignment]


class Locked(Memory):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("secret-words")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise OSError(f"the bus is gone, with {password}")


@pytest.fixture(autouse=True)
def use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[KeyringBackend], KeyringBackend]]:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", fail.Keyring())

    def use(backend: KeyringBackend) -> KeyringBackend:
        keyring.set_keyring(backend)
        return backend

    yield use


Use = Callable[[KeyringBackend], KeyringBackend]


def test_a_key_is_kept_found_and_forgotten_in_the_keyring(use: Use) -> None:
    use(Memory())
    assert (credentials.get("zotero"), credentials.key_source("zotero")) == (None, None)
    credentials.store("zotero", "k3y")
    assert (credentials.get("zotero"), credentials.key_source("zotero")) == ("k3y", "keyring")
    assert credentials.get("qdrant") is None
    assert credentials.delete("zotero") is True
    assert credentials.delete("zotero") is False
    assert credentials.get("zotero") is None


def test_the_environment_wins_and_outlives_a_logout(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    use(Memory())
    credentials.store("zotero", "kept")
    monkeypatch.setenv(VARIABLE, " given\n")
    assert (credentials.get("zotero"), credentials.key_source("zotero")) == ("given", "environment")
    credentials.delete("zotero")
    assert credentials.key_source("zotero") == "environment"
    monkeypatch.setenv(VARIABLE, "  ")
    assert credentials.key_source("zotero") is None


@pytest.mark.parametrize("none", [fail.Keyring, null.Keyring, PlainText])
def test_without_a_keyring_there_is_no_key_and_none_can_be_kept(none: type[KeyringBackend], use: Use) -> None:
    there = use(none())
    assert credentials.get("zotero") is None and credentials.delete("zotero") is False
    with pytest.raises(CiteLoomError, match=VARIABLE) as raised:
        credentials.store("zotero", "k3y")
    assert raised.value.code == Code.STORAGE_ERROR
    assert not getattr(there, "kept", {}), "nothing may be written in plain text"


def test_a_keyring_that_takes_everything_and_keeps_nothing_is_found_out(use: Use) -> None:
    class Forgetful(Memory):
        def set_password(self, service: str, username: str, password: str) -> None:
            pass

    use(Forgetful())
    with pytest.raises(CiteLoomError, match=VARIABLE):
        credentials.store("zotero", "k3y")


def test_a_chain_counts_as_the_keyring_that_it_writes_to(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = use(chainer.ChainerBackend())
    monkeypatch.setattr(chainer.ChainerBackend, "backends", [Memory(), PlainText()])
    credentials.store("zotero", "k3y")
    assert credentials.get("zotero") == "k3y"
    monkeypatch.setattr(chainer.ChainerBackend, "backends", [PlainText(), PlainText()])
    with pytest.raises(CiteLoomError, match=VARIABLE):
        credentials.store("zotero", "k3y")
    assert chain.get_password("citeloom", "zotero") is None


def test_a_locked_keyring_is_an_error_that_keeps_the_secret(use: Use) -> None:
    use(Locked())
    for attempt in (
        lambda: credentials.get("zotero"),
        lambda: credentials.key_source("zotero"),
        lambda: credentials.delete("zotero"),
        lambda: credentials.store("zotero", "k3y"),
    ):
        with pytest.raises(CiteLoomError, match=VARIABLE) as raised:
            attempt()
        assert "k3y" not in str(raised.value) and "secret-words" not in str(raised.value)
        assert raised.value.__cause__ is None and raised.value.__context__ is None


def test_a_keyring_that_never_answers_is_given_up(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    end = threading.Event()

    class Hanging(Memory):
        def get_password(self, service: str, username: str) -> str | None:
            end.wait()
            return None

    use(Hanging())
    monkeypatch.setattr(credentials, "_TIMEOUT_SECONDS", 0.05)
    with pytest.raises(CiteLoomError, match="does not answer"):
        credentials.get("zotero")
    end.set()


@pytest.mark.parametrize("backend", ["no.such.module.Keyring", "keyring.backends.fail.Keyring"])
def test_a_new_process_without_a_keyring_says_what_to_set_and_writes_nothing(backend: str, tmp_path: Path) -> None:
    command = "from citeloom.core import credentials; credentials.store('zotero', 'k3y')"
    ended = subprocess.run(
        [sys.executable, "-c", command],
        env=environment(tmp_path, PYTHON_KEYRING_BACKEND=backend, HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1 and VARIABLE in ended.stderr.splitlines()[-1]
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_the_keyring_package_is_loaded_only_when_it_is_asked() -> None:
    command = "import sys, citeloom.core.credentials as c; c.get('zotero'); print('keyring' in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", command],
        env=environment(Path.cwd(), **{VARIABLE: "k3y"}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == "False"
