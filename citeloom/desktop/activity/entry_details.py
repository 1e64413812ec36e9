"""Details of an entry of the access log, with the passages that it returned in their current state."""

from __future__ import annotations

from citeloom.api.activity import GetLoggedPassages, LoggedPassage
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import AccessEntry
from citeloom.desktop.activity.rich_text import Paragraph, RichTextView
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.text.activity_text import editor_text, outcome_text, tool_text
from citeloom.desktop.widgets.basics import number, time_text


class EntryDetails(RichTextView):
    """View of the chosen log entry and its passages."""

    def __init__(self, tasks: EngineTasks) -> None:
        super().__init__(self.tr("The selected question and its passages"))
        self._tasks = tasks
        self._task: Task | None = None
        self._shown: int | None = None  # id of the entry
        self.setPlaceholderText(self.tr("Select a question to see its passages."))

    def show_entry(self, row: AccessEntry | None) -> None:
        """Show an entry; its passages are loaded afterwards."""
        if row and row.id == self._shown:
            return
        if self._task:
            self._task.drop()
        self._shown = row.id if row else None
        self._task = None
        if row is None:
            self.write([])
            return
        about = self._about(row)
        if not row.passages:
            self.write([*about, Paragraph(self.tr("No passages were returned."), muted=True, new=True)])
            return
        self.write([*about, Paragraph(self.tr("Loading the passages …"), muted=True, new=True)])
        self._task = self._tasks.send(
            self,
            GetLoggedPassages(project=row.project_id, chunk_ids=row.passages),
            done=lambda answer: self.write([*about, *self._passages(answer.passages)]),
            failed=lambda error: self._on_failed(about, error),
        )

    def _on_failed(self, about: list[Paragraph], error: CiteLoomError) -> None:
        self._shown = None  # choosing it again retries
        self.write([*about, Paragraph(str(error), new=True)])

    def _about(self, row: AccessEntry) -> list[Paragraph]:
        text = self.tr("{when} · {editor} · {what} · {outcome} after {seconds} s").format(
            when=time_text(row.at),
            editor=editor_text(row.client),
            what=tool_text(row.tool),
            outcome=outcome_text(row.outcome),
            seconds=self.locale().toString(row.milliseconds / 1000, "f", 2),
        )
        if row.outcome != "ok":
            text = self.tr("{about} ({code})").format(about=text, code=row.outcome)
        return [Paragraph(row.asked or tool_text(row.tool), bold=True), Paragraph(text, muted=True)]

    def _passages(self, passages: list[LoggedPassage]) -> list[Paragraph]:
        parts: list[Paragraph] = []
        for place, passage in enumerate(passages, start=1):
            if passage.deleted:
                text = self.tr("{number}. This passage is no longer in the library.").format(number=number(place))
                parts.append(Paragraph(text, muted=True, new=True))
                continue
            head = self.tr("{number}. {cite}  {title}").format(
                number=number(place), cite=passage.cite or "", title=passage.title or ""
            )
            parts.append(Paragraph(head, bold=True, new=True))
            if passage.by_agent:
                parts.append(Paragraph(self.tr("Stored by an agent."), muted=True))
            if passage.section_path:
                parts.append(Paragraph(" › ".join(passage.section_path), muted=True))
            parts.append(Paragraph(passage.text or ""))
        return parts
