"""Texts: plain, staged, and where they are refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from autograph import strings
from runtime.backends.backend import Backend
from runtime.dtypes import STRING
from runtime.errors import BackendError, DtypeError, ShapeError
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.lower.compile import compile_graph
from runtime.tensor import Tensor

WORDS = strings.array(["a", "Hello World", "grün", " x "])

CASES = [
    (lambda x: x + x, ["aa", "Hello WorldHello World", "grüngrün", " x  x "]),
    (lambda x: "<" + x + ">", ["<a>", "<Hello World>", "<grün>", "< x >"]),
    (lambda x: x == "a", [True, False, False, False]),
    (lambda x: x != x[0], [False, True, True, True]),
    (lambda x: x < "b", [True, True, False, True]),
    (lambda x: np.where(x == "a", "one", x), ["one", "Hello World", "grün", " x "]),
    (strings.length, [1, 11, 4, 3]),
    (lambda x: strings.length(x, unit="byte"), [1, 11, 5, 3]),
    (strings.upper, ["A", "HELLO WORLD", "GRÜN", " X "]),
    (strings.lower, ["a", "hello world", "grün", " x "]),
    (strings.capitalize, ["A", "Hello world", "Grün", " x "]),
    (strings.strip, ["a", "Hello World", "grün", "x"]),
    (lambda x: strings.substr(x, 0, 2), ["a", "He", "gr", " x"]),
    (lambda x: strings.substr(x, -1, 9), ["a", "d", "n", " "]),
    (lambda x: strings.join([x, "z"], "-"), ["a-z", "Hello World-z", "grün-z", " x -z"]),
    (lambda x: strings.reduce_join(x, separator="|"), "a|Hello World|grün| x "),
    (lambda x: strings.reduce_join(np.stack([x[:2], x[2:]]), axis=0), ["agrün", "Hello World x "]),
    (lambda x: strings.split(x[1]), ["Hello", "World"]),
    (lambda x: strings.split(x[1], "o"), ["Hell", " W", "rld"]),
    (lambda x: strings.to_number(strings.as_string(strings.length(x))), [1.0, 11.0, 4.0, 3.0]),
    (lambda x: strings.as_string(strings.length(x) / 4, ".1f"), ["0.2", "2.8", "1.0", "0.8"]),
    (lambda x: strings.regex_replace(x, "[aeo]", "#"), ["#", "H#ll# W#rld", "grün", " x "]),
    (lambda x: strings.regex_full_match(x, "[a-z]+"), [True, False, False, False]),
    (lambda x: strings.to_hash_bucket(x, 7) < 7, [True] * 4),
    (lambda x: x[::-1][1:3], ["grün", "Hello World"]),
    (lambda x: np.concatenate([x[:1], x[:1]]), ["a", "a"]),
]


@pytest.mark.parametrize(("function", "expected"), CASES)
def test_gives_the_same_plain_and_staged(function, expected):
    """A-018"""
    plain, staged = function(WORDS), ag.function(function)(WORDS)
    for found in (plain, staged):
        assert np.asarray(found).tolist() == expected
    assert np.asarray(plain).dtype.kind == np.asarray(staged).dtype.kind or isinstance(plain, str)


def test_one_trace_for_texts_of_one_shape():
    """A-040, A-050"""
    double = ag.function(lambda a: a + a)
    assert double(strings.array("a")) == "aa"
    assert double(strings.array("bc")) == "bcbc"
    assert double(np.int64(2)) == 4
    assert double.trace_count == 2


def test_branches_and_loops_over_texts():
    def count(text, word):
        found, longest = 0, ""
        for part in strings.split(text):
            if part == word:
                found += 1
            elif strings.length(part) > strings.length(longest):
                longest = part
        return found, longest

    text, word = strings.array("to be or not to be is the question"), strings.array("be")
    assert count(text, word) == ag.function(count)(text, word) == (2, "question")


def test_a_tensor_of_texts_gives_bytes_to_numpy():
    """A-040: b'aa', as in the reference."""
    found = ag.function(lambda a: a + a)(Tensor("a"))
    assert isinstance(found, Tensor)
    assert found.numpy() == b"aa"
    assert Tensor(strings.array(["a", "grün"])).numpy().tolist() == [b"a", "grün".encode()]


def test_graphs_with_texts_are_printed_and_read():
    graph = ag.function(lambda x: strings.length(x + "!") > 2).get_concrete_function(WORDS)
    text = print_graph(graph.traced_graph, elide=False)
    assert "%x: string[4]" in text
    assert print_graph(read_graph(text), elide=False) == text


def test_hashes_are_the_same_in_all_processes():
    assert strings.to_hash_bucket(["a", "b"], 1000).tolist() == [928, 668]


def test_texts_are_refused_on_a_gpu():
    concrete = ag.function(lambda x: strings.length(x)).get_concrete_function(WORDS)
    other = Backend("cupy", SimpleNamespace(), (), scalars=False)
    with pytest.raises(
        BackendError,
        match=r"is to run on cupy, and texts stay on the CPU: the argument x \(string\[4\]\)\. Do",
    ):
        compile_graph(concrete.traced_graph, backend=other)
    concrete = ag.function(lambda x: strings.as_string(x)).get_concrete_function(np.ones(2))
    with pytest.raises(
        BackendError, match=r"(?s)what as_string gives \(string\[2\]\)\..*strings\.as_string\(x\)"
    ):
        compile_graph(concrete.traced_graph, backend=other)


REFUSED = [
    (lambda x: strings.length(np.ones(3) * strings.length(x[0])), DtypeError, "as_string"),
    (lambda x: strings.split(x), ShapeError, "split them one by one"),
    (lambda x: strings.length(x, unit="word"), DtypeError, "'char' or 'byte', not in 'word'"),
    (lambda x: strings.to_hash_bucket(x, 0), ShapeError, "at least one bucket, not 0"),
    (lambda x: strings.to_number(x, np.complex128), DtypeError, "not complex128"),
    (lambda x: x * 2.5, TypeError, "multiply"),
    (lambda x: x + 1, TypeError, "add"),
    (lambda x: strings.reduce_join(x, axis=3), ShapeError, "join along axis 3"),
]


@pytest.mark.parametrize(("function", "kind", "message"), REFUSED)
def test_misuse_is_refused_while_tracing(function, kind, message):
    with pytest.raises(kind, match=message):
        ag.function(function)(WORDS)


RUN_TIME = [
    (lambda x: strings.to_number(x), "to_number: 'a' is no number of float64"),
    (lambda x: strings.substr(x, 3, 1), "the position 3 is not in 'a', of length 1"),
    (lambda x: strings.regex_full_match(x, "["), "is no regular expression"),
]


@pytest.mark.parametrize(("function", "message"), RUN_TIME)
def test_misuse_of_values_is_refused_when_the_graph_runs(function, message):
    with pytest.raises(ValueError, match=message):
        function(WORDS)
    with pytest.raises(ValueError, match=message):
        ag.function(function)(WORDS)


def test_the_dtype_is_numpy_s_own():
    assert ag.TensorSpec([None], str).dtype == STRING == strings.array("x").dtype
    assert str(ag.TensorSpec([None], "string")) == "string[?]"


def test_texts_and_numbers_do_not_become_each_other():
    double = ag.function(lambda x: x + x, input_signature=[ag.TensorSpec([None], str)])
    assert double(["a"]).tolist() == ["aa"]
    with pytest.raises(DtypeError, match="by the input signature"):
        double([1.5])

    def either(x, test):
        return x if test else strings.length(x)

    for test in (np.True_, np.False_):
        np.testing.assert_array_equal(ag.function(either)(WORDS, test), either(WORDS, test))


@pytest.mark.parametrize("text", ["", "\0", "a\0", "a\0b\0\0", "ä\0€𝄞"])
def test_texts_keep_every_character(text):
    twice = ag.function(lambda x: x + x)
    assert strings.length(text) == len(text)
    assert strings.split(text, ",").tolist() == text.split(",")
    assert strings.join([[text, "x"], text], "-").tolist() == [f"{text}-{text}", f"x-{text}"]
    assert twice(strings.array([text])).tolist() == [text + text]
    assert list(ag.data.Dataset.from_arrays([text, text])) == [text, text]
    assert next(iter(ag.data.Dataset.from_arrays([[text]]))).tolist() == [text]
