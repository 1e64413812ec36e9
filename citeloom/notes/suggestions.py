"""Suggestions to link similar notes, and to generalize episodic ones. They are filed when a note is added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.api import notes as api
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.catalog.notes import ACCEPTED, PENDING, REJECTED, REPLACED, NoteLink, NoteRow, Suggestion
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import new_ulid
from citeloom.notes.embedding import NoteEmbedder
from citeloom.notes.entries import EPISODIC, MAX_TITLE, SEMANTIC, Visible

LINK, GENERALIZE = "link", "generalize"
_LINK_FROM, _MAX_LINKS = 0.6, 3  # cosine from which a link is suggested, and links for one note
_CLUSTER_FROM, _MIN_CLUSTER, _MAX_CLUSTER = 0.55, 3, 8  # cosine between the notes of a cluster, and its size
_SAME_CLUSTER = 0.5  # share of common notes from which a cluster counts as one that was suggested before
_MAX_SUGGESTIONS = 50
_MAX_SUMMARY = 2_000  # characters of each note in the draft of a general one


@dataclass
class SuggestionService:
    """Files, lists, accepts and rejects suggestions."""

    _catalog: Catalog
    _embedder: NoteEmbedder

    def suggest_for(self, note: NoteRow, visible: Visible) -> int:
        """File suggestions for a new note; return their number."""
        near = self._embedder.similar(note, visible, _CLUSTER_FROM, 4 * _MAX_CLUSTER)
        count = sum(
            self._file(LINK, [note.id, other], score, f"Their texts are similar ({score:.2f}).")
            for other, score in near[:_MAX_LINKS]
            if score >= _LINK_FROM
        )
        return count + self._suggest_generalization(note, near, visible)

    def _suggest_generalization(self, note: NoteRow, near: Sequence[tuple[str, float]], visible: Visible) -> int:
        """Suggest to generalize a new episodic note with others that are all similar to each other."""
        if note.memory_type != EPISODIC:
            return 0
        rows = self._catalog.notes.some(id_ for id_, _ in near)
        cluster, scores = [note], list[float]()
        for id_, score in near:
            if (other := rows.get(id_)) is None:  # deleted since
                continue
            if other.memory_type != EPISODIC or other.project_id != note.project_id or len(cluster) >= _MAX_CLUSTER:
                continue
            of_other = dict(self._embedder.similar(other, visible, _CLUSTER_FROM, 100))
            if all(one.id in of_other for one in cluster[1:]):
                cluster.append(other)
                scores.append(score)
        ids = {one.id for one in cluster}
        if len(cluster) < _MIN_CLUSTER or any(
            len(ids & set(known.note_ids)) > _SAME_CLUSTER * len(ids | set(known.note_ids))
            for known in self._catalog.notes.suggestions(GENERALIZE)
            if known.state in (ACCEPTED, REJECTED)
        ):
            return 0
        for known in self._catalog.notes.suggestions(GENERALIZE, PENDING):
            if set(known.note_ids) < ids:  # the larger cluster replaces it
                self._catalog.notes.decide(known.id, REPLACED)
        reason = f"{len(cluster)} episodic notes are similar to each other."
        return self._file(GENERALIZE, sorted(ids), sum(scores) / len(scores), reason)

    def _file(self, kind: str, note_ids: Sequence[str], score: float, reason: str) -> int:
        if kind == LINK and self._catalog.notes.are_linked(note_ids[0], note_ids[1]):
            return 0
        suggestion = Suggestion(
            id=new_ulid(),
            kind=kind,
            note_ids=sorted(note_ids),
            score=round(score, 4),
            reason=reason,
            created_at=now(),
        )
        return int(self._catalog.notes.suggest(suggestion))

    @handles(api.SuggestLinks)
    def links(self, request: api.SuggestLinks) -> api.SuggestedLinks:
        """Return pending suggestions of links."""
        found, notes = self._pending(LINK, request.visible)
        found = [one for one in found if not self._catalog.notes.are_linked(*one.note_ids)]
        return api.SuggestedLinks(
            tuple(
                api.SuggestedLink(
                    one.id,
                    api.NoteReference(one.note_ids[0], notes[one.note_ids[0]].title),
                    api.NoteReference(one.note_ids[1], notes[one.note_ids[1]].title),
                    one.score,
                    one.reason,
                    one.created_at,
                )
                for one in found[: _checked_limit(request.limit)]
            ),
            len(found),
        )

    @handles(api.SuggestGeneralizations)
    def generalizations(self, request: api.SuggestGeneralizations) -> api.SuggestedGeneralizations:
        """Return pending suggestions of generalizations."""
        found, notes = self._pending(GENERALIZE, request.visible)
        return api.SuggestedGeneralizations(
            tuple(
                api.SuggestedGeneralization(
                    one.id,
                    tuple(api.NoteReference(id_, notes[id_].title) for id_ in one.note_ids),
                    one.score,
                    one.reason,
                    one.created_at,
                )
                for one in found[: _checked_limit(request.limit)]
            ),
            len(found),
        )

    def _pending(self, kind: str, visible: Sequence[str] | None) -> tuple[list[Suggestion], dict[str, NoteRow]]:
        """Return the pending suggestions whose notes are all visible to the client, and these notes."""
        if not self._embedder.configured:
            raise CiteLoomError(
                Code.EMBEDDINGS_DISABLED,
                "The settings name no embedding model, so nothing can be suggested.",
                "Set models.dense.",
            )
        if not self._embedder.available:
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE,
                "The embedding model is not installed, so nothing can be suggested.",
                "Run the check-up ('citeloom doctor').",
            )
        found = self._catalog.notes.suggestions(kind, PENDING)
        notes = self._catalog.notes.some(id_ for one in found for id_ in one.note_ids)
        if visible is not None:
            notes = {id_: note for id_, note in notes.items() if note.project_id in visible}
        return [one for one in found if all(id_ in notes for id_ in one.note_ids)], notes

    @handles(api.AcceptSuggestion)
    def accept(self, request: api.AcceptSuggestion) -> api.AcceptedSuggestion:
        """Create the suggested link, or prepare the semantic note."""
        suggestion, notes = self._decide(request.suggestion_id, request.visible, ACCEPTED)
        if suggestion.kind == LINK:
            source, target = suggestion.note_ids
            link = NoteLink(
                id=new_ulid(), source_id=source, target_id=target, relation="related", created_at=suggestion.created_at
            )
            created = self._catalog.notes.add_link(link)
            action = f"Linked '{notes[0].title}' and '{notes[1].title}'." if created else "They were linked already."
            return api.AcceptedSuggestion(True, LINK, action, api.CreatedLink(source, target), None, None)
        return api.AcceptedSuggestion(
            accepted=True,
            suggestion_type=GENERALIZE,
            action_taken=f"Prepared a semantic note from {len(notes)} notes; the command adds it.",
            link_created=None,
            generalize_command=f"citeloom notes generalize {' '.join(suggestion.note_ids)}",
            draft=draft_of(notes),
        )

    @handles(api.RejectSuggestion)
    def reject(self, request: api.RejectSuggestion) -> api.RejectedSuggestion:
        """Reject a suggestion for good."""
        suggestion, _ = self._decide(request.suggestion_id, request.visible, REJECTED)
        return api.RejectedSuggestion(True, suggestion.id)

    def _decide(self, id_: str, visible: Sequence[str] | None, state: str) -> tuple[Suggestion, list[NoteRow]]:
        found = self._catalog.notes.suggestion(id_.strip().upper())
        notes = self._catalog.notes.some(found.note_ids) if found else {}
        seen = found and all(
            id_ in notes and (visible is None or notes[id_].project_id in visible) for id_ in found.note_ids
        )
        if found is None or not seen or not self._catalog.notes.decide(found.id, state):
            raise CiteLoomError(
                Code.SUGGESTION_NOT_FOUND,
                f"Suggestion with ID '{id_[:40]}' not found, or decided on already.",
                "List the pending ones.",
            )
        return found, [notes[id_] for id_ in found.note_ids]


def draft_of(notes: Sequence[NoteRow]) -> api.NoteDraft:
    """Return a semantic note that has what several notes say, to be edited."""
    tags = Counter(tag for note in notes for tag in note.tags)
    common = [tag for tag, count in tags.most_common(5) if count > 1]
    projects = {note.project_id for note in notes}
    return api.NoteDraft(
        type=Counter(note.type for note in notes).most_common(1)[0][0],
        title=f"In general: {notes[0].title}"[:MAX_TITLE],
        content="\n\n".join(_summary(note) for note in notes),
        tags=common,
        memory_type=SEMANTIC,
        project=projects.pop() if len(projects) == 1 else None,
        derived_from=tuple(api.NoteReference(note.id, note.title) for note in notes),
    )


def _summary(note: NoteRow) -> str:
    text = note.content if len(note.content) <= _MAX_SUMMARY else f"{note.content[:_MAX_SUMMARY]} […]"
    return f"- {note.title}: {text}" if text else f"- {note.title}"


def _checked_limit(limit: int) -> int:
    if 1 <= limit <= _MAX_SUGGESTIONS:
        return limit
    raise CiteLoomError(Code.INVALID_INPUT, f"limit is {limit}.", f"Ask for 1 to {_MAX_SUGGESTIONS} suggestions.")
