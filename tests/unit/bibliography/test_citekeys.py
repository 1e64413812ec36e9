import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.bibliography.citekeys import make_citekey


@pytest.mark.parametrize(
    ("authors", "year", "title", "key"),
    [
        (
            ["Hartmann, Lea", "Osei, Kwame"],
            2019,
            "Quotation Errors in Scholarly Writing",
            "hartmannQuotationErrorsScholarly2019",
        ),
        (["Vaswani, Ashish"], 2017, "Attention Is All You Need", "vaswaniAttentionAllYou2017"),
        (["Devlin, Jacob"], 2019, "BERT: Pre-training of Deep Models", "devlinBERTPretrainingDeep2019"),
        (["van der Berg, Anna"], 2001, "A <i>Flora</i> of the Dunes", "vanderbergFloraDunes2001"),
        (["Weißenborn, Jörg"], 2015, "Über l’homme/la machine", "weissenbornUberHommeMachine2015"),
        (["World Health Organization"], None, "Report 7", "worldhealthorganizationReport7"),
        (["Pauling, Linus"], 1970, "Vitamin C and the Common Cold", "paulingVitaminCommonCold1970"),
        (["Caesar, Julius"], -50, "On the Gallic War", "caesarGallicWar-50"),
        ([], 1999, "the early history of the footnote", "EarlyHistoryFootnote1999"),
        (["O'Neil, J."], 1999, "On the Of", "oneilOnTheOf1999"),
    ],
)
def test_a_key_is_the_one_better_bibtex_makes_by_default(authors, year, title, key):
    assert make_citekey(authors, year, title, ().__contains__) == key


def test_a_work_without_author_and_title_takes_its_files_name_or_is_untitled():
    assert make_citekey([], 2020, "", ().__contains__, stem="scan_0012 (1)") == "scan001212020"
    assert make_citekey(["李, 明"], 2020, "引文", ().__contains__) == "untitled2020"


def test_keys_that_clash_get_letters_and_go_on_after_z():
    taken = {"osei2020", *(f"osei2020{letter}" for letter in string.ascii_lowercase)}

    assert make_citekey(["Osei, K."], 2020, "", {"osei2020"}.__contains__) == "osei2020a"
    assert make_citekey(["Osei, K."], 2020, "", taken.__contains__) == "osei2020aa"


@given(
    authors=st.lists(st.text(), max_size=2),
    year=st.none() | st.integers(-3000, 3000),
    title=st.text(),
    stem=st.text(),
    again=st.integers(0, 30),
)
def test_whatever_the_work_its_key_is_new_and_pandoc_reads_it(authors, year, title, stem, again):
    taken: list[str] = []
    for _ in range(again + 1):
        key = make_citekey(authors, year, title, taken.__contains__, stem=stem)
        assert re.fullmatch(r"[A-Za-z0-9_]+(?:[:.+/-][A-Za-z0-9_]+)*", key), "Pandoc reads it as a whole"
        assert key not in taken
        taken.append(key)
