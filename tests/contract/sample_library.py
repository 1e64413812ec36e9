"""What the tests know of the sample library."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from tests.support import SAMPLE

PROJECT = "sample/library"
HARTMANN = "hartmannQuotationErrorsScholarly2019"
NOTES = "ReadingNotesHow"  # the Markdown file that is in no record
COVERED = {"documents": 10, "searchable": 10, "by_meaning": 10, "pending": 0, "failed": 0, "without_file": 0}
RECORDS = {record["id"]: record for record in json.loads((SAMPLE / "library.json").read_text(encoding="utf-8"))}
PAGE_TURNING = [  # question, citekey, printed pages, PDF pages
    ("how often was the cited page off by exactly one", HARTMANN, ["256"], [4, 4]),
    (
        "how many grams of grazers per square meter does reef recovery need",
        "tamatoaStaggeredRecoveryShallow2020",
        ["403"],
        [3, 3],
    ),
    (
        "Why could the Datoli company not recover its loans in court",
        "venturiPepperPledgesInterest2017",
        ["70", "71"],
        [4, 5],
    ),
    (
        "height-to-width ratio street trees warm nights",
        "nakamuraStreetTreesNocturnal2022",
        ["1046", "1047"],
        [2, 3],
    ),
]
QUESTIONS = [
    *(question for question, *_ in PAGE_TURNING),
    "how often did reviewers guess the institution of a masked manuscript",
    "median power to detect a medium effect",
    "sleep spindles and the retention of word pairs",
    "where do migrating thrushes come down near lit towns",
    "Provenienzprinzip in kleinen Stadtarchiven",
    "borrowed diligence",
]

Hit = dict[str, Any]


def squeezed(text: str) -> str:
    """Letters and digits alone: line ends, hyphens and ligatures differ between a PDF and its passages."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).casefold()
