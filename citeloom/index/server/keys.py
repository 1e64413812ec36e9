"""The keys of Qdrant servers: one entry among the credentials, in it a key for each address that it was given for."""

from __future__ import annotations

import json
from collections.abc import Sequence

from citeloom.core import credentials

NAME = "qdrant"
_ANY = ""  # instead of an address: the key is for every server that has none of its own


def for_server(address: str) -> str | None:
    """The key for a server; None where there is none."""
    keys = _kept()
    return keys.get(address) or keys.get(_ANY)


def keep(key: str, addresses: Sequence[str]) -> None:
    """Keep a key in the keyring for these servers; where none is named, for whichever is used."""
    before = _kept() if credentials.where(NAME) == "keyring" else {}
    credentials.put(NAME, json.dumps({**before, **dict.fromkeys(addresses or [_ANY], key)}))


def _kept() -> dict[str, str]:
    kept = credentials.get(NAME)
    if kept is None:
        return {}
    try:
        found = json.loads(kept)
    except ValueError:
        found = None
    # From the environment comes a key as it is.
    return found if isinstance(found, dict) else {_ANY: kept}
