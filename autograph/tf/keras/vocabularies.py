"""Layers from words to numbers and back: `StringLookup`, `IntegerLookup`, `TextVectorization`.

Their vocabulary is known while tracing: it is given, or counted by `adapt`. The numbers are Keras':
0 for padding where there is a mask token, then those of words that are not known, then the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import runtime.numpy as rnp
from autograph.tf import elementwise, ragged_functions, shaping, strings
from autograph.tf.debugging import need
from autograph.tf.keras.encodings import MODES, encoded
from autograph.tf.keras.layer import Layer
from autograph.tf.lookup import Keys
from autograph.tf.ragged_making import from_tensor
from autograph.tf.ragged_tensor import RaggedTensor
from autograph.tf.tensors import as_result, convert_to_tensor
from runtime.dtypes import is_string

__all__ = ["IntegerLookup", "StringLookup", "TextVectorization"]
FORMER = {"binary": "multi_hot", "tf-idf": "tf_idf"}
"""What modes were called before Keras 2.6."""
PUNCTUATION = r"""[!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~']"""


class _Vocabulary(Layer):
    """What numbers words by a vocabulary.

    Args:
        max_tokens: how many numbers there are at most, those of no word included.
        num_oov_indices: how many numbers there are for words that are not known; with 0 one is
            an error.
        mask_token: the word whose number is 0, for padding; None for none.
        oov_token: the word for those that are not known.
        vocabulary: the words, or a text file with one on each line; else `adapt` counts them.
        idf_weights: the weight of each word, for `output_mode="tf_idf"`.
        invert: whether numbers become words.
        output_mode: "int", or what is told of each sample: "multi_hot", "one_hot", "count",
            "tf_idf".
        pad_to_max_tokens: whether what is told of a sample has `max_tokens` places.
        options: of `Layer`.
    """

    kind: Any = str

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: Any = None,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        **options: Any,
    ) -> None:
        options.pop("vocabulary_dtype", None)
        options.pop("encoding", None)
        super().__init__(**options)
        output_mode = FORMER.get(output_mode, output_mode)
        if output_mode not in MODES:
            raise ValueError(f"output_mode of {self.name!r} is one of {MODES}, not {output_mode!r}")
        if invert and output_mode != "int":
            raise ValueError(f"{self.name!r} inverts numbers only: output_mode='int'")
        self.max_tokens, self.output_mode, self.invert = max_tokens, output_mode, invert
        self.pad_to_max_tokens, self.num_oov_indices = pad_to_max_tokens, num_oov_indices
        self.mask_token = mask_token if output_mode == "int" else None
        self.oov_token = oov_token
        self._words: list[Any] = []
        self._keys = Keys(np.asarray([], object) if self.kind is not int else np.zeros(0, np.int64))
        self._weights: Any = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Take the most frequent words of data as the vocabulary.

        Args:
            data: a tensor, array or list of them, or a dataset of such.
            batch_size, steps: are Keras', and not used.
        """
        counts: Counter[Any] = Counter()
        documents: Counter[Any] = Counter()
        number = 0
        for sample in self._samples(data):
            number += 1
            counts.update(sample)
            documents.update(set(sample))
        for token in (self.mask_token, self.oov_token):
            counts.pop(token, None)
        order = sorted(counts, reverse=True)
        words = sorted(order, key=lambda word: -counts[word])[: self._room()]
        weights = [float(np.log(1 + number / (1 + documents[word]))) for word in words]
        self.set_vocabulary(words, weights if self.output_mode == "tf_idf" else None)

    def _room(self) -> int | None:
        return None if self.max_tokens is None else self.max_tokens - self._first

    def _samples(self, data: Any) -> Iterator[list[Any]]:
        """Yield the words of each sample."""
        is_one = hasattr(data, "shape") or isinstance(data, list | tuple)
        for batch in [data] if is_one else data:
            found = batch if isinstance(batch, RaggedTensor) else convert_to_tensor(batch)
            if not len(found.shape):
                found = shaping.reshape(found, (1,))
            rows = self.tokens_of(found)
            yield from ([_plain(x) for x in np.asarray(row.array).ravel()] for row in rows)

    def tokens_of(self, inputs: Any) -> Any:
        """Return the words of each sample."""
        return inputs

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Set the words, without or with those of padding and of what is not known in front.

        Args:
            vocabulary: a list or array of them, or a text file with one on each line.
            idf_weights: the weight of each, for `output_mode="tf_idf"`.

        Raises:
            ValueError: a word occurs twice, or there are too many.
        """
        words = list(map(_plain, _words_of(vocabulary)))
        front = self._front()
        if words[: len(front)] == front:
            words = words[len(front) :]
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError(f"{self.name!r} (tf_idf) takes idf_weights with a vocabulary")
        room = self._room()
        if room is not None and len(words) > room:
            raise ValueError(f"{self.name!r} has room for {room} words, and is given {len(words)}")
        self._keys = Keys(words) if words else self._keys
        self._words = words
        args, options = self.__given__
        self.__given__ = args, {**options, "vocabulary": words}
        if idf_weights is not None:
            weights = np.asarray(idf_weights, np.float32)
            others = np.full(self._first, weights.mean() if len(weights) else 0, np.float32)
            self._weights = np.concatenate([others, weights[-len(words) :]])
            self.__given__[1]["idf_weights"] = weights.tolist()

    @property
    def _first(self) -> int:
        """The number of the first word."""
        return self.num_oov_indices + (self.mask_token is not None)

    def _front(self) -> list[Any]:
        mask = [] if self.mask_token is None else [self.mask_token]
        return [*mask, *[self.oov_token] * self.num_oov_indices]

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the words in the order of their numbers."""
        return [*(self._front() if include_special_tokens else []), *self._words]

    def vocabulary_size(self) -> int:
        """Return how many numbers there are."""
        return self._first + len(self._words)

    def numbers(self, tokens: Any) -> Any:
        """Return the number of each word."""
        if isinstance(tokens, RaggedTensor):
            return ragged_functions.each(self.numbers, tokens)
        places, is_there = self._keys.find(tokens)
        unknown = self._unknown(tokens, is_there)
        found = elementwise.where(is_there, places + np.int64(self._first), unknown)
        if self.mask_token is None:
            return found
        is_mask = rnp.equal(tokens, convert_to_tensor(self.mask_token, tokens.dtype))
        return elementwise.where(as_result(is_mask), np.int64(0), found)

    def _unknown(self, tokens: Any, is_there: Any) -> Any:
        """Return the numbers of words that are not known."""
        front = self._first - self.num_oov_indices
        if self.num_oov_indices == 0:
            need(rnp.all(is_there), f"{self.name!r} was given what is not in its vocabulary")
        if self.num_oov_indices <= 1:
            return np.int64(front)
        if not is_string(tokens.spec.dtype):
            return elementwise.cast(rnp.mod(tokens, self.num_oov_indices), np.int64) + front
        return strings.to_hash_bucket(tokens, self.num_oov_indices) + np.int64(front)

    def call(self, inputs: Any) -> Any:
        if self.invert:
            return self._inverted(inputs)
        found = self.numbers(self.tokens_of(inputs))
        return found if self.output_mode == "int" else self._told(found)

    def _told(self, numbers: Any) -> Any:
        size = self.vocabulary_size()
        if self.pad_to_max_tokens and self.max_tokens is not None:
            size = self.max_tokens
        weights = self._weights
        if weights is not None and size > len(weights):
            weights = np.concatenate([weights, np.zeros(size - len(weights), np.float32)])
        return encoded(numbers, size, self.output_mode, weights)

    def _inverted(self, numbers: Any) -> Any:
        if isinstance(numbers, RaggedTensor):
            return ragged_functions.each(self._inverted, numbers)
        words = convert_to_tensor([*self.get_vocabulary(), self.oov_token])
        given, last = convert_to_tensor(numbers), self.vocabulary_size()
        is_there = rnp.logical_and(given >= 0, given < last)
        return shaping.gather(words, rnp.where(is_there, given, last))


def _plain(word: Any) -> Any:
    """Return a word as a text, or a number as Python's."""
    if isinstance(word, bytes):
        return word.decode()
    return word.item() if hasattr(word, "item") else word


def _words_of(vocabulary: Any) -> Any:
    if isinstance(vocabulary, str):
        with open(vocabulary, encoding="utf-8") as file:
            return file.read().splitlines()
    return np.asarray(vocabulary).tolist() if hasattr(vocabulary, "shape") else vocabulary


class StringLookup(_Vocabulary):
    """Numbers of texts, by a vocabulary.

    >>> StringLookup(vocabulary=["a", "b"])(["b", "c"]).numpy()
    array([2, 0])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",
        **options: Any,
    ) -> None:
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **options)


class IntegerLookup(_Vocabulary):
    """Numbers of whole numbers, by a vocabulary.

    >>> IntegerLookup(vocabulary=[12, 36])([36, 7]).numpy()
    array([2, 0])
    """

    kind = int

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        **options: Any,
    ) -> None:
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **options)


class TextVectorization(_Vocabulary):
    """Numbers of the words of texts: texts are made plain, split, and their words looked up.

    Args:
        max_tokens: how many numbers there are at most.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", a function of
            texts, or None.
        split: "whitespace", "character", a function of texts, or None.
        ngrams: up to how many words in a row are one, or a tuple of such numbers.
        output_mode: as in `StringLookup`.
        output_sequence_length: the length that rows of numbers are brought to.
        pad_to_max_tokens: whether what is told of a sample has `max_tokens` places.
        vocabulary, idf_weights: as in `StringLookup`.
        ragged: whether rows of numbers keep their lengths.
        options: of `Layer`.

    >>> layer = TextVectorization(vocabulary=["earth", "wind"])
    >>> layer(["Wind & earth!", "fire"]).numpy()
    array([[3, 2],
           [1, 0]])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: int | Sequence[int] | None = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        ragged: bool = False,
        **options: Any,
    ) -> None:
        for name, given, known in (("standardize", standardize, PLAIN), ("split", split, SPLITS)):
            if given is not None and not callable(given) and given not in known:
                raise ValueError(f"{name} is a function, None or one of {[*known]}, not {given!r}")
        self.standardize, self.split, self.ragged = standardize, split, ragged
        self.ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self.output_sequence_length = output_sequence_length
        options.update(vocabulary=vocabulary, idf_weights=idf_weights, output_mode=output_mode)
        options["pad_to_max_tokens"] = pad_to_max_tokens
        super().__init__(max_tokens, 1, "", "[UNK]", **options)

    def tokens_of(self, inputs: Any) -> Any:
        """Return the words of each text, as rows."""
        texts = inputs if isinstance(inputs, RaggedTensor) else convert_to_tensor(inputs)
        if len(texts.shape) == 2 and not isinstance(texts, RaggedTensor) and self.split is not None:
            if texts.shape[1] != 1:
                raise ValueError(f"{self.name!r} takes one text for each sample")
            texts = texts[:, 0]
        make = PLAIN.get(self.standardize, self.standardize) if self.standardize else None
        texts = texts if make is None else make(texts)
        cut = SPLITS.get(self.split, self.split) if self.split else None
        words = texts if cut is None else cut(texts)
        return words if self.ngrams is None else _ngrams(_as_rows(words), self.ngrams)

    def call(self, inputs: Any) -> Any:
        found = self.numbers(self.tokens_of(inputs))
        if self.output_mode != "int":
            return self._told(found)
        if not isinstance(found, RaggedTensor):
            return found
        if self.ragged:
            return found[:, : self.output_sequence_length]
        return found.to_tensor(shape=(None, self.output_sequence_length))


def _as_rows(words: Any) -> Any:
    return words if isinstance(words, RaggedTensor) else from_tensor(words)


def _ngrams(rows: Any, sizes: Sequence[int]) -> Any:
    """Return what stands in a row of several words, joined by blanks, after the words."""
    found = []
    for size in sizes:
        parts = [rows[:, k:] for k in range(size)]
        cut = [x[:, : -(size - 1 - k)] if size - 1 - k else x for k, x in enumerate(parts)]
        found.append(strings.join(cut, " ") if size > 1 else rows)
    return shaping.concat(found, 1)


def _bare(texts: Any) -> Any:
    return strings.regex_replace(texts, PUNCTUATION, "")


PLAIN: dict[str, Callable[[Any], Any]] = {
    "lower_and_strip_punctuation": lambda texts: _bare(strings.lower(texts)),
    "lower": strings.lower,
    "strip_punctuation": _bare,
}
SPLITS: dict[str, Callable[[Any], Any]] = {
    "whitespace": strings.split,
    "character": strings.unicode_split,
}
"""What the names of `standardize` and `split` stand for."""
