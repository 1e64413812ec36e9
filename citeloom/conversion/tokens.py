"""Token counts by the tokenizer of the embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from citeloom.core.errors import CiteLoomError, Code


class TokenCounter:
    """Counts the tokens of texts, special tokens included."""

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

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
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
