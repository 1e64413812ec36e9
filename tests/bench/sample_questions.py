"""Questions about the sample library whose answers are known: kind, question, citekey, and words of the passage.

Where no words are given, any passage of the work answers. Foreign questions have no answer in the library.
"""

from __future__ import annotations

ADEYEMI = "adeyemiPrestigeCuesPeer2020"
DELGADO = "delgadoLowPowerInflated2016"
HARTMANN = "hartmannQuotationErrorsScholarly2019"
NAKAMURA = "nakamuraStreetTreesNocturnal2022"
OKAFOR = "okaforSleepSpindleDensity2021"
SORENSEN = "sorensenArtificialLightStopover2023"
TAMATOA = "tamatoaStaggeredRecoveryShallow2020"
VENTURI = "venturiPepperPledgesInterest2017"
WEISSENBORN = "weissenbornProvenienzUndPertinenz2015"

KNOWN: tuple[tuple[str, str, str, str], ...] = (
    ("paraphrase", "what share of copied citations had altered words", HARTMANN, "14.2 per cent differed"),
    ("paraphrase", "why do people cite the neighbouring page by mistake", HARTMANN, "off by exactly one"),
    ("paraphrase", "are quotes taken second-hand less reliable", HARTMANN, "route of transmission"),
    (
        "paraphrase",
        "do publishers still employ people who verify sources",
        HARTMANN,
        "no longer pay for source checking",
    ),
    ("paraphrase", "does a famous university get kinder referees", ADEYEMI, "48 per cent"),
    ("paraphrase", "is prestige only decisive for mediocre submissions", ADEYEMI, "tie-breaker"),
    (
        "paraphrase",
        "how was the identity of the writers hidden from referees",
        ADEYEMI,
        "title page, the acknowledgements",
    ),
    ("paraphrase", "chance of finding a moderate effect in outdoor trials", DELGADO, "12 per cent for"),
    ("paraphrase", "small studies overestimate what they find", DELGADO, "2.4 times as large"),
    (
        "paraphrase",
        "how did ecologists decide how many plots to use",
        DELGADO,
        "how the number of replicates had been chosen",
    ),
    ("paraphrase", "do leaves keep the air hot after dark in tight alleys", NAKAMURA, "narrow streets"),
    (
        "paraphrase",
        "effect of irrigating roadside plants on evening coolness",
        NAKAMURA,
        "Watering raised soil moisture",
    ),
    ("paraphrase", "where were the thermometers mounted", NAKAMURA, "lamp post"),
    ("paraphrase", "brain waves in the elderly and remembering vocabulary", OKAFOR, "spindle density"),
    ("paraphrase", "who was left out of the overnight study", OKAFOR, "Seven were excluded"),
    ("paraphrase", "how were the bursts found in the recordings", OKAFOR, "detected automatically"),
    ("paraphrase", "do town lamps lure travelling birds at night", SORENSEN, "light"),
    ("paraphrase", "young birds suffer more from illumination than old ones", SORENSEN, "First-year birds"),
    ("paraphrase", "turning off harbour lights reduced how many birds were seen", SORENSEN, "43 thrushes"),
    ("paraphrase", "minimum number of plant-eating fish for a reef to heal", TAMATOA, "threshold"),
    ("paraphrase", "why did the shallow part not come back", TAMATOA, "rubble"),
    ("paraphrase", "which kinds of coral died most in the heat", TAMATOA, "89 percent of its cover"),
    ("paraphrase", "a merchant hid lending at interest as trade in spices", VENTURI, "pepper"),
    ("paraphrase", "cloaks used as collateral that may not have existed", VENTURI, "Irish serge"),
    ("paraphrase", "the bookkeeping fooled the silent partners", VENTURI, "four partners"),
    ("paraphrase", "warum ordneten Laien nach Themen statt nach Herkunft", WEISSENBORN, "Pertinenz"),
    ("paraphrase", "wie viel Zeit brauchte man für einen Regalmeter", WEISSENBORN, "21 Stunden je laufenden Meter"),
    ("phrase", "a disputed quotation can be settled by walking to the shelf", HARTMANN, "walking to the shelf"),
    ("phrase", '"silent omission of one or two words"', HARTMANN, "silent omission"),
    ("phrase", '"the toss"', ADEYEMI, "by the toss"),
    ("phrase", "the visible address replaced part of the reading", ADEYEMI, "visible address replaced"),
    ("phrase", '"not a test tube but a pond"', DELGADO, "not a test tube but a pond"),
    ("phrase", "the crown forms a lid which hinders the street", NAKAMURA, "forms a lid"),
    ("phrase", '"ladder – vinegar"', OKAFOR, "vinegar"),
    ("phrase", "its floodlights burned from habit", SORENSEN, "burned from habit"),
    ("phrase", '"a ring of crowded woodland"', SORENSEN, "ring of crowded woodland"),
    ("phrase", "A bleached coral is not dead", TAMATOA, "bleached coral is not dead"),
    ("phrase", '"for the courtesy of the term"', VENTURI, "courtesy of the term"),
    ("phrase", "here begin our troubles", VENTURI, "here begin our troubles"),
    ("phrase", '"unter dem Schutt der Rathausstraße"', WEISSENBORN, "Schutt der Rathausstraße"),
    ("citekey", HARTMANN, HARTMANN, ""),
    ("citekey", f"@{OKAFOR}", OKAFOR, ""),
    ("citekey", f"what does {TAMATOA} say about fish", TAMATOA, ""),
    ("citekey", VENTURI, VENTURI, ""),
    ("author and year", "hartmann2019", HARTMANN, ""),
    ("author and year", "Okafor 2021 sampling", OKAFOR, ""),
    ("author and year", "Sørensen & Achterberg (2023)", SORENSEN, ""),
    ("author and year", "sorensen 2023 age of birds", SORENSEN, "First-year birds"),
    ("author and year", "Delgado et al. 2016", DELGADO, ""),
    ("author and year", "What did Kaur write in 2020?", ADEYEMI, ""),
    ("author", "Nakamura", NAKAMURA, ""),
    ("author", "Hartmann and Osei", HARTMANN, ""),
    ("author", "Weissenborn, Jürgen", WEISSENBORN, ""),
    ("title", "Street Trees and Nocturnal Heat in Three Mid-Sized Cities", NAKAMURA, ""),
    ("title", "quotation errors in scholarly monographs", HARTMANN, ""),
    ("title", "Low Power and Inflated Effects", DELGADO, ""),
    ("title", "prestige cues in peer review: a field experiment with masked affiliations", ADEYEMI, ""),
    ("section", "switch-off experiment", SORENSEN, "harbour authority"),
    ("section", "watering experiment", NAKAMURA, "Santa Rufina"),
    ("section", "fish surveys", TAMATOA, "parrotfish"),
    ("section", "the pepper account", VENTURI, "reckoned in lire"),
    ("section", "Der Verlust der Registraturen", WEISSENBORN, "Aktenverzeichnisse"),
)

FOREIGN: tuple[str, ...] = (
    "superconducting qubits with long coherence times",
    "how to bake sourdough bread at home",
    "monetary policy of the European Central Bank after 2008",
    "CRISPR editing of wheat against powdery mildew",
    "the offside rule in association football",
    "visa requirements for students from Brazil",
    "transformer language models and attention heads",
    "asdf qwer zxcv",
    "orbital mechanics of Jupiter's moons",
    "treatment of type 2 diabetes with metformin",
    "Beethoven's late string quartets",
    "reinforced concrete beams under shear load",
)
