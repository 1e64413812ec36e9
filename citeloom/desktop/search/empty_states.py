"""Empty states of the search page: loading, no project, no question, nothing found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from citeloom.core.types import Coverage
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.text.hit_text import cut
from citeloom.desktop.widgets import basics


def waiting() -> basics.EmptyState:
    """Create the state shown while the projects are loading."""
    return basics.EmptyState("search", "", translate("SearchPage", "Starting …"))


def no_project(make_one: Callable[[], object]) -> basics.EmptyState:
    """Create the state shown when there is no project."""
    return basics.EmptyState(
        "projects",
        translate("SearchPage", "No project yet"),
        translate(
            "SearchPage", "A project holds the papers that you search. Create one from a Zotero collection or a folder."
        ),
        [(translate("SearchPage", "Create a project"), make_one)],
    )


def welcome(topics: list[str], ask: Callable[[str], object]) -> basics.EmptyState:
    """Create the state shown before the first question, with examples from the project's tags."""
    questions = [
        translate("SearchPage", "What is known about {topic}?").format(topic=cut(topic, 40)) for topic in topics
    ]
    return basics.EmptyState(
        "search",
        translate("SearchPage", "What do your papers say?"),
        translate(
            "SearchPage",
            "Type a question, a claim or a few words. "
            "You see the passages that your editor would get, each on its page.",
        ),
        [(question.replace("&", "&&"), partial(ask, question)) for question in questions],
    )


def nothing(without_filters: Callable[[], object]) -> basics.EmptyState:
    """Create the state shown when a question has no hits."""
    return basics.EmptyState("search", "", "", [(translate("SearchPage", "Search without filters"), without_filters)])


def why_nothing(coverage: Coverage | None, *, filters: bool) -> str:
    """Return why nothing was found, and what to do."""
    if coverage is None or not coverage.searchable:
        return translate(
            "SearchPage", "No paper of this project can be searched yet. The list of papers shows the progress."
        )
    if filters:
        text = translate("SearchPage", "None of the {count} searchable papers has a passage that matches the filters.")
    else:
        text = translate("SearchPage", "{count} papers were searched. Try other words.")
    return text.format(count=basics.number(coverage.searchable))
