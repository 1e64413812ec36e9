"""Reader of LaTeX manuscripts: their prose and the citations of natbib, biblatex and csquotes.

Macros are not expanded: an unknown command leaves the text of its arguments, so that no prose is lost.
Called by `manuscripts.reader`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import partial

from citeloom.core.text.latex_symbols import SYMBOLS
from citeloom.evidence.manuscripts.latex import commands
from citeloom.evidence.manuscripts.latex.citations import Command, is_citing, read_citation
from citeloom.evidence.manuscripts.latex.structure import BLANK_LINE, ENVIRONMENT, Structure
from citeloom.evidence.manuscripts.nested_reader import Job, NestedReader, Range
from citeloom.evidence.manuscripts.prose import Prose

_SPECIAL = re.compile(rf"[\\{{}}%$~&]|---?|``?|''?|,,|<<|>>|\"[`'<>]?|{BLANK_LINE}")
_NAME = re.compile(r"\\(?:([A-Za-z@]+\*?)[ \t]*|(.))", re.DOTALL)
# Babel's German: sch"on, Stra"se, Druck"-sache.
_SHORTHAND = re.compile(r'(?<=[^\W\d_])"(?:[aouAOUs]|[-=~|"](?=[^\W\d_]))')
_SHORTHANDS = {"a": "ä", "o": "ö", "u": "ü", "A": "Ä", "O": "Ö", "U": "Ü", "s": "ß", "=": "-", "~": "-"}
_QUOTING = re.compile(r"(foreign|hyphen|hybrid)?(?:text|block)(c?)quote|(?:en|mkbib)quote|(foreign|hyphen)quote")
_MATH_COMMAND = re.compile(r"\\(?:([A-Za-z]+)[ \t]*|(.))|[{}^_&]|[^\\{}^_&]+", re.DOTALL)
_LINE_BREAK_OPTION = re.compile(r"\*?[ \t]*\[[^\]\r\n]{0,20}\]")
_MAX_ARGUMENTS = 9
_DEFINITION = re.compile(r"[ \t]*(?:\\(?:[A-Za-z@]+|.)|=|#[0-9])", re.DOTALL)
_LONGEST_FORMULA = 2000


def read(text: str) -> Prose:
    """Return the prose and the citations of a LaTeX manuscript or of a part of one."""
    reader = _Reader(text)
    return reader.read(reader.structure.start, reader.structure.end)


class _Reader(NestedReader):
    special = _SPECIAL

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.structure = Structure(text)
        self._quote_level = 0
        self._environments: list[tuple[str, list[Job]]] = []
        self._open_environments: Counter[str] = Counter()

    def read_special(self, found: re.Match[str], end: int) -> int:
        """Read a command, a formula, a ligature or the end of a paragraph."""
        sign, start, after = found[0], found.start(), found.end()
        skipped = self.structure.skipped.get(start)
        if skipped is not None:
            self._formula(start, skipped)
            return skipped
        if sign == "\\":
            return self._command(start, end)
        if sign[0] == '"' and (shorthand := _SHORTHAND.match(self.text, start, end)):
            self.show(_SHORTHANDS.get(shorthand[0][1], ""), start)
            return shorthand.end()
        if sign in commands.LIGATURES:
            self.show(commands.LIGATURES[sign], start)
        elif sign[0] in "\r\n":
            self.end_paragraph()
        elif sign == '"':
            self.prose.add(sign, start)
        return after

    # -- words ------------------------------------------------------------------------------------------------

    def _formula(self, start: int, end: int) -> None:
        """Add a short formula as it would appear: $p < 0.05$ may be part of a quotation."""
        delimiter = 1 if self.text[start] == "$" else 2
        if not self.text.startswith(("$", "\\("), start) or self.text.startswith("$$", start):
            return
        inside = self.text[start + delimiter : min(end - delimiter, start + _LONGEST_FORMULA)]
        shown = [
            SYMBOLS.get(found[1], "") if found[1] else commands.SIGNS.get(found[2], found[2]) if found[2] else found[0]
            for found in _MATH_COMMAND.finditer(inside)
            if found[0] not in "{}^_&"
        ]
        self.show("".join(shown), start)

    # -- commands ---------------------------------------------------------------------------------------------

    def _command(self, start: int, end: int) -> int:
        """Process the command at this position and return where reading continues."""
        found = _NAME.match(self.text, start, end)
        if not found:
            return start + 1
        if (letter := commands.accented(self.text, start)) and letter[1] <= end:
            self.show(letter[0], start)
            return letter[1]
        if found[2]:
            return self._sign(found[2], start, found.end(), end)
        starred, at = found[1], found.end(1)
        name = starred.rstrip("*")
        if is_citing(name) and (cited := read_citation(self.structure, starred, at, end, self.groups)):
            return self._citation(name, cited, start, end)
        if quoting := _QUOTING.fullmatch(name):
            return self._quotation(quoting, start, at, end)
        if name in ("begin", "end"):
            return self._environment(name == "begin", at, end)
        if name in SYMBOLS:
            self.show(SYMBOLS[name], start)
            return found.end()
        if name in commands.BREAKS:
            self.end_paragraph()
            return found.end()
        if name in commands.DEFINITIONS:
            return self._after_definition(at, end)
        if name in ("textelp", "textins", "textdel"):
            return self._omission(name, start, at, end)
        return self._with_arguments(name, at, found.end(), end)

    def _sign(self, sign: str, start: int, at: int, end: int) -> int:
        if sign == "\\" and (option := _LINE_BREAK_OPTION.match(self.text, at, end)):
            at = option.end()
        if sign == "\\" and self._environments and self._environments[-1][0] in commands.TABLES:
            self.end_paragraph()
            return at
        new = " " if sign.isspace() else commands.SIGNS.get(sign, sign)
        self.show(new, start)
        return at

    def _citation(self, name: str, cited: Command, start: int, end: int) -> int:
        hidden = name in ("nocite", "defcitealias")
        self.cite(cited.citations, start, hidden=hidden)
        citing = [note for note in cited.notes if self.text.find("cite", *note) >= 0]
        return self.schedule(citing, (cited.after, end), end) if citing and not hidden else cited.after

    def _with_arguments(self, name: str, at: int, after_name: int, end: int) -> int:
        """Process a command that drops, separates or keeps its arguments."""
        _, after = self.structure.options(at, end)
        inside = self.structure.group(after, end)
        dropped = inside
        for _ in range(commands.DROPPED.get(name, 0)):
            if inside is None:
                break
            dropped, after = inside, inside[1] + 1
            inside = self.structure.group(after, end)
        if name in commands.INCLUDES and dropped:
            included = self.text[slice(*dropped)].strip()
            if included and not included.endswith(commands.NO_PROSE):
                self.prose.included.append(included)
        if name in commands.DROPPED:
            return after if after > at else after_name
        if inside is None:
            return after_name
        if name in commands.NOTES:
            return self.schedule([self.prose.open_note, inside, self.prose.close_note], (inside[1] + 1, end), end)
        if name in commands.PARAGRAPHS:
            return self.schedule([self.end_paragraph, inside, self.end_paragraph], (inside[1] + 1, end), end)
        return self._keep(at, after_name, end)

    def _keep(self, at: int, after_name: int, end: int) -> int:
        """Keep the {arguments} of an unknown command, with a space between them."""
        if self.text[at : at + 1] not in ("[", "{"):
            return after_name
        _, at = self.structure.options(at, end)
        kept: list[Job] = []
        while len(kept) < 2 * _MAX_ARGUMENTS and self.text[at : at + 1] == "{":
            inside = self.structure.group(at, end)
            if inside is None:
                break
            kept += [partial(self.show, " ", at), inside] if kept else [inside]
            at = inside[1] + 1
        return self.schedule(kept, (at, end), end)

    def _after_definition(self, at: int, end: int) -> int:
        for _ in range(_MAX_ARGUMENTS):
            inside = self.structure.group(at, end) or self.structure.option(at, end)
            if inside:
                at = inside[1] + 1
            elif word := _DEFINITION.match(self.text, at, end):
                at = word.end()
            else:
                break
        return at

    # -- quotations -------------------------------------------------------------------------------------------

    def _quotation(self, quoting: re.Match[str], start: int, at: int, end: int) -> int:
        r"""\enquote{text}, \textquote[citation][.]{text}, \textcquote[before][after]{key}[.]{text} and their like."""
        structure = self.structure
        if (quoting[1] or quoting[3]) and (language := structure.group(at, end)):
            at = language[1] + 1
        source: list[Job] = []
        if quoting[2]:
            cited = read_citation(structure, "cite", at, end, self.groups)
            if not cited:
                return at
            self.groups += 1
            source = [partial(self.prose.cite, cited.citations, start)]
            at = cited.after
        options, at = structure.options(at, end)
        inside = structure.group(at, end)
        if inside is None:
            return self.schedule([*source], (at, end), end)
        if not source and options:
            source = [options[0]]
        return self.schedule([*self._quoted(inside), *source], (inside[1] + 1, end), end)

    def _quoted(self, inside: Range) -> list[Job]:
        blank_lines = self.structure.blank_lines
        number = bisect_left(blank_lines, inside[0])
        if number < len(blank_lines) and blank_lines[number] < inside[1]:
            # Several paragraphs can only be a block quotation.
            return [self.begin_block_quote, inside, self.end_block_quote]
        return [partial(self._mark, inside[0], 1), inside, partial(self._mark, inside[1], -1)]

    def _mark(self, at: int, step: int) -> None:
        level = self._quote_level if step > 0 else self._quote_level - 1
        self.show(("“”", "‘’")[level % 2][step < 0], at)
        self._quote_level += step

    def _omission(self, name: str, start: int, at: int, end: int) -> int:
        inside = self.structure.group(at, end)
        if inside is None:
            return at
        replaced = name != "textins"
        if replaced:
            self.show("[…]", start)
            if name == "textdel" or inside[0] == inside[1]:
                return inside[1] + 1
        self.show(" [" if replaced else "[", start)
        return self.schedule([inside, partial(self.show, "]", inside[1])], (inside[1] + 1, end), end)

    # -- environments -----------------------------------------------------------------------------------------

    def _environment(self, begins: bool, at: int, end: int) -> int:
        found = ENVIRONMENT.match(self.text, at, end)
        if not found:
            return at
        name, at = found[1], found.end()
        if begins:
            return self._begin(name, at, end)
        if not self._open_environments[name]:
            return at
        jobs: list[Job] = []
        while self._environments:
            other, source = self._environments.pop()
            self._open_environments[other] -= 1
            jobs += [*source, self.end_block_quote if other in commands.BLOCK_QUOTES else self.end_paragraph]
            if other == name:
                break
        return self.schedule(jobs, (at, end), end)

    def _begin(self, name: str, at: int, end: int) -> int:
        structure = self.structure
        self.end_paragraph()
        for _ in range(commands.ENVIRONMENT_ARGUMENTS.get(name, 0)):
            _, at = structure.options(at, end)
            if inside := structure.group(at, end):
                at = inside[1] + 1
        source: list[Job] = []
        if name.endswith("cquote") and (cited := read_citation(structure, "cite", at, end, self.groups)):
            self.groups += 1
            source = [partial(self.prose.cite, cited.citations, at)]
            at = cited.after
        options, at = structure.options(at, end)
        if name in commands.BLOCK_QUOTES:
            self.begin_block_quote()
            if options and not source:
                source = [options[0]]
        self._environments.append((name, source))
        self._open_environments[name] += 1
        return at
