"""API keys of other services, from the system's keyring or the environment; never in a file of CiteLoom."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeVar

from citeloom.core.errors import CiteLoomError, Code

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

KeySource = Literal["keyring", "environment"]

_SERVICE = "citeloom"
_TIMEOUT_SECONDS = 60.0  # long enough to type the keyring's password; a keyring that hangs must not block the engine
_T = TypeVar("_T")


def variable_name(name: str) -> str:
    """Return the name of the environment variable for a key; it takes precedence over the keyring."""
    return f"CITELOOM_{name.upper()}_API_KEY"


def get(name: str) -> str | None:
    """Return the key of a service, or None. Raises STORAGE_ERROR for a keyring that does not answer."""
    return _find(name)[0]


def key_source(name: str) -> KeySource | None:
    """Return where the key of a service is stored, or None."""
    return _find(name)[1]


def store(name: str, secret: str) -> None:
    """Store the key of a service in the keyring."""

    def set_password(keyring: KeyringBackend) -> bool:
        keyring.set_password(_SERVICE, name, secret)
        return keyring.get_password(_SERVICE, name) == secret  # some backends accept a key and do not store it

    if not _with_keyring(set_password, name):
        raise CiteLoomError(Code.STORAGE_ERROR, "This system has no keyring that stores keys.", _use_variable(name))


def delete(name: str) -> bool:
    """Delete the key of a service from the keyring; return whether there was one."""

    def delete_password(keyring: KeyringBackend) -> bool:
        if keyring.get_password(_SERVICE, name) is None:
            return False
        keyring.delete_password(_SERVICE, name)
        return True

    return bool(_with_keyring(delete_password, name))


def _find(name: str) -> tuple[str | None, KeySource | None]:
    if from_environment := os.environ.get(variable_name(name), "").strip():
        return from_environment, "environment"
    stored = _with_keyring(lambda keyring: keyring.get_password(_SERVICE, name), name)
    return (stored, "keyring") if stored else (None, None)


def _keyring() -> KeyringBackend | None:
    """Return the system's keyring; None where there is none, or only one that writes plain text."""
    import keyring

    found = keyring.get_keyring()
    first = next(iter(getattr(found, "backends", ())), found)  # several in a chain: the first one is written to
    return found if keyring.core.recommended(first) else None


def _with_keyring(use: Callable[[KeyringBackend], _T], name: str) -> _T | None:
    """Return what a function makes of the keyring; None where there is none."""
    results: list[_T | None] = []
    problems: list[Exception] = []

    def run() -> None:
        try:
            keyring = _keyring()
            results.append(use(keyring) if keyring else None)
        except Exception as error:  # keyring backends raise exceptions of any type
            problems.append(error)

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(_TIMEOUT_SECONDS)
    if results:
        return results[0]
    # The backend's message is left out: it might contain the key.
    reason = type(problems[0]).__name__ if problems else "it does not answer"
    raise CiteLoomError(
        Code.STORAGE_ERROR,
        f"The system's keyring cannot be used ({reason}).",
        f"Unlock it, or do without it: {_use_variable(name)}",
    )


def _use_variable(name: str) -> str:
    return f"Set {variable_name(name)} to the key in your environment, and restart the engine: citeloom engine stop."
