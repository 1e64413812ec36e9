"""Citation keys from Better BibTeX in a running Zotero, over JSON-RPC."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.api_json import incomplete_answer, parse_json
from citeloom.zotero.local_api import TIMEOUT_SECONDS, LoopbackClient, release
from citeloom.zotero.types import Library

_PATH = "/better-bibtex/json-rpc"
_MY_LIBRARY = 1  # library id in every Zotero; groups have ids in the order of joining
_BATCH = 500
_PAUSES = (0.5, 1.0, 2.0)  # until Zotero has loaded the items


class BetterBibTex:
    """Client of Better BibTeX in the Zotero on this computer."""

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._client = LoopbackClient(url, timeout)

    def version(self) -> str | None:
        """Return the version; None where it is not installed or Zotero is not running."""
        try:
            ready = self._call("api.ready")
        except CiteLoomError as error:
            if error.details.get("running") is False or error.details.get("better_bibtex") is False:
                return None
            raise
        return release(str(ready.get("betterbibtex", ""))) or None if isinstance(ready, dict) else None

    def citekeys(self, library: Library, item_keys: Sequence[str]) -> dict[str, str]:
        """Return the citation keys of items, by item key; items without one are left out."""
        found: dict[str, str] = {}
        for number in self._numbers(library):
            for at in range(0, len(item_keys), _BATCH):
                requested = {f"{number}:{key}": key for key in item_keys[at : at + _BATCH]}
                answer = self._call("item.citationkey", [list(requested)])
                if not isinstance(answer, dict):
                    raise incomplete_answer("Better BibTeX's answer does not look like citation keys")
                found |= {
                    requested[k]: v.strip()
                    for k, v in answer.items()
                    if k in requested and isinstance(v, str) and v.strip()
                }
        return found

    def _numbers(self, library: Library) -> list[int]:
        """Return the possible ids of a library in this Zotero: several groups may share a name."""
        if library.group is None:
            return [_MY_LIBRARY]
        groups = self._call("user.groups")
        if not isinstance(groups, list):
            raise incomplete_answer("Better BibTeX's answer does not look like a list of groups")
        named = [group for group in groups if isinstance(group, dict) and group.get("name") == library.name]
        return [group["id"] for group in named if isinstance(group.get("id"), int) and group["id"] != _MY_LIBRARY]

    def _call(self, method: str, params: Sequence[Any] = ()) -> Any:
        for pause in (*_PAUSES, None):
            answer = self._answer(method, params)
            if "error" not in answer:
                return answer.get("result")
            message = answer["error"].get("message") if isinstance(answer["error"], dict) else answer["error"]
            if pause is None or "UnloadedDataException" not in str(message):
                break
            time.sleep(pause)
        raise CiteLoomError(
            Code.ZOTERO_UNAVAILABLE,
            f"Better BibTeX could not answer: {str(message)[:200]}.",
            "Try again in a minute, or restart Zotero.",
        )

    def _answer(self, method: str, params: Sequence[Any]) -> dict[str, Any]:
        reply = self._client.request(_PATH, {"jsonrpc": "2.0", "method": method, "params": list(params), "id": 1})
        if reply.status == 404:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                "Zotero is running without Better BibTeX.",
                "Citation keys come from Zotero itself; install Better BibTeX if you want its keys.",
                better_bibtex=False,
            )
        if reply.status != 200:
            raise incomplete_answer(f"Better BibTeX answered with an error ({reply.status})")
        answer = parse_json(reply.body)
        if not isinstance(answer, dict):
            raise incomplete_answer("Better BibTeX's answer has an unknown form")
        return answer
