"""A Qdrant server for tests: its REST interface on a real socket, its answers from qdrant-client's local mode.

    with QdrantStandIn(key="secret") as qdrant:
        Server(qdrant.address, "secret")
        qdrant.version = "1.9.0"                # what it says it is
        qdrant.everywhere = "drop"              # or a status, "silent", "not json", …: see StandIn.faults
        qdrant.everywhere = ("drop", 1)         # only the next request
        qdrant.says = (500, "No space left on device")    # to everything but the question for its version
        qdrant.lose("proj-…")                   # somebody else deletes a collection
        qdrant.close(); qdrant.open()           # it stops, and comes back at the same address with what it had
        qdrant.requests                         # what it was asked

Where local mode answers differently from what is documented for a server, it is corrected here.
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
import warnings
from collections.abc import Callable
from typing import Any, ClassVar
from unittest import mock

import numpy as np
from pydantic import ValidationError
from qdrant_client import QdrantClient, models
from qdrant_client.local import payload_filters

from tests.zotero_stand_in.serving import Reply, Request, StandIn

LARGEST_REQUEST = 32 * 1024 * 1024


class QdrantStandIn(StandIn):
    """One server with everything in memory."""

    protocol = "HTTP/1.1"
    says_length = True

    def __init__(self, key: str | None = None) -> None:
        super().__init__()
        self.key = key
        self.version = "1.20.0"
        self.says: tuple[int, str] | None = None
        self.everywhere: Any = None
        self.local = QdrantClient(":memory:")
        self._indexes: dict[str, dict[str, Any]] = {}
        self._one_at_a_time = threading.Lock()
        self._text_index = mock.patch.object(payload_filters, "check_condition", _check_condition)

    @property
    def address(self) -> str:
        """Where it is reached."""
        return self.url

    def open(self) -> None:
        """Listen; after a close on the same port as before."""
        self._text_index.start()
        super().open()

    def close(self) -> None:
        """Stop listening: who asks now is refused."""
        super().close()
        self._text_index.stop()

    def lose(self, collection: str) -> None:
        """Let somebody else delete a collection."""
        with self._one_at_a_time:
            self.local.delete_collection(collection)
            self._indexes.pop(collection, None)

    def fault(self, path: str) -> Any:
        """What goes wrong with this request."""
        if self.everywhere is not None:
            self.faults[path], self.everywhere = self.everywhere, None
            fault = super().fault(path)
            self.everywhere = self.faults.pop(path, None)
            return fault
        return super().fault(path)

    def answer(self, request: Request) -> Reply:
        """What to reply."""
        if request.path == "/":  # told to everybody
            return Reply(200, {"title": "qdrant - vector search engine", "version": self.version})
        if self.key is not None and request.headers.get("api-key") != self.key:
            return _refused(401, "Must provide an API key or an Authorization bearer token")
        if self.says:
            return _refused(*self.says)
        if len(request.body) > LARGEST_REQUEST:
            return _refused(413, "Payload too large")
        with self._one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # local mode warns that it has no indexes
            try:
                return Reply(200, {"result": self._result(request), "status": "ok", "time": 0.001})
            except LookupError as error:
                return _refused(404, f"Not found: {error.args[0]}")
            except (ValueError, ValidationError) as error:
                return _refused(400, f"Wrong input: {error}")

    def _result(self, request: Request) -> Any:
        if request.path == "/collections":
            return _plain(self.local.get_collections())
        found = re.fullmatch(r"/collections/([^/]+)(/.*)?", request.path)
        if not found:
            raise LookupError(f"no path {request.path}")
        name, rest = found[1], found[2] or ""
        body = json.loads(request.body) if request.body else None
        if (request.method, rest) == ("PUT", ""):
            return self._create(name, models.CreateCollection.model_validate(body))
        if (request.method, rest) == ("DELETE", ""):
            self._indexes.pop(name, None)
            return self.local.delete_collection(name)
        if name not in self._indexes:
            raise LookupError(f"Collection `{name}` doesn't exist!")
        if (request.method, rest) == ("GET", ""):
            return {**_plain(self.local.get_collection(name)), "payload_schema": self._indexes[name]}
        if (request.method, rest) == ("PUT", "/index"):
            wanted = models.CreateFieldIndex.model_validate(body)
            params = _plain(wanted.field_schema)
            self._indexes[name][wanted.field_name] = {"data_type": params["type"], "params": params, "points": 0}
            return _DONE
        answer = self._ANSWERS.get((request.method, rest))
        if answer is None:
            raise LookupError(f"no path {request.method} {request.path}")
        return answer(self, name, body)

    def _create(self, name: str, wanted: models.CreateCollection) -> bool:
        vectors: Any = wanted.vectors
        self.local.create_collection(name, vectors_config=vectors, sparse_vectors_config=wanted.sparse_vectors)
        self._indexes[name] = {}
        return True

    def _upsert(self, name: str, body: Any) -> Any:
        points = models.PointsList.model_validate(body).points
        for point in points:
            assert isinstance(point.vector, dict)
            if "dense" in point.vector:
                self._check_size(name, point.vector["dense"])
        self.local.upsert(name, points)
        return _DONE

    def _update_vectors(self, name: str, body: Any) -> Any:
        points = models.UpdateVectors.model_validate(body).points
        for point in points:
            assert isinstance(point.vector, dict)
            self._check_size(name, point.vector["dense"])
            # A server fails at the first passage that is not there, with the earlier ones written.
            if not self.local.retrieve(name, [point.id], False):
                raise LookupError(f"No point with id {point.id} found")
            self.local.update_vectors(name, [point])
        return _DONE

    def _delete(self, name: str, body: Any) -> Any:
        self.local.delete(name, models.FilterSelector.model_validate(body))
        return _DONE

    def _set_payload(self, name: str, body: Any) -> Any:
        wanted = models.SetPayload.model_validate(body)
        assert wanted.filter is not None
        self.local.set_payload(name, wanted.payload, models.FilterSelector(filter=wanted.filter))
        return _DONE

    def _query(self, name: str, body: Any) -> Any:
        searches = models.QueryRequestBatch.model_validate(body).searches
        for search in searches:
            if search.using == "dense":
                assert isinstance(search.query, models.NearestQuery)
                self._check_size(name, search.query.nearest)
        return _plain(self.local.query_batch_points(name, searches))

    def _retrieve(self, name: str, body: Any) -> Any:
        wanted = models.PointRequest.model_validate(body)
        with_vectors = wanted.with_vector or False
        return _points(self.local.retrieve(name, wanted.ids, wanted.with_payload or False, with_vectors))

    def _scroll(self, name: str, body: Any) -> Any:
        wanted = models.ScrollRequest.model_validate(body)
        order: Any = wanted.order_by
        if order and order.key not in self._indexes[name]:
            raise ValueError(f"No range index for `order_by` key: `{order.key}`")
        points, following = self.local.scroll(
            name,
            wanted.filter,
            wanted.limit or 10,
            order,
            wanted.offset,
            wanted.with_payload or False,
            wanted.with_vector or False,
        )
        return {"points": _points(points), "next_page_offset": following}

    def _count(self, name: str, body: Any) -> Any:
        return {"count": int(self.local.count(name, models.CountRequest.model_validate(body).filter).count)}

    def _facet(self, name: str, body: Any) -> Any:
        wanted = models.FacetRequest.model_validate(body)
        if wanted.key not in self._indexes[name]:
            raise ValueError(f"field `{wanted.key}` has no index that can be counted")
        return _plain(self.local.facet(name, wanted.key, wanted.filter, wanted.limit or 10))

    def _check_size(self, name: str, vector: Any) -> None:
        vectors: Any = self.local.get_collection(name).config.params.vectors
        expected = vectors["dense"].size
        if len(vector) != expected:
            raise ValueError(f"Vector dimension error: expected dim: {expected}, got {len(vector)}")

    _ANSWERS: ClassVar[dict[tuple[str, str], Callable[[QdrantStandIn, str, Any], Any]]] = {
        ("PUT", "/points"): _upsert,
        ("PUT", "/points/vectors"): _update_vectors,
        ("POST", "/points/delete"): _delete,
        ("POST", "/points/payload"): _set_payload,
        ("POST", "/points/query/batch"): _query,
        ("POST", "/points"): _retrieve,
        ("POST", "/points/scroll"): _scroll,
        ("POST", "/points/count"): _count,
        ("POST", "/facet"): _facet,
    }


_DONE = {"operation_id": 0, "status": "completed"}


def _refused(status: int, why: str) -> Reply:
    return Reply(status, {"status": {"error": why}, "time": 0.0}, {"Content-Type": "application/json"})


def _plain(answer: Any) -> Any:
    """An answer as JSON knows it."""
    if isinstance(answer, list):
        return [_plain(one) for one in answer]
    return answer.model_dump(mode="json", by_alias=True) if hasattr(answer, "model_dump") else answer


def _points(found: list[models.Record]) -> list[dict[str, Any]]:
    """Points as a server gives them: it keeps vectors in single precision, and writes the shortest decimal of each."""
    return [{**_plain(one), "vector": _as_single(_plain(one)["vector"])} for one in found]


def _as_single(vectors: Any) -> Any:
    match vectors:
        case dict():
            return {name: _as_single(values) for name, values in vectors.items()}
        case list():
            return [_as_single(value) for value in vectors]
        case float():
            return float(str(np.float32(vectors)))
    return vectors


# Latin letters that no accent makes; those that have one are folded by their decomposition.
_LETTERS = {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ł": "l", "Ł": "L", "ﬁ": "fi"}


_local_check = payload_filters.check_condition


def _check_condition(condition: Any, payload: dict[str, Any], *more: Any) -> bool:
    """As local mode does it, but text as an index does: folded, and all values of a list are one text."""
    if not (isinstance(condition, models.FieldCondition) and isinstance(condition.match, models.MatchText)):
        return _local_check(condition, payload, *more)
    values = payload.get(condition.key) or []
    text = " ".join(values) if isinstance(values, list) else values
    wanted = _folded_words(condition.match.text)
    return bool(wanted) and set(wanted) <= set(_folded_words(text))


def _folded_words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[^\W_]+", "".join(map(_folded, text)))]


def _folded(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else _LETTERS.get(letter, letter)
