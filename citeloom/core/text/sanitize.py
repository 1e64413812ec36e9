"""Sanitizes untrusted text for display: no terminal commands, no reordered, hidden or forged lines.

Titles, file names, passages, questions and names of editors are untrusted. They are stored unchanged and sanitized when
displayed, once for each kind of output: answers to agents, the command line, logs, the windows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

# Content of a character class. Not included are the joiners (U+200C, U+200D), the marks U+200E, U+200F and U+061C and
# the variation selectors: Arabic, Persian, Indic scripts, Japanese names and emoji need them, and they affect only the
# letters beside them.
REMOVED = (
    r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls: ESC, U+009B and others start terminal commands
    r"\u202a-\u202e\u2066-\u206f"  # embeddings, overrides and isolates display a text in another order
    r"\ufff9-\ufffb"  # interlinear annotations, which are not displayed
    r"\U000e0000-\U000e007f"  # tags: a second, invisible ASCII
)
_BREAKS = r"\x0b\x0c\r\x85\u2028\u2029"  # line ends other than the line feed
_SURROGATES = r"\ud800-\udfff"  # lone surrogates, which no encoding can represent
_UNSAFE = re.compile(rf"\r\n|[{REMOVED}{_BREAKS}{_SURROGATES}]")
_UNSAFE_IN_LINE = re.compile(rf"[\t\n{REMOVED}{_BREAKS}{_SURROGATES}]")
_TO_SPACES = str.maketrans("\t\n", "  ")

MAX_REPEATED = 1000  # bytes of input that an answer repeats
_ELLIPSIS = " […] "


def clean(text: str) -> str:
    """Return text that is safe to display; line feeds and tabs stay."""
    return _UNSAFE.sub(_replaced, text)


def one_line(text: str) -> str:
    """Return clean text as one line: line ends and tabs become spaces."""
    return clean(text).translate(_TO_SPACES)


def clean_values(value: Any) -> Any:
    """Return a JSON value with every string cleaned, keys too."""
    return map_texts(clean, value)


def escaped(text: str) -> str:
    r"""Return text as one line with unsafe characters escaped, as in \x1b: for logs."""
    return _UNSAFE_IN_LINE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def escaped_json(text: str) -> str:
    """Return equivalent JSON that is safe to display."""
    return _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def shortened(text: str, max_bytes: int = MAX_REPEATED) -> str:
    """Return text of at most `max_bytes` bytes: of a longer one its beginning and its end, which may be a next step."""
    if len(text) * 4 <= max_bytes:
        return text
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return text
    room = max_bytes - len(_ELLIPSIS.encode())
    end = room // 4
    return data[: room - end].decode(errors="ignore") + _ELLIPSIS + data[len(data) - end :].decode(errors="ignore")


def shortened_values(value: Any) -> Any:
    """Return a JSON value with every string shortened, keys too."""
    return map_texts(shortened, value)


def map_texts(change: Callable[[str], str], value: Any) -> Any:
    """Return a JSON value with every string changed, keys too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {map_texts(change, key): map_texts(change, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(change, item) for item in value]
    return value


def _replaced(found: re.Match[str]) -> str:
    first = found[0][0]
    if first in "\x0b\x0c\r\x85\u2028\u2029":
        return "\n"
    return "\ufffd" if "\ud800" <= first <= "\udfff" else ""
