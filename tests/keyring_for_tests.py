"""A keyring that forgets everything with its process, for tests: PYTHON_KEYRING_BACKEND names it."""

from __future__ import annotations

from keyring.backend import KeyringBackend


class Memory(KeyringBackend):
    """Keeps secrets in memory."""

    priority = 9  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        """A secret."""
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Forget a secret."""
        del self.kept[service, username]
