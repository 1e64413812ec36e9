"""What each style demands, as its own manual prints it, from the records of a small library."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.csl.format import Cite, format_citations
from citeloom.csl.styles import find_style

RECORDS: list[dict[str, Any]] = [
    {
        "id": "hartmann2019",
        "type": "article-journal",
        "title": "Reading in the dark: a study of night shifts",
        "author": [{"family": "Hartmann", "given": "Anna Maria"}, {"family": "von Neumann", "given": "Karl"}],
        "issued": {"date-parts": [[2019, 3]]},
        "container-title": "Journal of Sleep",
        "volume": 12,
        "issue": "3",
        "page": "321-328",
        "DOI": "https://doi.org/10.1000/js.2019.7",
        "URL": "https://dx.doi.org/10.1000/js.2019.7",
    },
    {
        "id": "okafor2021",
        "type": "book",
        "title": "Rivers and cities",
        "edition": "2nd ed.",
        "author": [{"family": "Okafor", "given": "Chidi", "suffix": "Jr."}],
        "issued": {"date-parts": [["2021"]]},
        "publisher": "Lagos University Press",
        "publisher-place": "Lagos",
    },
    {
        "id": "silva2010",
        "type": "chapter",
        "title": "The harbour",
        "container-title": "Towns by the sea",
        "author": [{"family": "da Silva", "given": "João"}],
        "editor": [{"family": "Brown", "given": "Kim"}, {"family": "Green", "given": "Lee"}],
        "issued": {"date-parts": [[2010]]},
        "page": "45-67",
        "publisher": "Oak Press",
        "publisher-place": "London",
    },
    {
        "id": "who",
        "type": "report",
        "title": "World report on hearing",
        "author": [{"literal": "World Health Organization"}],
        "publisher": "WHO",
        "publisher-place": "Geneva",
    },
    {
        "id": "adams2015",
        "type": "article-journal",
        "title": "Many hands",
        "container-title": "Nature of Work",
        "volume": "4",
        "page": "12",
        "author": [{"family": f, "given": "A."} for f in ("Adams", "Baker", "Clark", "Diaz", "Evans", "Fox", "Gray")],
        "issued": {"date-parts": [[2015]]},
    },
    {
        "id": "atlas1999",
        "type": "book",
        "title": "Atlas of winds",
        "issued": {"date-parts": [[1999]]},
        "publisher": "Sky House",
        "publisher-place": "Oslo",
    },
    {
        "id": "lee1888",
        "type": "book",
        "title": "Collected letters",
        "editor": [{"family": "Lee", "given": "Mei"}],
        "issued": {"date-parts": [[1888]]},
        "publisher": "Sky House",
        "publisher-place": "Oslo",
    },
]
ALL = [Cite(record["id"]) for record in RECORDS]

# For each style: language, "[@hartmann2019, p. 33]", "@hartmann2019 [pp. 33-35]", all works at once, the bibliography.
EXPECTED: dict[str, tuple[str | None, str, str, str, list[str]]] = {
    "apa": (
        None,
        "(Hartmann & von Neumann, 2019, p. 33)",
        "Hartmann and von Neumann (2019, pp. 33–35)",
        "(Adams et al., 2015; *Atlas of Winds*, 1999; da Silva, 2010; Hartmann & von Neumann, 2019; Lee, 1888; "
        "Okafor, 2021; World Health Organization, n.d.)",
        [
            "Adams, A., Baker, A., Clark, A., Diaz, A., Evans, A., Fox, A., & Gray, A. (2015). Many hands. "
            "*Nature of Work*, *4*, 12.",
            "*Atlas of winds*. (1999). Sky House.",
            "da Silva, J. (2010). The harbour. In K. Brown & L. Green (Eds.), *Towns by the sea* (pp. 45–67). "
            "Oak Press.",
            "Hartmann, A. M., & von Neumann, K. (2019). Reading in the dark: a study of night shifts. "
            "*Journal of Sleep*, *12*(3), 321–328. <https://doi.org/10.1000/js.2019.7>",
            "Lee, M. (Ed.). (1888). *Collected letters*. Sky House.",
            "Okafor, C., Jr. (2021). *Rivers and cities* (2nd ed.). Lagos University Press.",
            "World Health Organization. (n.d.). *World report on hearing*. WHO.",
        ],
    ),
    "chicago-author-date": (
        None,
        "(Hartmann and von Neumann 2019, 33)",
        "Hartmann and von Neumann (2019, 33–35)",
        "(Hartmann and von Neumann 2019; Okafor 2021; da Silva 2010; World Health Organization, n.d.; "
        "Adams et al. 2015; *Atlas of Winds* 1999; Lee 1888)",
        [
            "Adams, A., A. Baker, A. Clark, et al. 2015. “Many Hands.” *Nature of Work* 4: 12.",
            "*Atlas of Winds*. 1999. Sky House.",
            "Hartmann, Anna Maria, and Karl von Neumann. 2019. “Reading in the Dark: A Study of Night Shifts.” "
            "*Journal of Sleep* 12 (3): 321–28. <https://doi.org/10.1000/js.2019.7>.",
            "Lee, Mei, ed. 1888. *Collected Letters*. Sky House.",
            "Okafor, Chidi, Jr. 2021. *Rivers and Cities*. 2nd ed. Lagos University Press.",
            "Silva, João da. 2010. “The Harbour.” In *Towns by the Sea*, edited by Kim Brown and Lee Green. Oak Press.",
            "World Health Organization. n.d. *World Report on Hearing*. WHO.",
        ],
    ),
    "modern-language-association": (
        None,
        "(Hartmann and von Neumann 33)",
        "Hartmann and von Neumann (33–35)",
        "(Hartmann and von Neumann; Okafor; da Silva; World Health Organization; Adams et al.; *Atlas of Winds*; Lee)",
        [
            "Adams, A., et al. “Many Hands.” *Nature of Work*, vol. 4, 2015, p. 12.",
            "*Atlas of Winds*. Sky House, 1999.",
            "da Silva, João. “The Harbour.” *Towns by the Sea*, edited by Kim Brown and Lee Green, Oak Press, 2010, "
            "pp. 45–67.",
            "Hartmann, Anna Maria, and Karl von Neumann. “Reading in the Dark: A Study of Night Shifts.” "
            "*Journal of Sleep*, vol. 12, no. 3, Mar. 2019, pp. 321–28, <https://doi.org/10.1000/js.2019.7>.",
            "Lee, Mei, editor. *Collected Letters*. Sky House, 1888.",
            "Okafor, Chidi, Jr. *Rivers and Cities*. 2nd ed., Lagos University Press, 2021.",
            "World Health Organization. *World Report on Hearing*. WHO.",
        ],
    ),
    "ieee": (
        None,
        r"\[1, p. 33\]",
        r"Hartmann and von Neumann \[1, pp. 33–35\]",
        r"\[1\], \[2\], \[3\], \[4\], \[5\], \[6\], \[7\]",
        [
            r"\[1\] A. M. Hartmann and K. von Neumann, “Reading in the dark: a study of night shifts,” "
            "*Journal of Sleep*, vol. 12, no. 3, pp. 321–328, Mar. 2019, "
            "doi: [10.1000/js.2019.7](https://doi.org/10.1000/js.2019.7).",
            r"\[2\] C. Okafor Jr., *Rivers and cities*, 2nd ed. Lagos: Lagos University Press, 2021.",
            r"\[3\] J. da Silva, “The harbour,” in *Towns by the sea*, K. Brown and L. Green, Eds., London: Oak Press, "
            "2010, pp. 45–67.",
            r"\[4\] World Health Organization, “World report on hearing,” WHO, Geneva.",
            r"\[5\] A. Adams *et al.*, “Many hands,” *Nature of Work*, vol. 4, p. 12, 2015.",
            r"\[6\] *Atlas of winds*. Oslo: Sky House, 1999.",
            r"\[7\] M. Lee, Ed., *Collected letters*. Oslo: Sky House, 1888.",
        ],
    ),
    "nature": (
        None,
        "^1^",
        "Hartmann and von Neumann^1^",
        "^1–7^",
        [
            r"1\. Hartmann, A. M. & von Neumann, K. Reading in the dark: a study of night shifts. *Journal of Sleep* "
            "**12**, 321–328 (2019).",
            r"2\. Okafor, C., Jr. *Rivers and Cities*. (Lagos University Press, Lagos, 2021).",
            r"3\. da Silva, J. The harbour. in *Towns by the sea* (eds Brown, K. & Green, L.) 45–67 "
            "(Oak Press, London, 2010).",
            r"4\. World Health Organization. *World Report on Hearing*.",
            r"5\. Adams, A. *et al.* Many hands. *Nature of Work* **4**, 12 (2015).",
            r"6\. *Atlas of Winds*. (Sky House, Oslo, 1999).",
            r"7\. *Collected Letters*. (Sky House, Oslo, 1888).",
        ],
    ),
    "vancouver": (
        None,
        "(1)",
        "Hartmann and von Neumann (1)",
        "(1–7)",
        [
            r"1\. Hartmann AM, von Neumann K. Reading in the dark: a study of night shifts. Journal of Sleep. "
            "2019 Mar;12(3):321–8. doi:[10.1000/js.2019.7](https://doi.org/10.1000/js.2019.7)",
            r"2\. Okafor C Jr. Rivers and cities. 2nd ed. Lagos: Lagos University Press; 2021.",
            r"3\. da Silva J. The harbour. In: Brown K, Green L, editors. Towns by the sea. London: Oak Press; 2010. "
            "p. 45–67.",
            r"4\. World Health Organization. World report on hearing. Geneva: WHO.",
            r"5\. Adams A, Baker A, Clark A, Diaz A, Evans A, Fox A, et al. Many hands. Nature of Work. 2015;4:12.",
            r"6\. Atlas of winds. Oslo: Sky House; 1999.",
            r"7\. Lee M, editor. Collected letters. Oslo: Sky House; 1888.",
        ],
    ),
    "harvard-cite-them-right": (
        "en-GB",
        "(Hartmann and von Neumann, 2019, p. 33)",
        "Hartmann and von Neumann (2019, pp. 33–35)",
        "(Lee, 1888; *Atlas of winds*, 1999; da Silva, 2010; Adams *et al.*, 2015; Hartmann and von Neumann, 2019; "
        "Okafor, 2021; World Health Organization, no date)",
        [
            "Adams, A. *et al.* (2015) ‘Many hands’, *Nature of Work*, 4, p. 12.",
            "*Atlas of winds* (1999). Oslo: Sky House.",
            "Hartmann, A.M. and von Neumann, K. (2019) ‘Reading in the dark: a study of night shifts’, "
            "*Journal of Sleep*, 12(3), pp. 321–328. Available at: <https://doi.org/10.1000/js.2019.7>.",
            "Lee, M. (ed.) (1888) *Collected letters*. Oslo: Sky House.",
            "Okafor, C., Jr. (2021) *Rivers and cities*. 2nd edn. Lagos: Lagos University Press.",
            "da Silva, J. (2010) ‘The harbour’, in K. Brown and L. Green (eds) *Towns by the sea*. London: Oak Press, "
            "pp. 45–67.",
            "World Health Organization (no date) *World report on hearing*. Geneva: WHO.",
        ],
    ),
    "din-1505-2": (
        None,
        "([Hartmann]{.smallcaps} & [von Neumann]{.smallcaps}, 2019, S. 33)",
        "[Hartmann]{.smallcaps} und [von Neumann]{.smallcaps} (2019, S. 33–35)",
        "([Adams]{.smallcaps} u. a., 2015; [Hartmann]{.smallcaps} & [von Neumann]{.smallcaps}, 2019; "
        "[Okafor]{.smallcaps}, 2021; [da Silva]{.smallcaps}, 2010; [World Health Organization]{.smallcaps}; "
        "[Lee]{.smallcaps}, 1888; *Atlas of winds*, 1999)",
        [
            "[Adams, A.]{.smallcaps} ; [Baker, A.]{.smallcaps} ; [Clark, A.]{.smallcaps} ; [Diaz, A.]{.smallcaps} ; "
            "[Evans, A.]{.smallcaps} ; [Fox, A.]{.smallcaps} ; [Gray, A.]{.smallcaps}: Many hands. In: "
            "*Nature of Work* Bd. 4 (2015), S. 12",
            "[Hartmann, Anna Maria]{.smallcaps} ; [von Neumann, Karl]{.smallcaps}: Reading in the dark: a study of "
            "night shifts. In: *Journal of Sleep* Bd. 12 (2019), Nr. 3, S. 321–328",
            "[Okafor, Chidi, Jr.]{.smallcaps}: *Rivers and cities*. 2. Aufl. Lagos : Lagos University Press, 2021",
            "[da Silva, João]{.smallcaps}: The harbour. In: [Brown, K.]{.smallcaps} ; [Green, L.]{.smallcaps} (Hrsg.): "
            "*Towns by the sea*. London : Oak Press, 2010, S. 45–67",
            "[World Health Organization]{.smallcaps}: *World report on hearing*. Geneva : WHO",
            "[Lee, M.]{.smallcaps} (Hrsg.): *Collected letters*. Oslo : Sky House, 1888",
            "*Atlas of winds*. Oslo : Sky House, 1999",
        ],
    ),
}


@pytest.mark.parametrize("style", EXPECTED)
def test_a_style_comes_out_as_it_is_printed(style: str) -> None:
    locale, cited, in_text, together, bibliography = EXPECTED[style]
    groups = [[Cite("hartmann2019", "33")], [Cite("hartmann2019", "33-35", in_text=True)], ALL]
    made = format_citations(RECORDS, groups, find_style(style), locale=locale, markup="markdown")
    assert [_plain_spaces(text) for text in made.citations] == [cited, in_text, together]
    assert [_plain_spaces(text) for text in made.bibliography] == bibliography


def _plain_spaces(text: str) -> str:
    return text.replace("\u00a0", " ")  # German puts hard ones after S. and u., which no reader sees
