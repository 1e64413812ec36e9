"""Keys of Qdrant servers, stored by address in one entry of the credentials."""

from __future__ import annotations

import json
from collections.abc import Sequence

from citeloom.core import credentials

NAME = "qdrant"
_ANY = ""  # in place of an address: the default key of servers without their own


def for_server(address: str) -> str | None:
    """Return the key of a server, or None."""
    keys = _stored()
    return keys.get(address) or keys.get(_ANY)


def store(key: str, addresses: Sequence[str]) -> None:
    """Store a key in the keyring for these servers; for all if none is named."""
    before = _stored() if credentials.key_source(NAME) == "keyring" else {}
    credentials.store(NAME, json.dumps({**before, **dict.fromkeys(addresses or [_ANY], key)}))


def _stored() -> dict[str, str]:
    stored = credentials.get(NAME)
    if stored is None:
        return {}
    try:
        found = json.loads(stored)
    except ValueError:
        found = None
    # The environment variable contains a plain key, not JSON.
    return found if isinstance(found, dict) else {_ANY: stored}
