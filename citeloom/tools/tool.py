"""A tool: a function with the name, description and arguments that agents see, and what a call of it gets.

Used by the tables of tools (`table`, `notes`, `dialects`) and by the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from citeloom.api.verbs import R, Request, encode
from citeloom.core.cancel import Cancel
from citeloom.core.jobs import Job, Progress
from citeloom.engine.container import Container
from citeloom.tools.access_record import AccessRecord
from citeloom.tools.arguments import Arguments

READ, WRITE, NOTES = "read", "write", "notes"  # toolsets

Json = dict[str, Any]
A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Call(Generic[A]):
    """One call of a tool, with the projects that its session may access."""

    container: Container
    visible: frozenset[str] | None
    arguments: A
    cancel: Cancel
    record: AccessRecord = field(default_factory=AccessRecord)

    def handle(self, request: Request[R]) -> R:
        """Have the engine handle a request, and record what its result discloses."""
        if project := getattr(request, "project", None):
            self.record.projects.add(project)
        result = self.container.verbs.handle(request, self.cancel)
        self.record.add(result)
        return result

    def project(self, named: str | None) -> str:
        """Return the named project, or the default one; raise INVALID_PROJECT if the session may not access it."""
        if named is None:
            found = self.container.projects.default_project(self.visible).id
        else:
            found = self.container.catalog.projects.get(named, self.visible).id
        self.record.projects.add(found)
        return found

    @property
    def visible_ids(self) -> tuple[str, ...] | None:
        """The projects that the session may access, as requests name them."""
        return None if self.visible is None else tuple(sorted(self.visible))


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """An import that has finished, or its progress at the end of the time limit."""

    job_id: str
    finished: Job | None
    progress: Progress | None
    paused: bool  # the researcher has paused imports


Answer = Callable[[ImportOutcome], Json]


@dataclass(frozen=True, slots=True)
class StartedImport:
    """Returned by a tool that started an import: the session waits for it, then makes the answer."""

    job_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as agents see it, and its function."""

    name: str
    title: str
    description: str
    toolset: str
    arguments: type[Arguments]
    output: Json | None  # schema of its answer
    run: Callable[[Call[Any]], Json | StartedImport]
    limit: str  # name of its time limit in the settings
    seconds: float | None = None  # time limit, instead of that of the settings
    read_only: bool = False
    destructive: bool = False
    open_world: bool = False  # it may access the internet


ToolTable = dict[str, Tool]  # by name, in the order in which they are listed
Run = Callable[[Call[A]], Json | StartedImport]


def tool(
    table: ToolTable,
    title: str,
    arguments: type[A],
    output: Json | None = None,
    toolset: str = READ,
    *,
    name: str = "",
    limit: str = "",
    read_only: bool | None = None,
    **more: Any,
) -> Callable[[Run[A]], Run[A]]:
    """Add a function to a table: its name is the tool's, its docstring the description for agents."""

    def add(run: Run[A]) -> Run[A]:
        called, description = name or run.__name__, " ".join(str(run.__doc__).split())
        only_reads = toolset == READ if read_only is None else read_only
        table[called] = Tool(
            called, title, description, toolset, arguments, output, run, limit or called, read_only=only_reads, **more
        )
        return run

    return add


def as_json(result: object) -> Json:
    """Return a result as JSON values."""
    return dict(encode(result))


def without(values: Json, *keys: str) -> Json:
    """Return JSON values without some keys."""
    return {key: value for key, value in values.items() if key not in keys}
