"""Does the work really say this? No changed word is ever exact, no invented quotation is ever found."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.evidence import Change, Verdict
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.quotation import check_quote
from citeloom.evidence.quotes.verdict import QuoteFinding, verify
from citeloom.evidence.quotes.work_text import WorkText
from tests.papers.prose import Author

_PAGE_1 = (
    "The commonest error was the silent omission of one or two words. Substitution of a synonym followed with 97 "
    "cases. Adair called it “the slow erosion of what was once read and then remembered” and left it there. "
    "The market-driven reform did not change the mean temperature of −5 degrees in Burnham before"
)
_PAGE_2 = (
    "the spring of 1998; nobody re-signed the treaty, although it’s plain that information was available.12 In most "
    "cases the missing word was the last on its line. A rate of 94.05 per cent was reported by the clerk. "
    "At the .05 level the clerk saw no effect."
)
_WORDS = frozenset(
    (_PAGE_1 + " " + _PAGE_2 + " modern modem clear resigned signed available warm are of to is")
    .casefold()
    .replace(".", " ")
    .split()
)


def _work(*blocks: Block, labels: tuple[str, ...] = ("33", "34")) -> WorkText:
    pages = tuple(Page(number, "", printed=label or None) for number, label in enumerate(labels, start=1))
    return WorkText(Converted("pdf", "test", blocks, pages))


def _text(text: str, page: int = 1, **more: object) -> Block:
    return Block(BlockKind.TEXT, text, page=page, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def work() -> WorkText:
    return _work(
        _text(_PAGE_1, section_path=("Results",)),
        Block(BlockKind.FOOTNOTE, "Compare the remarks of the editor in an earlier volume of this series.", page=1),
        Block(BlockKind.TABLE, "| Field | Errors |\n| --- | --- |\n| History | 360 |", page=1),
        _text(_PAGE_2, 2, section_path=("Results",), continues=True),
        _text("Adair, P. (2007). Reference accuracy in four journals. Archives, 9.", 2, section_path=("7 References",)),
    )


def _verify(quote: str, work: WorkText, page: str | None = None) -> QuoteFinding:
    return verify(quote, work, Lexicon(_WORDS), page=page)


@pytest.mark.parametrize(
    ("quote", "allowed"),
    [
        ("the silent omission of one or two words", ()),
        ("The  silent\nomission of one or two words,", ("capital at the start", "punctuation at the end")),
        ("called it 'the slow erosion of what was once read", ("quotation marks",)),
        ("although it's plain that infor-\nmation was available", ("hyphenation", "quotation marks")),
        ("although it’s plain that infor\u00admation was available", ("ligatures",)),
        ("The marketdriven reform did not change", ("hyphenation",)),
        ("the mean temperature of -5 degrees in Burnham", ("ligatures",)),
        ("the silent omission ofone or two words", ("whitespace",)),
        ("tbe silent ornission of one or two words", ("ocr",)),
        ("information was available. In most cases the missing word", ("note number",)),
        ("[T]he commonest error[s] was the silent omission", ("words in brackets",)),
        ("The commonest error was … one or two words", ("ellipsis",)),
        ("the commonest error [of these books] was [. . .] one or two words", ("ellipsis", "words in brackets")),
    ],
    ids=str,
)
def test_differences_of_type_alone_are_exact_and_said(work: WorkText, quote: str, allowed: tuple[str, ...]) -> None:
    found = _verify(quote, work)
    assert (found.verdict, found.changes) == (Verdict.EXACT, ())
    assert set(allowed) <= set(found.allowed)


@pytest.mark.parametrize(
    ("quote", "change"),
    [
        ("the silent addition of one or two words", Change("addition", "omission")),
        ("Substitution of a synonym followed with 98 cases", Change("98", "97")),
        ("the mean temperature of 5 degrees in Burnham", Change("5", "−5")),
        ("05 level the clerk saw no effect", Change("05", ".05")),
        ("the reform did not change the mean temperature", None),
        ("The market-driven reform did change the mean temperature", Change("", "not")),
        ("although its plain that information was available", Change("its", "it’s")),
        ("nobody resigned the treaty, although it’s plain", Change("resigned", "re-signed")),
        ("nobody re-signed the treaty although it’s plain", Change("", ",")),
        ("the mean Temperature of −5 degrees in Burnham", Change("Temperature", "temperature")),
        ("the mean temperature of −5 degrees in Bumham before", Change("Bumham", "Burnham")),
        ("driven reform did not change the mean temperature", Change("driven", "market-driven")),
        ("the missing word was the last on its line. A rate of 94", Change("94", "94.05")),
        ("the missing word was the last on its Iine. A rate of 94.O5", None),
    ],
    ids=str,
)
def test_a_changed_word_is_near_and_shown(work: WorkText, quote: str, change: Change | None) -> None:
    found = _verify(quote, work)
    assert found.verdict is Verdict.NEAR
    assert found.diff
    assert change is None or change in found.changes


def test_the_difference_is_shown_in_its_place(work: WorkText) -> None:
    found = _verify("the silent addition of one or two words", work)
    assert found.diff == "the silent [-addition-] {+omission+} of one or two words"
    assert found.sentence == "The commonest error was the silent omission of one or two words."


def test_a_quote_across_a_page_break_is_found_although_a_note_and_a_table_stand_between(work: WorkText) -> None:
    found = _verify("degrees in Burnham before the spring of 1998", work, "33–4")
    assert (found.verdict, found.page_span, found.page_labels) == (Verdict.EXACT, (1, 2), ("33", "34"))
    assert found.page_right is True


def test_notes_and_references_are_found_and_named(work: WorkText) -> None:
    assert _verify("the remarks of the editor in an earlier volume", work).aside
    listed = _verify("Reference accuracy in four journals", work)
    assert (listed.verdict, listed.in_references) == (Verdict.EXACT, True)


def test_what_the_work_itself_quotes_is_said(work: WorkText) -> None:
    assert _verify("erosion of what was once read and then remembered", work).is_quotation
    assert not _verify("called it “the slow erosion of what was once read", work).is_quotation
    assert not _verify("The commonest error was the silent omission", work).is_quotation


@pytest.mark.parametrize(
    ("claim", "right", "pdf_page"),
    [
        ("34", True, False), ("p. 34", True, False), ("pp. 33–35", True, False), ("S. 34 f.", True, False),
        ("33-4", True, False), ("33 ff.", True, False), ("12, 34", True, False), ("35", False, False),
        ("2", False, True), ("xxxiv", False, False), ("chap. two", None, False), ("", None, False),
    ],
)  # fmt: skip
def test_a_claimed_page_is_checked(work: WorkText, claim: str, right: bool | None, pdf_page: bool) -> None:
    found = _verify("nobody re-signed the treaty", work, claim)
    assert (found.page_right, found.pdf_page_claimed) == (right, pdf_page)


def test_without_printed_pages_only_the_pdf_page_can_be_right() -> None:
    work = _work(_text(_PAGE_1), _text(_PAGE_2, 2), labels=("", ""))
    assert _verify("nobody re-signed the treaty", work, "2").page_right is True
    assert _verify("nobody re-signed the treaty", work, "34").page_right is None


def test_of_several_places_the_claimed_page_is_meant() -> None:
    work = _work(_text(_PAGE_1), _text(_PAGE_1, 2))
    assert _verify("the silent omission of one or two words", work).page_labels == ("33",)
    found = _verify("the silent omission of one or two words", work, "34")
    assert (found.page_labels, found.page_right, found.places) == (("34",), True, 2)


def test_scanned_pages_excuse_what_was_misread_but_no_number() -> None:
    text = "Tbe comrnonest error in tbe 97 books of Bumham was thc silent ornission of 1wo words."
    work = _work(_text(text, text_source=TextSource.OCR, ocr_confidence=0.7))
    found = _verify("error in the 97 books of Burnham was the silent omission of two words", work)
    assert (found.verdict, found.allowed) == (Verdict.EXACT, ("ocr",))
    assert (found.text_source, found.ocr_confidence) == (TextSource.OCR, 0.7)
    assert _verify("error in the 91 books of Burnham was the silent omission", work).verdict is Verdict.NEAR
    scan = _work(_text("The silent omission of l0 words was the commonest error.", text_source=TextSource.OCR))
    found = verify("The silent omission of 10 words was the commonest", scan, Lexicon(_WORDS))
    assert found.changes == (Change("10", "l0"),)


def test_in_a_language_that_nobody_knows_no_letter_is_excused() -> None:
    text = "Die Leser könnten die Seiten prüfen. Sie konnten es nicht, denn die Bücher reisen und die Leser reisen."
    work = _work(_text(text))
    for quote, change in (
        ("Die Leser konnten die Seiten prüfen", Change("konnten", "könnten")),
        ("denn die Bücher reifen und die Leser", Change("reifen", "reisen")),
    ):
        for words in (_WORDS, ("die", "es", "und", "leser")):
            assert verify(quote, work, Lexicon(words)).changes == (change,)


def test_a_word_that_looks_alike_is_no_misread_one_unless_the_author_writes_it_too() -> None:
    text = (
        "The dimer was infected, and information was available to the clerk. The stream flows. "
        "It was plain that the ornission was"
    )
    known = Lexicon({*_WORDS, "dinner", "infected", "slow", "flows"})
    for also, verdict in (("", Verdict.NEAR), (" no omission.", Verdict.EXACT)):
        assert verify("was plain that the omission was", _work(_text(text + also)), known).verdict is verdict
    for quote, change in (
        ("The dinner was infected, and information", Change("dinner", "dimer")),
        ("The dimer was inflected, and information", Change("inflected", "infected")),
        ("available to the clerk. The stream slows.", Change("slows", "flows")),
    ):
        assert verify(quote, _work(_text(text)), known).changes == (change,)


def test_what_looks_like_a_word_is_taken_for_one_although_no_list_has_it() -> None:
    alike = ["mode", "model", "modest", "demand", "demon", "academy", "item", "system", "them", "turn", "then", "theft"]
    lexicon = Lexicon([*_WORDS - {"modem"}, *alike])
    assert lexicon.could_have("modem") and not lexicon.has("modem")
    assert not any(map(lexicon.could_have, ("rnodern", "tbe", "ava1lable")))
    work = _work(_text("It was plain that the modern clerk was available, and so was the information."))
    for quote, verdict in (("the modem clerk was available", Verdict.NEAR), ("the rnodern clerk was", Verdict.EXACT)):
        assert verify(f"It was plain that {quote}", work, lexicon).verdict is verdict


def test_brackets_may_not_turn_a_sentence_round(work: WorkText) -> None:
    for quote, added in (
        ("although it’s [not] plain that information was", "not"),
        ("it’s plain that information was [un]available", "un"),
        ("it’s plain that information[less] was available", "less"),
    ):
        found = _verify(quote, work)
        assert (found.verdict, [change.quote for change in found.changes]) == (Verdict.NEAR, [added])
    assert _verify("it’s plain that [emphasis not in the original] information was", work).verdict is Verdict.EXACT


def test_references_and_notes_within_a_quotation_may_be_left_out_but_no_words_unseen() -> None:
    work = _work(
        _text(
            "We counted 10² units (see Jones, 1999, p. 4) in the sample. As was shown before,12–14 most results hold,"
            "3,4 and were detected7 by the clerk. The ratio was 3:1 in favour, at an angle of 5′ to the north."
        )
    )
    found = _verify("We counted 10² units in the sample", work)
    assert (found.verdict, found.changes) == (Verdict.NEAR, (Change("", "see Jones, 1999, p. 4"),))
    for quote in (
        "As was shown before, most results hold, and were",
        "most results hold, and were detected by the clerk",
    ):
        found = verify(quote, work, Lexicon(["detected"]))
        assert (found.verdict, found.allowed) == (Verdict.EXACT, ("note number",))
    assert _verify("The ratio was 3: in favour, at an angle", work).changes == (Change("", "1"),)
    assert _verify("in favour, at an angle of 5″ to the north", work).verdict is Verdict.NEAR


def test_where_it_is_from_is_no_part_of_a_quotation(work: WorkText) -> None:
    for source in ("(p. 33)", "(Adair 2007, pp. 33–34).", "(Adair, S. 33 f.)"):
        found = _verify(f"the silent omission of one or two words {source}", work)
        assert (found.verdict, found.allowed) == (Verdict.EXACT, ("words in brackets",))
    assert _verify("the silent omission of one or two words (in 33 books)", work).verdict is not Verdict.EXACT


def test_dots_and_brackets_may_be_the_works_own_or_the_writers() -> None:
    edition = _work(_text("The ma[n]uscript of the [lost] book was kept by the clerk … until the fire of that year."))
    found = _verify("The ma[n]uscript of the [lost] book … until the fire", edition)
    assert (found.verdict, found.allowed) == (Verdict.EXACT, ("ellipsis",))
    work = _work(
        _text("until the fire of that year. " * 3), _text("kept by the clerk … until the fire of that year.", 2)
    )
    found = _verify("kept by the monk … until the fire of that year", work)
    assert (found.verdict, found.page_span) == (Verdict.NEAR, (2, 2))


def test_what_clings_to_a_changed_word_is_shown_once() -> None:
    work = _work(_text("We saw that twenty-three per cent of the books were lost."))
    assert _verify("23 per cent of the books were lost", work).changes == (Change("23", "twenty-three"),)


def test_a_splice_is_never_exact_unless_an_ellipsis_marks_it(work: WorkText) -> None:
    found = _verify("The commonest error was the silent substitution of a synonym followed with 97 cases", work)
    assert found.verdict is Verdict.NEAR
    spliced = _verify("In most cases the missing word was called it the slow erosion of what was once read", work)
    assert (spliced.verdict, spliced.reason) == (Verdict.NEAR, "spliced")
    turned = _verify("In most cases the missing word … the slow erosion of what was once read", work)
    assert (turned.verdict, turned.reason) == (Verdict.NEAR, "far apart")


def test_an_ellipsis_does_not_reach_over_a_chapter_and_less_far_to_few_words() -> None:
    def found(quote: str, between: int) -> tuple[Verdict, str | None]:
        end = _text("Nobody ever re-signed the treaty of that year.")
        finding = _verify(quote, _work(_text(_PAGE_1), _text("and so on " * between), end))
        return finding.verdict, finding.reason

    many, few = "one or two words … Nobody ever re-signed the treaty", "Adair called it “the slow erosion … that year"
    assert found(many, 200) == (Verdict.EXACT, None)
    assert found(many, 300) == (Verdict.NEAR, "far apart")
    assert found(few, 1) == found("and so on and so on … that year", 200) == (Verdict.EXACT, None)
    assert found(few, 20) == (Verdict.NEAR, "far apart")


def test_an_ellipsis_may_not_hide_a_negation(work: WorkText) -> None:
    found = _verify("The market-driven reform did … change the mean temperature", work)
    assert (found.verdict, found.reason) == (Verdict.NEAR, "negation left out")


def test_an_invented_piece_beside_a_true_one_is_shown(work: WorkText) -> None:
    found = _verify("The commonest error was the silent omission of one or two words … kings dined badly", work)
    assert found.verdict is Verdict.NEAR
    assert Change("kings dined badly", "") in found.changes


@pytest.mark.parametrize(
    ("quote", "reason", "places"),
    [
        ("the silent", "short", 1),
        ("ghost town", "short", 0),
        ("of one or two", "short", 1),
        ("it … was … the", "short", 1),
    ],
)
def test_too_little_proves_nothing_but_is_still_placed(work: WorkText, quote: str, reason: str, places: int) -> None:
    found = _verify(quote, work)
    assert (found.verdict, found.reason, found.places) == (Verdict.INCONCLUSIVE, reason, places)
    assert (found.page_span is not None) == bool(places)


def test_other_scripts_are_compared_character_by_character() -> None:
    work = _work(
        _text("我们今天讨论引文的准确性问题。"), _text("Η ακρίβεια των παραθεμάτων είναι σπάνια στα βιβλία.", 2)
    )
    assert _verify("讨论引文的准确性问题", work).verdict is Verdict.EXACT
    assert _verify("讨论引文的真实性问题", work).verdict is Verdict.NEAR
    assert _verify("引文", work).verdict is Verdict.INCONCLUSIVE
    assert _verify("ακρίβεια των παραθεμάτων είναι", work).page_span == (2, 2)


def test_only_words_of_a_sensible_length_are_looked_up(work: WorkText) -> None:
    for bad in ("", " \n", "…!?", "a" * 20_001):
        with pytest.raises(CiteLoomError) as refused:
            check_quote(bad)
        assert refused.value.code is Code.INVALID_INPUT
    for odd in (
        "a" * 20_000,
        "the " * 5_000,
        r"(a+)+$ [^\]] .*? ",
        "[" * 9_000 + "a",
        "a…" * 9_000,
        "😀" * 99 + "a\x00",
    ):
        assert _verify(odd, work).verdict in (Verdict.ABSENT, Verdict.INCONCLUSIVE)


# --- what holds for any quotation ---

_AUTHOR = Author("en", 6)
_PARAGRAPHS = [" ".join(_AUTHOR.paragraph()) for _ in range(24)]
_LONG = _work(*(_text(text, 1 + n // 6) for n, text in enumerate(_PARAGRAPHS)), labels=("9", "10", "11", "12"))
_ALL = " ".join(_PARAGRAPHS).split()
_PAGE_OF = [1 + n // 6 for n, text in enumerate(_PARAGRAPHS) for _ in text.split()]
_KNOWN = frozenset(word.strip(".,;:()").casefold() for word in _ALL)
_LEXICON = Lexicon(_KNOWN)

_runs = st.tuples(st.integers(0, len(_ALL) - 41), st.integers(8, 40)).map(lambda run: (run[0], run[0] + run[1]))


def _long(quote: str) -> QuoteFinding:
    return verify(quote, _LONG, _LEXICON)


@given(_runs)
def test_any_run_of_words_is_exact_on_its_page(run: tuple[int, int]) -> None:
    found = _long(" ".join(_ALL[slice(*run)]))
    assert found.verdict is Verdict.EXACT
    assert found.places > 1 or found.page_span == (_PAGE_OF[run[0]], _PAGE_OF[run[1] - 1])


@given(_runs, st.randoms(use_true_random=False))
def test_typography_keeps_a_quotation_exact(run: tuple[int, int], chance: random.Random) -> None:
    words = _ALL[slice(*run)]
    at = chance.randrange(len(words))
    if words[at].isalpha() and len(words[at]) > 7:
        words[at] = words[at][:4] + chance.choice(["- ", "-\n", "\u00ad"]) + words[at][4:]
    quote = chance.choice([" ", "\n", "\u00a0 "]).join(words).rstrip(".,") + ","
    quote = (quote[0].upper() + quote[1:]).replace("fi", "ﬁ").replace("–", "-").replace("’", "'")
    assert _long(quote).verdict is Verdict.EXACT


@given(_runs, st.integers(1, 6), st.sampled_from(["not", "nine", "whale", "the", "a"]), st.sampled_from("ird"))
def test_one_word_replaced_inserted_or_deleted_is_never_exact(
    run: tuple[int, int], at: int, word: str, way: str
) -> None:
    words = _ALL[slice(*run)]
    bare = [w.strip(".,;:()").casefold() for w in words]
    if way == "i":
        changed = [*words[:at], word, *words[at:]]
    elif way == "r":
        changed = [*words[:at], word, *words[at + 1 :]]
        if bare[at] == word:
            return
    else:
        changed = words[:at] + words[at + 1 :]
        if bare[at] in (bare[at - 1], bare[at + 1]):
            return
    found = _long(" ".join(changed))
    if found.verdict is Verdict.EXACT:  # by chance the work says elsewhere what has now been written
        assert str(found.text) in " ".join(_ALL)
    else:
        assert found.changes or found.reason == "short"


@given(_runs, st.integers(4, 6), st.integers(1, 20))
def test_two_pieces_in_order_with_an_ellipsis_are_exact(run: tuple[int, int], head: int, left_out: int) -> None:
    words = _ALL[run[0] :]
    cut = {word.strip(".,;:").casefold() for word in words[head : head + left_out]}
    if {"not", "no", "never", "nor", "without", "neither", "none"} & cut or len(words) < head + left_out + 6:
        return
    quote = " ".join([*words[:head], "[…]", *words[head + left_out : head + left_out + 6]])
    found = _long(quote)
    assert found.verdict is Verdict.EXACT
    assert "ellipsis" in found.allowed


@given(st.lists(st.sampled_from(sorted(_KNOWN)), min_size=8, max_size=30, unique=True))
def test_words_in_no_order_of_the_works_are_never_found(words: list[str]) -> None:
    assert _long(" ".join(words)).verdict in (Verdict.ABSENT, Verdict.INCONCLUSIVE)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_against_any_other_gets_a_verdict(quote: str, text: str) -> None:
    try:
        check_quote(quote)
    except CiteLoomError:
        return
    finding = verify(quote, _work(_text(text)), Lexicon(text.split()), page=text[:40])
    assert finding.verdict in Verdict
    own = verify(quote, _work(_text(quote)), Lexicon(quote.split()))
    assert own.verdict in (Verdict.EXACT, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066\u2069", "\x1b", "\x9b", "\u061c", "\U000e0041", "\x01\x02"], ids=ascii
)
def test_what_is_never_shown_of_a_work_makes_no_difference(hidden: str) -> None:
    written = (
        f"The {hidden}commonest error{hidden}, was the si{hidden}lent omission{hidden} of one or two words{hidden}."
    )
    found = _verify("commonest error, was the silent omission of one or two words.", _work(_text(written)))
    assert (found.verdict, found.changes) == (Verdict.EXACT, ())
