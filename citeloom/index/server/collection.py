"""ServerCollection: a collection on a Qdrant server, with the same behaviour as EdgeCollection."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Any, cast

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index import filters as f
from citeloom.index.base import Collection, Point, Vector
from citeloom.index.fusion import Ranking
from citeloom.index.qdrant_models import ClientLibrary, on_disk, point_from_record
from citeloom.index.server.circuit_breaker import CircuitBreaker
from citeloom.index.server.connection import WRITE_SECONDS, QdrantServer

# hnsw_ef. A server decides on the size of its segments, and larger ones need more: among 500,000 passages, 98 of the
# 100 nearest are found with this value, with Qdrant's default of 100 far fewer.
_HNSW_EF = 512
_MAX_REQUEST_BYTES = 4_000_000  # bytes; servers accept 32 MB by default
_LIBRARY = ClientLibrary(
    models,
    models.Filter,
    models.Range,
    lambda field: models.IsEmptyCondition(is_empty=models.PayloadField(key=field)),
    lambda name: models.HasVectorCondition(has_vector=name),
    index_options=lambda kind: {"type": kind, "enable_hnsw": False},
    word_tokenizer=models.TokenizerType.WORD,
)


class ServerCollection(Collection):
    """Collection of one project's passages on a Qdrant server."""

    _library = _LIBRARY

    def __init__(self, server: QdrantServer, name: str, client: QdrantClient) -> None:
        super().__init__()
        self.name = name
        self._server = server
        self._client = client
        self._breaker = CircuitBreaker()
        self._write_options: dict[str, Any] = {
            "wait": True,
            "ordering": models.WriteOrdering.STRONG if server.replicas > 1 else None,
            "timeout": max(WRITE_SECONDS, math.ceil(server.timeout)),
        }

    @classmethod
    def create(cls, server: QdrantServer, name: str, dense_size: int, *, sparse: bool) -> ServerCollection:
        """Create an empty collection with the payload indexes."""
        server.check()
        with server.connected() as client:
            words = {"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)}
            client.create_collection(
                name,
                vectors_config={"dense": models.VectorParams(size=dense_size, distance=models.Distance.COSINE)},
                sparse_vectors_config=words if sparse else None,
                shard_number=server.shards,
                replication_factor=server.replicas,
                timeout=WRITE_SECONDS,
            )
        return cls.open(server, name)

    @classmethod
    def open(cls, server: QdrantServer, name: str) -> ServerCollection:
        """Open a collection by name. Raises INDEX_UNAVAILABLE."""
        server.check()
        opened = cls(server, name, server.connect())
        try:
            with opened._translated(Code.INDEX_UNAVAILABLE, "The index of this project cannot be opened"):
                # A collection of an earlier version, or of an interrupted creation, may lack some.
                opened._add_missing_indexes()
        except CiteLoomError:
            opened.close()
            raise
        return opened

    @property
    def address(self) -> str:
        """Address of its server."""
        return self._server.address

    def reconnect(self, server: QdrantServer) -> None:
        """Reconnect with another key; running requests finish on the old connection."""
        self._server, self._client, self._breaker = server, server.connect(), CircuitBreaker()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def flush(self) -> None:
        """Do nothing: the server answers each write when it is done."""

    def _translated(self, code: Code, what: str) -> AbstractContextManager[None]:
        return self._server.translated(code, what, self.name)

    def _write(self, points: Sequence[Point]) -> None:
        made, size = list[models.PointStruct](), 0
        for point in points:
            request_bytes = len(json.dumps(point.payload)) + 20 * len(point.dense or ())
            request_bytes += 32 * len(point.sparse.indices) if point.sparse else 0
            if made and size + request_bytes > _MAX_REQUEST_BYTES:
                self._client.upsert(self.name, made, **self._write_options)
                made, size = [], 0
            made.append(models.PointStruct(id=point.id, vector=_LIBRARY.vectors(point), payload=point.payload))
            size += request_bytes
        self._client.upsert(self.name, made, **self._write_options)

    def _add_vectors(self, vectors: Mapping[str, Sequence[float]]) -> None:
        existing = self._existing(list(vectors))
        while existing:
            made = [models.PointVectors(id=id, vector={"dense": list(vectors[id])}) for id in existing]
            try:
                self._client.update_vectors(self.name, made, **self._write_options)
                return
            except UnexpectedResponse as error:
                # A server adds some of the vectors, and fails at the first passage that was deleted meanwhile.
                before, existing = existing, self._existing(existing)
                if error.status_code != HTTPStatus.NOT_FOUND or len(existing) == len(before):
                    raise

    def _existing(self, ids: Sequence[str]) -> list[str]:
        return [str(r.id) for r in self._client.retrieve(self.name, list(ids), with_payload=False)]

    def _delete(self, where: f.Condition) -> None:
        self._client.delete(self.name, models.FilterSelector(filter=_LIBRARY.filter(where)), **self._write_options)

    def _rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        self._client.set_payload(
            self.name, values, models.FilterSelector(filter=_LIBRARY.filter(where)), **self._write_options
        )

    def _rankings(self, queries: Mapping[str, Vector], limit: int, where: f.Condition) -> dict[str, Ranking]:
        visible = _LIBRARY.filter(where)
        requests = [
            models.QueryRequest(
                query=_LIBRARY.vector(vector),
                using=name,
                filter=visible,
                limit=limit,
                with_payload=False,
                params=models.SearchParams(hnsw_ef=_HNSW_EF),
            )
            for name, vector in queries.items()
        ]
        with self._breaker.guard(self._server):
            answers = self._client.query_batch_points(self.name, requests)
        return {name: {str(p.id): p.score for p in one.points} for name, one in zip(queries, answers, strict=True)}

    def _retrieve(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        return [point_from_record(r) for r in self._client.retrieve(self.name, list(ids), with_vectors=vectors)]

    def _page(
        self, where: f.Condition, limit: int, *, vectors: bool = False, in_order: bool = False, begin: str | None = None
    ) -> list[Point]:
        order = models.OrderBy(key="chunk_index", direction=models.Direction.ASC) if in_order else None
        records, _ = self._client.scroll(
            self.name,
            _LIBRARY.filter(where),
            limit=limit,
            order_by=order,
            offset=begin,
            with_payload=True,
            with_vectors=vectors,
        )
        return [point_from_record(r) for r in records]

    def _count(self, where: f.Condition) -> int:
        return self._client.count(self.name, _LIBRARY.filter(where)).count

    def _values(self, field: str, limit: int, where: f.Condition | None) -> dict[str, int]:
        visible = _LIBRARY.filter(where) if where is not None else None
        return {str(hit.value): hit.count for hit in self._client.facet(self.name, field, visible, limit).hits}

    def _indexed(self) -> set[str]:
        return set(self._client.get_collection(self.name).payload_schema)

    def _create_index(self, field: str, params: Any) -> None:
        self._client.create_payload_index(self.name, field, params, **self._write_options)

    def _vectors(self) -> tuple[int, bool]:
        found = self._client.get_collection(self.name).config.params
        dense = cast("dict[str, models.VectorParams]", found.vectors)["dense"]
        return dense.size, bool(found.sparse_vectors)

    def _on_disk(self) -> tuple[bool, bool]:
        config = self._client.get_collection(self.name).config.model_dump(mode="json")
        return on_disk(config["params"]["vectors"]["dense"], config["hnsw_config"])
