"""Parsing of language fields ("en-US", "Deutsch", "ger; eng") into tags and Tesseract's data names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.core.text.normalize import fold_case

# Tesseract's data name, the tag, then other codes and names. The names are English, German and native ones, for common
# languages French as well, because library catalogues and translators write these into a language field.
_TABLE = """
eng en english englisch anglais inglés inglese
deu de ger german deutsch allemand alemán tedesco
fra fr fre french französisch français francais
spa es spanish spanisch español espanol castellano espagnol
ita it italian italienisch italiano italien
por pt portuguese portugiesisch português portugues portugais
nld nl dut dutch flemish niederländisch holländisch nederlands vlaams néerlandais
rus ru russian russisch русский russe
ukr uk ukrainian ukrainisch українська
pol pl polish polnisch polski polonais
ces cs cz cze czech tschechisch čeština český cesky
slk sk slo slovak slowakisch slovenčina slovenský
slv sl slovene slovenian slowenisch slovenščina slovenski
hrv hr croatian kroatisch hrvatski
srp sr serbian serbisch српски
srp_latn sr-Latn srpski
bos bs bosnian bosnisch bosanski
mkd mk mac macedonian mazedonisch македонски
bul bg bulgarian bulgarisch български
ron ro rum romanian rumänisch română romana
hun hu hungarian ungarisch magyar
ell el gre greek griechisch neugriechisch ελληνικά grec
grc grc altgriechisch
lat la latin latein lateinisch latina
tur tr turkish türkisch türkçe turc
swe sv swedish schwedisch svenska suédois
dan da danish dänisch dansk danois
nor no nb nn nob nno norwegian norwegisch norsk bokmål nynorsk norvégien
isl is ice icelandic isländisch íslenska
fao fo faroese färöisch føroyskt
fin fi finnish finnisch suomi
est et estonian estnisch eesti
lav lv latvian lettisch latviešu
lit lt lithuanian litauisch lietuvių
cat ca catalan katalanisch català
glg gl galician galicisch galego
eus eu baq basque baskisch euskara
oci oc occitan okzitanisch
bre br breton bretonisch brezhoneg
cos co corsican korsisch corsu
gle ga irish irisch gaeilge
gla gd gälisch gàidhlig
cym cy wel welsh walisisch cymraeg
ltz lb luxembourgish luxemburgisch lëtzebuergesch
fry fy frisian westfriesisch frysk
afr af afrikaans
sqi sq alb albanian albanisch shqip
mlt mt maltese maltesisch malti
epo eo esperanto
bel be belarusian weißrussisch belarussisch беларуская
yid yi jiddisch yiddish ייִדיש
heb he iw hebrew hebräisch עברית hébreu
ara ar arabic arabisch العربية arabe
fas fa per persian farsi persisch فارسی
pus ps pashto paschtu پښتو
kmr ku kurdish kurdisch kurmanji kurdî
urd ur urdu اردو
hin hi hindi हिन्दी
ben bn bengali bengalisch বাংলা
mar mr marathi मराठी
nep ne nepali nepalesisch नेपाली
san sa sanskrit संस्कृतम्
guj gu gujarati ગુજરાતી
pan pa punjabi panjabi ਪੰਜਾਬੀ
asm as assamese অসমীয়া
ori or oriya odia ଓଡ଼ିଆ
tam ta tamil தமிழ்
tel te telugu తెలుగు
kan kn kannada ಕನ್ನಡ
mal ml malayalam മലയാളം
sin si sinhala singhalesisch සිංහල
snd sd sindhi سنڌي
bod bo tib tibetan tibetisch བོད་སྐད་
dzo dz dzongkha
mya my bur burmese birmanisch မြန်မာ
tha th thai thailändisch ไทย
lao lo laotisch ລາວ
khm km khmer ខ្មែរ
vie vi vietnamese vietnamesisch việt
ind id indonesian indonesisch indonesia
msa ms may malay malaiisch melayu
jav jv javanese javanisch jawa
sun su sundanese sundanesisch
fil fil tl tagalog filipino
ceb ceb cebuano
mri mi mao maori māori
ton to tongan
chi_sim zh-Hans zh chi zho cmn cn chinese chinesisch mandarin 中文 汉语 简体中文 chinois
chi_tra zh-Hant yue cantonese 漢語 繁體中文 正體中文
jpn ja jp japanese japanisch 日本語 japonais
kor ko korean koreanisch 한국어 coréen
mon mn mongolian mongolisch монгол
tat tt tatar tatarisch татар
kaz kk kazakh kasachisch қазақ
kir ky kyrgyz kirgisisch кыргызча
uzb uz uzbek usbekisch
uzb_cyrl uz-Cyrl
tgk tg tajik tadschikisch тоҷикӣ
aze az azerbaijani aserbaidschanisch azərbaycan
aze_cyrl az-Cyrl
uig ug uyghur uigurisch
kat ka geo georgian georgisch ქართული
hye hy arm armenian armenisch հայերեն
syr syr syriac syrisch
amh am amharic amharisch አማርኛ
tir ti tigrinya
swa sw swahili suaheli kiswahili
yor yo yoruba
hat ht haitian haitianisch
que qu quechua
chr chr cherokee
iku iu inuktitut
div dv dhivehi
enm enm
frm frm
frk de-Latf deu_latf fraktur frakturschrift
"""
# Tags whose region or script selects other language data.
_VARIANTS = {
    "zh": dict.fromkeys(("hant", "tw", "hk", "mo", "traditional"), "zh-Hant"),
    "sr": {"latn": "sr-Latn"},
    "uz": {"cyrl": "uz-Cyrl"},
    "az": {"cyrl": "az-Cyrl"},
    "de": {"latf": "de-Latf"},
    "el": {"ancient": "grc"},
}
# English names of languages whose row above does not begin with one.
_ENGLISH = {
    "sr-Latn": "Serbian (Latin)", "grc": "Greek (ancient)", "gd": "Scottish Gaelic", "yi": "Yiddish", "lo": "Lao",
    "zh-Hans": "Chinese (simplified)", "zh-Hant": "Chinese (traditional)", "uz-Cyrl": "Uzbek (Cyrillic)",
    "az-Cyrl": "Azerbaijani (Cyrillic)", "enm": "English (Middle)", "frm": "French (Middle)",
    "de-Latf": "German (Fraktur)",
}  # fmt: skip
# Data names that Tesseract changed between releases.
OTHER_NAMES = {"frk": "deu_latf"}
# Catalogue codes for "several", "none" and "unknown": no language, and no reason to warn.
_NO_LANGUAGE = {"und", "mul", "mis", "zxx", "multiple", "unknown"}
_BETWEEN = re.compile(r"[;,/|&+\n]|\s(?:and|und|et|y|e)\s")
_WORD = re.compile(r"[^\s()\[\]{}<>.:_\"'-]+")
_ROWS = [row.split() for row in _TABLE.strip().splitlines()]
_TAGS = {fold_case(name): row[1] for row in _ROWS for name in row}  # by code or name
_DATA = {row[1]: row[0] for row in _ROWS}  # Tesseract's data name by tag
_MIN_NAME_LENGTH = 4  # letters; a shorter word inside a phrase is hardly a language ("text in German")


@dataclass(frozen=True, slots=True)
class ParsedLanguages:
    """Result of parsing a language field."""

    tags: list[str]  # in the order of the field
    unknown: list[str]  # parts that name no known language


@dataclass(frozen=True, slots=True)
class Language:
    """A language that OCR can read."""

    code: str  # tag, as in the settings
    name: str  # in English
    data: frozenset[str]  # possible names of its Tesseract data


def known_languages() -> list[Language]:
    """Return all languages, sorted by English name."""
    found = []
    for data, tag, *others in _ROWS:
        name = _ENGLISH.get(tag) or next(word for word in others if len(word) >= _MIN_NAME_LENGTH).capitalize()
        found.append(Language(tag, name, frozenset({data, OTHER_NAMES.get(data, data)})))
    return sorted(found, key=lambda language: language.name)


def language_tags(text: str) -> list[str]:
    """Return the tags of a language field, such as ["de", "en"] for "Deutsch; English (US)"."""
    return parse_languages(text).tags


def tesseract_name(tag: str) -> str:
    """Return Tesseract's data name of a language, such as deu for de."""
    return _DATA.get(tag, tag)


def unknown_language_warning(part: str) -> str:
    """Return the warning for an unknown language name."""
    return f"{part[:40]!r} is not a language that OCR can read; it was left out."


def parse_languages(text: str) -> ParsedLanguages:
    """Parse a language field."""
    result = ParsedLanguages([], [])
    whole = fold_case(text).strip()
    for part in [whole] if whole in _TAGS else _BETWEEN.split(whole):
        words = [part] if part in _TAGS else _WORD.findall(part)
        tags = _tags(words)
        result.tags.extend(tag for tag in tags if tag not in result.tags)
        if words and not tags and words[0] not in _NO_LANGUAGE:
            result.unknown.append(part.strip())
    return result


def _tags(words: list[str]) -> list[str]:
    """Return the languages of "en us" or "text in german": by names at any position, else by a code at the start."""
    names = [word for word in words if len(word) >= _MIN_NAME_LENGTH and word in _TAGS]
    found = names or [word for word in words[:1] if word in _TAGS]
    return list(dict.fromkeys(_with_variant(word, words) for word in found))


def _with_variant(name: str, words: list[str]) -> str:
    """Return the tag of a language, with the region or script that the words beside its name specify."""
    tag = _TAGS[name]
    variants = _VARIANTS.get(tag.split("-")[0], {})
    return next((variants[word] for word in words if word in variants), tag)
