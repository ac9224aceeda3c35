"""Texts that staged branches and loops make are Python's, character for character."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.builtins.text_samples import CASES, XS


@pytest.mark.parametrize(("function", "cases"), CASES, ids=[case[0].__name__ for case in CASES])
def test_texts_are_what_python_makes(function, cases, capsys):
    staged = ag.function(function)
    for arguments in cases:
        wanted = function(*copy.deepcopy(arguments))
        printed = capsys.readouterr().out
        found = staged(*copy.deepcopy(arguments))
        assert repr(found) == repr(wanted)
        assert capsys.readouterr().out == printed


def test_a_text_that_grows_is_one_value_of_the_graph():
    def signs(xs):
        s = ""
        for x in xs:
            s += "+" if x > 1 else "-"
        return s

    def state(xs):
        s = "a"
        for x in xs:
            if x > 1:
                s = "b"
        return s

    assert "string[]" in str(ag.function(signs).graph(XS))
    assert "string[]" not in str(ag.function(state).graph(XS))


def test_what_a_text_raises_it_raises_when_the_graph_runs():
    @ag.function
    def number(xs):
        s = ""
        for x in xs:
            s += str(x)
        return int(s + "x") if xs[0] > 2 else s[9]

    with pytest.raises(ValueError, match=r"invalid literal for int.. with base 10: '312x'"):
        number(XS)
    with pytest.raises(IndexError, match="string index out of range"):
        number(XS - 1)
    assert number.trace_count == 1


def test_the_functions_for_texts_take_them():
    found = ag.function(lambda x: (ag.strings.upper(f"v{x}"), ag.strings.length(f"v{x}")))
    assert found(np.float64(1.5)) == ("V1.5", 4)


def test_a_list_of_numbers_that_are_written_differently_is_written_item_by_item():
    def f(xs):
        out = [0]
        for x in xs:
            if x > 1:
                out.append(x)
        return str(out)

    assert ag.function(f)(XS) == f(XS)


def test_a_list_is_joined_by_a_text_that_is_known():
    def f(n):
        return f"{n}".join(str(i) for i in range(n))

    with pytest.raises(ag.MutationError, match=r"join a list of texts, such as str.x., by a known"):
        ag.function(f)(np.int64(3))


def with_a_mark(place, n):
    board = ["."] * 20
    board[place] = "x"
    return "".join(board), board


def with_numbers(place, n):
    board = ["."] * 20
    for i in range(n):
        if board[i] == "." and i != place:
            board[i] = str(i)
    return board


def once_each(place, n):
    seen, found = set(), []
    for item in [place, "hello", n, "hello", True]:
        if item not in seen:
            seen.add(item)
            found.append(item)
    return found


@pytest.mark.parametrize("function", [with_a_mark, with_numbers, once_each])
def test_many_equal_texts_are_a_list_of_the_graph(function):
    staged = ag.function(function)
    for arguments in ((3, 4), (2, 19), (0, 0)):
        numbers = tuple(map(np.int64, arguments))
        assert repr(staged(*numbers)) == repr(function(*numbers))
