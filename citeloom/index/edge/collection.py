"""EdgeCollection: a collection in Qdrant Edge, embedded in the engine, one folder each."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import qdrant_edge as qdrant

from citeloom.core import fault_injection as faults
from citeloom.core.data_folder import free_bytes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index import filters as f
from citeloom.index.base import Collection, Point, SparseVector, Vector
from citeloom.index.edge import checksums, trial_open
from citeloom.index.edge.checksums import FolderState
from citeloom.index.fusion import Ranking
from citeloom.index.qdrant_models import ClientLibrary, on_disk, point_from_record

UNFINISHED = "new-"  # prefix of a folder in which a collection is being created
_CANNOT_OPEN = "The index of this project cannot be opened"
_AVERAGE_PASSAGE_WORDS = 120.0

# Approximate maximum of passages per segment (`make bench`: scale). Optimising holds a segment in memory: 1.5 GB for
# 100,000, 6.8 GB for half a million. Several are searched in parallel, each with better recall.
_MAX_SEGMENT = 150_000
# hnsw_ef. With Qdrant's default of 100, some of the nearest were missed, and for some questions almost all; with more
# than this, no more were found.
_HNSW_EF = 256

# Read at opening, so that no search waits for the disk, but mapped, so that the system can reclaim the memory. Mapped
# indexes open in half of the time of loaded ones and filter as fast.
_MAPPED = qdrant.Memory.Cached
# Quantized vectors, which stay in memory, find the candidates; the exact ones give the scores.
_SEARCH_PARAMS = qdrant.SearchParams(hnsw_ef=_HNSW_EF, quantization=qdrant.QuantizationSearchParams(rescore=True))


# Bytes. Qdrant Edge writes into sparse mapped files: where the disk is too full to fill a hole, the system kills the
# process (SIGBUS). A write-ahead log takes 32 MB at once.
_MIN_FREE_BYTES = 64_000_000
_LIBRARY = ClientLibrary(
    qdrant,
    qdrant.Filter,
    qdrant.RangeFloat,
    qdrant.IsEmptyCondition,
    qdrant.HasVectorCondition,
    # With enable_hnsw, Qdrant also builds graphs for frequent values of an index. Over 30,000 passages optimising then
    # took 33 s instead of 20 s, and filtered searches were neither faster nor better.
    index_options=lambda kind: {"enable_hnsw": False, "memory": _MAPPED},
    word_tokenizer=qdrant.TokenizerType.Word,
)


class Bm25:
    """BM25 weights with the stemmer and stop words of a language, which come with Qdrant Edge."""

    def __init__(self, language: str) -> None:
        try:
            self._bm25 = qdrant.Bm25(qdrant.Bm25Config(language=language, avg_len=_AVERAGE_PASSAGE_WORDS))
        except ValueError as error:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There are no stop words for the language '{language}'.",
                'Write it as in models.language = "english" or "german".',
            ) from error

    def passage(self, text: str) -> SparseVector:
        """Return the weights of a passage's words."""
        vector = self._bm25.embed_document(text)
        return SparseVector(vector.indices, vector.values)

    def query(self, text: str) -> SparseVector:
        """Return the weights of a question's words."""
        vector = self._bm25.embed_query(text)
        return SparseVector(vector.indices, vector.values)


class EdgeCollection(Collection):
    """Collection of one project's passages in a local folder."""

    _library = _LIBRARY

    def __init__(self, folder: Path, shard: qdrant.EdgeShard) -> None:
        super().__init__()
        self.folder = folder
        self.written = 0  # passages since it was opened
        self._shard = shard
        self._state = FolderState(folder)

    @classmethod
    def create(cls, folder: Path, dense_size: int, *, sparse: bool) -> EdgeCollection:
        """Create an empty collection with the payload indexes; its folder appears only when complete."""
        unfinished = folder.with_name(f"{UNFINISHED}{folder.name}")
        with _translated(Code.STORAGE_ERROR, "The index could not be created"):
            shutil.rmtree(unfinished, ignore_errors=True)
            try:
                unfinished.mkdir(parents=True)
                shard = qdrant.EdgeShard.create(str(unfinished), _config(dense_size, sparse=sparse, large=False))
                made = cls(unfinished, shard)
                made._add_missing_indexes()
                made.close()
                if folder.exists():
                    folder.rmdir()  # Windows cannot rename onto an existing empty folder
                faults.point("index.folder_made", folder)
                unfinished.rename(folder)
                faults.point("index.folder_renamed", folder)
            except BaseException:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> EdgeCollection:
        """Open the collection in a folder and add missing payload indexes. Raises INDEX_UNAVAILABLE.

        One without valid checksums is opened by a child process first, which may crash without harm to this one.
        """
        with _translated(Code.INDEX_UNAVAILABLE, _CANNOT_OPEN):
            opened = cls(folder, _load(folder))
            opened._state.begin()
            opened._add_missing_indexes()
            return opened

    @classmethod
    def open_unchecked(cls, folder: Path) -> EdgeCollection:
        """Open the collection in a folder without checks: only for a child process that may crash."""
        with _translated(Code.INDEX_UNAVAILABLE, _CANNOT_OPEN):
            return cls(folder, qdrant.EdgeShard.load(str(folder)))

    def close(self) -> None:
        """Flush and close the collection."""
        with _translated(Code.STORAGE_ERROR, "The index could not be closed cleanly"), self._state.flushing():
            self._shard.close()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Close the folder for another process during the block, then reopen it; nobody may use it meanwhile."""
        self.close()
        try:
            yield
        finally:
            with _translated(Code.INDEX_UNAVAILABLE, "The index cannot be opened again"):
                self._shard = _load(self.folder)
                self._state.begin()
            self.written = 0

    def flush(self) -> None:
        """Flush pending writes."""
        with self._translated(Code.STORAGE_ERROR, "The index could not be written"), self._state.flushing():
            self._shard.flush()

    def _translated(self, code: Code, what: str) -> AbstractContextManager[None]:
        self.refuse_damaged()
        return _translated(code, what)

    def refuse_damaged(self) -> None:
        """Raise INDEX_UNAVAILABLE if its files were found to be damaged."""
        self._state.refuse_damaged()

    def _write(self, points: Sequence[Point]) -> None:
        self._check_free_space()
        self._update(
            qdrant.UpdateOperation.upsert_points(
                [qdrant.Point(UUID(p.id), _LIBRARY.vectors(p), p.payload) for p in points]
            )
        )
        self.written += len(points)

    def _add_vectors(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._check_free_space()
        with self._state.changing():  # nothing is deleted meanwhile
            # Qdrant Edge would add the vectors before the first passage that is gone, and fail there.
            made = [qdrant.PointVectors(UUID(id), {"dense": list(vectors[id])}) for id in self._existing(list(vectors))]
            if made:
                self._shard.update(qdrant.UpdateOperation.update_vectors(made))
        self.written += len(made)

    def _existing(self, ids: Sequence[str]) -> list[str]:
        return [str(r.id) for r in self._shard.retrieve([UUID(i) for i in ids], False, False)]

    def _delete(self, where: f.Condition) -> None:
        self._update(qdrant.UpdateOperation.delete_points_by_filter(_LIBRARY.filter(where)))

    def _check_free_space(self) -> None:
        if free_bytes(self.folder) < _MIN_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder))

    def _rewrite(self, where: f.Condition, values: dict[str, Any]) -> None:
        self._check_free_space()
        self._update(qdrant.UpdateOperation.set_payload_by_filter(_LIBRARY.filter(where), values))

    def _update(self, operation: qdrant.UpdateOperation) -> None:
        with self._state.changing():
            self._shard.update(operation)

    def _rankings(self, queries: Mapping[str, Vector], limit: int, where: f.Condition) -> dict[str, Ranking]:
        visible = _LIBRARY.filter(where)
        requests = [
            qdrant.QueryRequest(
                limit=limit,
                query=qdrant.Query.Nearest(_LIBRARY.vector(vector), using=name),
                filter=visible,
                params=_SEARCH_PARAMS,
            )
            for name, vector in queries.items()
        ]
        answers = self._shard.query_batch(qdrant.QueryBatchRequest(requests))
        return {name: {str(p.id): p.score for p in answer} for name, answer in zip(queries, answers, strict=True)}

    def _retrieve(self, ids: Sequence[str], *, vectors: bool) -> list[Point]:
        return [point_from_record(r) for r in self._shard.retrieve([UUID(i) for i in ids], True, vectors)]

    def _page(
        self, where: f.Condition, limit: int, *, vectors: bool = False, in_order: bool = False, begin: str | None = None
    ) -> list[Point]:
        request = qdrant.ScrollRequest(
            offset=UUID(begin) if begin else None,
            limit=limit,
            filter=_LIBRARY.filter(where),
            with_payload=True,
            with_vector=vectors,
            order_by=qdrant.OrderBy("chunk_index", qdrant.Direction.Asc) if in_order else None,
        )
        records, _ = self._shard.scroll(request)
        return [point_from_record(r) for r in records]

    def _count(self, where: f.Condition) -> int:
        return self._shard.count(qdrant.CountRequest(filter=_LIBRARY.filter(where)))

    def _values(self, field: str, limit: int, where: f.Condition | None) -> dict[str, int]:
        visible = _LIBRARY.filter(where) if where is not None else None
        found = self._shard.facet(qdrant.FacetRequest(field, limit, filter=visible))
        return {str(hit.value): hit.count for hit in found.hits}

    def _indexed(self) -> set[str]:
        return set(self._shard.info().payload_schema)

    def _create_index(self, field: str, params: Any) -> None:
        self._update(qdrant.UpdateOperation.create_field_index(field, params))
        faults.point("index.field_indexed", self.folder)

    def _vectors(self) -> tuple[int, bool]:
        return _vectors_of(self.folder)

    def _on_disk(self) -> tuple[bool, bool]:
        config = _config_of(self.folder)
        return on_disk(config["vectors"]["dense"], config.get("hnsw_config"))


def _config(dense_size: int, *, sparse: bool, large: bool) -> qdrant.EdgeConfig:
    """Return the configuration of a collection.

    Files of a small one are mostly holes, which must not be read into memory.
    """
    memory = _MAPPED if large else qdrant.Memory.Cold
    quantization = qdrant.ScalarQuantizationConfig(qdrant.ScalarType.Int8, quantile=0.99, memory=qdrant.Memory.Pinned)
    dense = qdrant.EdgeVectorParams(dense_size, qdrant.Distance.Cosine, quantization_config=quantization, memory=memory)
    words = qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf, memory=_MAPPED)
    return qdrant.EdgeConfig(
        vectors={"dense": dense},
        sparse_vectors={"sparse": words} if sparse else None,
        payload_memory=memory,
        optimizers=qdrant.EdgeOptimizersConfig(max_segment_size=_MAX_SEGMENT * dense_size * 4 // 1024),  # kB of vectors
    )


def _vectors_of(folder: Path) -> tuple[int, bool]:
    config = _config_of(folder)
    return int(config["vectors"]["dense"]["size"]), bool(config.get("sparse_vectors"))


def _config_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "edge_config.json").read_text(encoding="utf-8")))


def _load(folder: Path) -> qdrant.EdgeShard:
    """Load the shard of a folder after the checks that protect this process."""
    if not (folder / "edge_config.json").is_file():
        raise FileNotFoundError("its folder has none")
    if not checksums.verify(folder):
        trial_open.run(folder)
    return qdrant.EdgeShard.load(str(folder))


def optimise(folder: Path) -> None:
    """Build the search graph (HNSW) of a collection that nobody else has open; minutes for large ones."""
    shutil.rmtree(folder / "temp_segments", ignore_errors=True)  # remains of a killed optimisation
    size, sparse = _vectors_of(folder)
    checksums.forget(folder)
    shard = qdrant.EdgeShard.load(str(folder), _config(size, sparse=sparse, large=True))
    shard.optimize()
    shard.flush()
    shard.close()
    checksums.write(folder)


@contextmanager
def _translated(code: Code, what: str) -> Iterator[None]:
    try:
        yield
    except CiteLoomError:
        raise
    except Exception as error:
        raise _error(code, what, error) from error
    except BaseException as error:
        # A panic inside Qdrant Edge is raised as a separate BaseException.
        if type(error).__name__ != "PanicException":
            raise
        raise _error(code, what, error) from error


def _error(code: Code, what: str, error: BaseException) -> CiteLoomError:
    reason = str(error)
    if os.strerror(errno.ENOSPC) in reason or getattr(error, "errno", None) == errno.ENOSPC:
        return CiteLoomError(
            Code.STORAGE_ERROR,
            "The disk is full: nothing more can be written.",
            "Free some disk space and try again.",
        )
    return CiteLoomError(code, f"{what}: {reason}.", "Run the check-up ('citeloom doctor').")
