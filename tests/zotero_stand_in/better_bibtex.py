"""Better BibTeX in the running Zotero: JSON-RPC, whose errors arrive as HTTP 200."""

from __future__ import annotations

import json
from typing import Any, Protocol

from tests.zotero_stand_in.serving import Reply, Request
from tests.zotero_stand_in.world import World

JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
VERSION = "9.0.23"


class Zotero(Protocol):
    """The Zotero it is installed in."""

    world: World
    version: str
    unloaded: int


class RpcError(Exception):
    """An error as JSON-RPC has it."""


def answer(zotero: Zotero, request: Request) -> Reply:
    """What Better BibTeX replies."""
    if request.path == "/better-bibtex/cayw" and request.query.get("probe"):
        return Reply(200, "ready", TEXT)
    if request.path != "/better-bibtex/json-rpc":
        return Reply(404, "No endpoint found\n", TEXT)
    call = json.loads(request.body)
    try:
        result = _call(zotero, call["method"], call.get("params", []))
    except RpcError as error:
        code, message = error.args
        return _packed({"error": {"code": code, "message": message}, "id": None})
    return _packed({"result": result, "id": call.get("id")})


def _packed(reply: dict[str, Any]) -> Reply:
    return Reply(200, json.dumps({"jsonrpc": "2.0", **reply}, ensure_ascii=False, separators=(",", ":")), JSON)


def _call(zotero: Zotero, method: str, params: list[Any]) -> Any:
    shelves = dict(enumerate(zotero.world.libraries.values(), start=1))  # by the library's number in Zotero's database
    match method:
        case "api.ready":
            return {"zotero": zotero.version, "betterbibtex": VERSION}
        case "user.groups":
            groups: list[dict[str, Any]] = [{"id": number, "name": shelf.name} for number, shelf in shelves.items()]
            if params and params[0]:
                for group in groups:
                    found = shelves[group["id"]].collections.values()
                    group["collections"] = [
                        {
                            "key": c["key"],
                            "version": 0,
                            **{k: c[k] for k in ("name", "parentCollection")},
                            "relations": {},
                        }
                        for c in found
                    ]
            return groups
        case "item.citationkey":
            if zotero.unloaded > 0:
                zotero.unloaded -= 1
                raise RpcError(-32603, "UnloadedDataException: item data not loaded")
            named = {}
            for wanted in params[0]:
                number, _, key = wanted.rpartition(":")
                shelf = shelves.get(int(number or 1))
                item = shelf.items.get(key, {}) if shelf else {}
                # Keys that stand only in `extra` are not told.
                named[wanted] = item.get("citationKey") or (shelf.citekeys.get(key) if shelf else None)
            return named
    raise RpcError(-32601, f"Method not found: {method}")
