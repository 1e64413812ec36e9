"""Token counts by the tokenizer of the embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer, normalizers, pre_tokenizers

from citeloom.core.errors import CiteLoomError, Code

_MAX_KNOWN_WORDS = 50_000


class TokenCounter:
    """Counts the tokens of texts, special tokens included.

    A tokenizer of BERT's kind cuts at every space first, so that the tokens of a text are those of its words: each word
    is then counted once. Other tokenizers count whole texts.
    """

    def __init__(self, tokenizer_file: Path) -> None:
        try:
            self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        except Exception as error:  # tokenizers raises bare Exception
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE,
                f"The tokenizer {Path(tokenizer_file).name} cannot be loaded: {error}.",
                "Reinstall CiteLoom or choose another embedding model.",
                path=str(tokenizer_file),
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = len(self._tokenizer.encode("").ids)  # tokens that every text gets
        self._known: dict[str, int] = {"": 0}  # tokens of a word, without these
        self._by_word = isinstance(self._tokenizer.pre_tokenizer, pre_tokenizers.BertPreTokenizer) and isinstance(
            self._tokenizer.normalizer, normalizers.BertNormalizer
        )

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        if not self._by_word:
            return self._count(texts)
        special = self._special
        if len(self._known) > _MAX_KNOWN_WORDS:
            self._known = {"": 0}
        by_text = [text.replace("\n", " ").split(" ") for text in texts]
        new = [word for word in set().union(*by_text) if word not in self._known]
        self._known.update(zip(new, (count - special for count in self._count(new)), strict=True))
        return [special + sum(map(self._known.__getitem__, words)) for words in by_text]

    def _count(self, texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(texts), 1000):
            batch = list(texts[start : start + 1000])
            counts.extend(len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(batch))
        return counts


def vocabulary(tokenizer_file: Path) -> frozenset[str]:
    """Return the whole words in a tokenizer's vocabulary, in lower case."""
    tokens = Tokenizer.from_file(str(tokenizer_file)).get_vocab()
    return frozenset(token.casefold() for token in tokens if token.isalpha())


def estimate_tokens(texts: Sequence[str]) -> list[int]:
    """Estimate token counts without a tokenizer: one per three characters, plus two."""
    return [(len(text) + 2) // 3 + 2 for text in texts]
