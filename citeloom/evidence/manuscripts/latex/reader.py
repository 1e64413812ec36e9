"""Reader of LaTeX manuscripts: their prose and the citations of natbib, biblatex and csquotes.

Macros are not expanded: an unknown command leaves the text of its arguments, so that no prose is lost. Pending parts
are on an explicit stack, so that deep nesting cannot exhaust the call stack. Called by `manuscripts.reader`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import partial

from citeloom.core.text.latex_symbols import SYMBOLS
from citeloom.evidence.manuscripts.footnotes import ProseWithNotes
from citeloom.evidence.manuscripts.latex.citations import Command, Range, is_citing, read_citation
from citeloom.evidence.manuscripts.latex.commands import (
    BLOCK_QUOTES,
    BREAKS,
    DEFINITIONS,
    DROPPED,
    ENVIRONMENT_ARGUMENTS,
    INCLUDES,
    LIGATURES,
    NO_PROSE,
    NOTES,
    PARAGRAPHS,
    SIGNS,
    TABLES,
    accented,
)
from citeloom.evidence.manuscripts.latex.structure import BLANK_LINE, ENVIRONMENT, Structure
from citeloom.evidence.manuscripts.prose import Prose

_SPECIAL = re.compile(rf"[\\{{}}%$~&]|---?|``?|''?|,,|<<|>>|\"[`'<>]?|{BLANK_LINE}")
_NAME = re.compile(r"\\(?:([A-Za-z@]+\*?)[ \t]*|(.))", re.DOTALL)
# Babel's German: sch"on, Stra"se, Druck"-sache.
_SHORTHAND = re.compile(r'(?<=[^\W\d_])"(?:([aouAOUs])|([-=~|"])(?=[^\W\d_]))')
_QUOTING = re.compile(r"(foreign|hyphen|hybrid)?(?:text|block)(c?)quote|(?:en|mkbib)quote|(foreign|hyphen)quote")
_MATH_COMMAND = re.compile(r"\\(?:([A-Za-z]+)[ \t]*|(.))|[{}^_&]|[^\\{}^_&]+", re.DOTALL)
_LINE_BREAK_OPTION = re.compile(r"\*?[ \t]*\[[^\]\r\n]{0,20}\]")
_MAX_ARGUMENTS = 9
_DEFINITION = re.compile(r"[ \t]*(?:\\(?:[A-Za-z@]+|.)|=|#[0-9])", re.DOTALL)
_LONGEST_FORMULA = 2000


def read(text: str) -> Prose:
    """Return the prose and the citations of a LaTeX manuscript or of a part of one."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._structure = Structure(text)
        self._prose = ProseWithNotes()
        self._groups = 0
        self._quote_level = 0
        self._block_quotes = 0
        self._environments: list[tuple[str, list[_Job]]] = []
        self._open_environments: dict[str, int] = {}
        self._to_do: list[_Job] = [(self._structure.start, self._structure.end)]

    def read(self) -> Prose:
        while self._to_do:
            job = self._to_do.pop()
            if isinstance(job, tuple):
                self._scan(*job)
            else:
                job()
        self._end_paragraph()
        return self._prose.finish()

    def _scan(self, at: int, end: int) -> None:
        """Read up to the end, or to a command whose arguments come first: then the rest is scheduled."""
        text, skipped, prose = self._text, self._structure.skipped, self._prose
        while at < end:
            special = _SPECIAL.search(text, at, end)
            start = special.start() if special else end
            if start > at:
                prose.add(text[at:start], at)
            if not special:
                return
            sign, at = special[0], special.end()
            if start in skipped:
                self._formula(start, skipped[start])
                at = skipped[start]
            elif sign == "\\":
                at = self._command(start, end)
            elif sign[0] == '"' and (shorthand := _SHORTHAND.match(text, start, end)):
                self._shorthand(shorthand)
                at = shorthand.end()
            elif sign in LIGATURES:
                prose.add(LIGATURES[sign], start, verbatim=False)
            elif sign[0] in "\r\n":
                self._end_paragraph()
            elif sign == '"':
                prose.add(sign, start)

    # -- words ------------------------------------------------------------------------------------------------

    def _shorthand(self, found: re.Match[str]) -> None:
        letter = found[1]
        new = (
            ("ß" if letter == "s" else accented(f'\\"{letter}', 0))
            if letter
            else {"=": "-", "~": "-"}.get(found[2], "")
        )
        self._prose.add(new[0] if isinstance(new, tuple) else new or "", found.start(), verbatim=False)

    def _formula(self, start: int, end: int) -> None:
        """Add a short formula as it would appear: $p < 0.05$ may be part of a quotation."""
        delimiter = 1 if self._text[start] == "$" else 2
        if not self._text.startswith(("$", "\\("), start) or self._text.startswith("$$", start):
            return
        inside = self._text[start + delimiter : min(end - delimiter, start + _LONGEST_FORMULA)]
        shown = [
            SYMBOLS.get(found[1], "") if found[1] else SIGNS.get(found[2], found[2]) if found[2] else found[0]
            for found in _MATH_COMMAND.finditer(inside)
            if found[0] not in "{}^_&"
        ]
        self._prose.add("".join(shown), start, verbatim=False)

    def _end_paragraph(self) -> None:
        self._prose.end_paragraph(block_quote=self._block_quotes > 0)

    # -- commands ---------------------------------------------------------------------------------------------

    def _command(self, start: int, end: int) -> int:
        """Process the command at this position and return where reading continues."""
        found = _NAME.match(self._text, start, end)
        if not found:
            return start + 1
        if (letter := accented(self._text, start)) and letter[1] <= end:
            self._prose.add(letter[0], start, verbatim=False)
            return letter[1]
        if found[2]:
            return self._sign(found[2], start, found.end(), end)
        starred, at = found[1], found.end(1)
        name = starred.rstrip("*")
        if is_citing(name) and (cited := read_citation(self._structure, starred, at, end, self._groups)):
            return self._citation(name, cited, start, end)
        if quoting := _QUOTING.fullmatch(name):
            return self._quotation(quoting, start, at, end)
        if name in ("begin", "end"):
            return self._environment(name == "begin", at, end)
        if name in SYMBOLS:
            self._prose.add(SYMBOLS[name], start, verbatim=False)
            return found.end()
        if name in BREAKS:
            self._end_paragraph()
            return found.end()
        if name in DEFINITIONS:
            return self._after_definition(at, end)
        if name in ("textelp", "textins", "textdel"):
            return self._omission(name, start, at, end)
        return self._with_arguments(name, at, found.end(), end)

    def _sign(self, sign: str, start: int, at: int, end: int) -> int:
        if sign == "\\" and (option := _LINE_BREAK_OPTION.match(self._text, at, end)):
            at = option.end()
        if sign == "\\" and self._environments and self._environments[-1][0] in TABLES:
            self._end_paragraph()
            return at
        new = " " if sign.isspace() else SIGNS.get(sign, sign)
        self._prose.add(new, start, verbatim=False)
        return at

    def _citation(self, name: str, cited: Command, start: int, end: int) -> int:
        self._groups += 1
        if name in ("nocite", "defcitealias"):
            self._prose.open_note()
            self._prose.cite(cited.citations, start)
            self._prose.close_note(separate=True)
            return cited.after
        self._prose.cite(cited.citations, start)
        citing: list[_Job] = [note for note in cited.notes if self._text.find("cite", *note) >= 0]
        return self._schedule(citing, cited.after, end) if citing else cited.after

    def _with_arguments(self, name: str, at: int, after_name: int, end: int) -> int:
        """Process a command that drops, separates or keeps its arguments."""
        _, after = self._structure.options(at, end)
        inside = self._structure.group(after, end)
        dropped = inside
        for _ in range(DROPPED.get(name, 0)):
            if inside is None:
                break
            dropped, after = inside, inside[1] + 1
            inside = self._structure.group(after, end)
        if name in INCLUDES and dropped:
            self._include(self._text[slice(*dropped)].strip())
        if name in DROPPED:
            return after if after > at else after_name
        if inside is None:
            return after_name
        if name in NOTES:
            return self._schedule([self._prose.open_note, inside, self._prose.close_note], inside[1] + 1, end)
        if name in PARAGRAPHS:
            return self._schedule([self._end_paragraph, inside, self._end_paragraph], inside[1] + 1, end)
        return self._keep(at, after_name, end)

    def _include(self, name: str) -> None:
        if name and not name.endswith(NO_PROSE):
            self._prose.include(name)

    def _keep(self, at: int, after_name: int, end: int) -> int:
        """Keep the {arguments} of an unknown command, with a space between them."""
        if self._text[at : at + 1] not in ("[", "{"):
            return after_name
        _, at = self._structure.options(at, end)
        kept: list[_Job] = []
        while len(kept) < 2 * _MAX_ARGUMENTS and self._text[at : at + 1] == "{":
            inside = self._structure.group(at, end)
            if inside is None:
                break
            kept += [partial(self._prose.add, " ", at, verbatim=False), inside] if kept else [inside]
            at = inside[1] + 1
        return self._schedule(kept, at, end)

    def _after_definition(self, at: int, end: int) -> int:
        for _ in range(_MAX_ARGUMENTS):
            inside = self._structure.group(at, end) or self._structure.option(at, end)
            if inside:
                at = inside[1] + 1
            elif word := _DEFINITION.match(self._text, at, end):
                at = word.end()
            else:
                break
        return at

    # -- quotations -------------------------------------------------------------------------------------------

    def _quotation(self, quoting: re.Match[str], start: int, at: int, end: int) -> int:
        r"""\enquote{text}, \textquote[citation][.]{text}, \textcquote[before][after]{key}[.]{text} and their like."""
        structure = self._structure
        if (quoting[1] or quoting[3]) and (language := structure.group(at, end)):
            at = language[1] + 1
        source: list[_Job] = []
        if quoting[2]:
            cited = read_citation(structure, "cite", at, end, self._groups)
            if not cited:
                return at
            self._groups += 1
            source = [partial(self._prose.cite, cited.citations, start)]
            at = cited.after
        options, at = structure.options(at, end)
        inside = structure.group(at, end)
        if inside is None:
            return self._schedule([*source], at, end)
        if not source and options:
            source = [options[0]]
        return self._schedule([*self._quoted(inside), *source], inside[1] + 1, end)

    def _quoted(self, inside: Range) -> list[_Job]:
        blank_lines = self._structure.blank_lines
        number = bisect_left(blank_lines, inside[0])
        if number < len(blank_lines) and blank_lines[number] < inside[1]:
            # Several paragraphs can only be a block quotation.
            return [partial(self._block, 1), inside, self._end_paragraph, partial(self._block, -1)]
        return [partial(self._mark, inside[0], 1), inside, partial(self._mark, inside[1], -1)]

    def _mark(self, at: int, step: int) -> None:
        level = self._quote_level if step > 0 else self._quote_level - 1
        self._prose.add(("“”", "‘’")[level % 2][step < 0], at, verbatim=False)
        self._quote_level += step

    def _block(self, step: int) -> None:
        if step > 0:
            self._end_paragraph()
        self._block_quotes += step

    def _omission(self, name: str, start: int, at: int, end: int) -> int:
        inside = self._structure.group(at, end)
        if inside is None:
            return at
        add = self._prose.add
        if name == "textins":
            add("[", start, verbatim=False)
        else:
            add("[…]", start, verbatim=False)
            if name == "textdel" or inside[0] == inside[1]:
                return inside[1] + 1
            add(" [", start, verbatim=False)
        return self._schedule([inside, partial(add, "]", inside[1], verbatim=False)], inside[1] + 1, end)

    # -- environments -----------------------------------------------------------------------------------------

    def _environment(self, begins: bool, at: int, end: int) -> int:
        found = ENVIRONMENT.match(self._text, at, end)
        if not found:
            return at
        name, at = found[1], found.end()
        if begins:
            return self._begin(name, at, end)
        if not self._open_environments.get(name):
            return at
        jobs: list[_Job] = []
        while self._environments:
            other, source = self._environments.pop()
            self._open_environments[other] -= 1
            jobs += [*source, self._end_paragraph]
            if other in BLOCK_QUOTES:
                jobs.append(partial(self._block, -1))
            if other == name:
                break
        return self._schedule(jobs, at, end)

    def _begin(self, name: str, at: int, end: int) -> int:
        structure = self._structure
        self._end_paragraph()
        for _ in range(ENVIRONMENT_ARGUMENTS.get(name, 0)):
            _, at = structure.options(at, end)
            if inside := structure.group(at, end):
                at = inside[1] + 1
        source: list[_Job] = []
        if name.endswith("cquote") and (cited := read_citation(structure, "cite", at, end, self._groups)):
            self._groups += 1
            source = [partial(self._prose.cite, cited.citations, at)]
            at = cited.after
        options, at = structure.options(at, end)
        if name in BLOCK_QUOTES:
            self._block(1)
            if options and not source:
                source = [options[0]]
        self._environments.append((name, source))
        self._open_environments[name] = self._open_environments.get(name, 0) + 1
        return at

    def _schedule(self, jobs: list[_Job], rest: int, end: int) -> int:
        """Schedule these jobs, then the rest of the current part."""
        if rest < end:
            self._to_do.append((rest, end))
        self._to_do.extend(reversed(jobs))
        return end


_Job = Range | Callable[[], None]
