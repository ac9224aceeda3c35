"""What `print` writes for staged values, it writes when the graph runs, as plain Python does."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import StringIO

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from autograph.operators.builtins.texts import StagedText, field, text
from runtime.errors import StagedValueError

XS, F15 = np.array([1.0, 2.0]), np.float64(1.5)


def shows(x, n):
    print("{x} is", x, "}", sep="{}", end="|\n")
    for i in range(n):
        print(i, x[i])
    print("done")
    return x


def test_printing_keeps_order_separators_and_braces(capsys):
    shows(np.ones(3), 2)
    plain = capsys.readouterr().out
    staged = ag.function(shows)
    for _ in range(2):
        staged(np.ones(3), np.int64(2))
        assert capsys.readouterr().out == plain


def signs(x, n):
    for i in range(n):
        if x[i] > 0:
            print("positive")
        else:
            print("not", [1, "positive"], sep=":")
    while n > 0.5:
        print("half")
        n = n / 2  # an int, then a float: the body is traced again
    return n


def test_what_is_known_is_printed_where_a_staged_branch_or_loop_prints_it(capsys):
    staged = ag.function(signs)
    for x, n in (([1, -1, 2], 3), ([-1, 1, 1], 3), ([0, 0, 0], 0)):
        arguments = np.array(x), np.int64(n)
        signs(*arguments)
        expected = capsys.readouterr().out
        staged(*arguments)
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "options", [{}, {"sep": ", "}, {"sep": ""}, {"end": "!"}, {"end": None, "sep": None}]
)
def test_print_prints_when_the_graph_runs(options, capsys):
    def speak(x, y):
        print("a", x, y, 3, **options)

    speak(F15, XS)
    expected = capsys.readouterr().out
    staged = ag.function(speak)
    for _ in range(2):
        staged(F15, XS)
        assert capsys.readouterr().out == expected


def spoken(x, n):
    print([x, n, (x,), (n, 1)], {"k": x, "{": "'"}, x > 1, sep="; ")
    print(int(n), float(n), complex(n), n > 1, bool(n), n)
    print(np.zeros(2), [np.ones(1)], np.float32(n))
    print(str(x) + " {} " + repr(n), format(n, ".3f"), format(n), "%" + str(n))
    print(*x, *map(str, x))
    return x


def test_values_are_written_as_python_writes_them(capsys):
    spoken(XS, F15)
    expected = capsys.readouterr().out
    staged = ag.function(spoken)
    for _ in range(2):
        staged(XS, F15)
        assert capsys.readouterr().out == expected


def test_print_of_plain_values_prints_at_each_call(capsys):
    @ag.function
    def speak(x):
        print("called", {"a": 1}, flush=True)
        return x

    speak(XS)
    speak(XS)
    assert capsys.readouterr().out == "called {'a': 1}\n" * 2


def test_print_writes_to_the_standard_streams(capsys):
    @ag.function
    def speak(x):
        print(x, file=sys.stderr, flush=True)
        print(x, file=sys.stdout)

    speak(F15)
    assert tuple(capsys.readouterr()) == ("1.5\n", "1.5\n")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"file": 3}, AttributeError, "'int' object has no attribute 'write'"),
        ({"file": StringIO()}, StagedValueError, r"print\(\) in staged code writes to sys.stdout"),
        ({"sep": 3}, TypeError, "sep must be None or a string, not int"),
        ({"end": 3}, TypeError, "end must be None or a string, not int"),
        ({"nothing": 3}, TypeError, "nothing"),
    ],
)
def test_print_refuses_what_python_refuses_and_other_files(options, error, message):
    with pytest.raises(error, match=message):
        ag.function(lambda x: print(x, **options))(F15)


def test_the_parts_of_an_f_string_without_staged_values_are_python_s(capsys):
    x, width = 2.5, 8
    assert text("a{", field(x), "} ", field(x, ".2f"), field("é", "", "a")) == (
        f"a{{{x}}} {x:.2f}{'é'!a}"
    )
    assert text(field(x, text(">", field(width)))) == f"{x:>{width}}"
    with pytest.raises(ValueError, match=r"Unknown format code 'd' for object of type 'float'"):
        field(x, "d")


def test_the_parts_of_an_f_string_with_staged_values_are_written_when_the_graph_runs(capsys):
    def speak(x, xs):
        made = text("x = {", field(x, ".3f"), "} ", field(x, "", "r"), field(x, ">6", "s"))
        assert isinstance(made, StagedText)
        print(made, text(field([xs, 1]), field(made)))

    def plain(x, xs):
        made = f"x = {{{x:.3f}}} {x!r}{x!s:>6}"
        print(made, f"{[xs, 1]}{made}")

    ag.function(speak)(F15, XS)
    found = capsys.readouterr().out
    plain(F15, XS)
    assert found == capsys.readouterr().out


def reports(x, xs, name):
    for k in range(2):
        print(
            f"{name}: x = {x + k:.3f} {{}} {x!r:>20}", f"{xs}", f"{[k, x]!r}", f"{name!r:>{k + 4}}"
        )
    if x > 1:
        print(f"{x} is large, {abs(-x):{5 + 3}.2f}", f"{x=}", f"{x > 2}")
    print(f"{name}", f"{{}}", end=f"{name}\n")  # noqa: F541
    return x


def test_f_strings_that_are_printed_show_the_values(capsys):
    reports(F15, XS, "a")
    expected = capsys.readouterr().out
    conversion.convert(reports, operators)(F15, XS, "a")
    assert capsys.readouterr().out == expected
    staged = ag.function(reports)
    for _ in range(2):
        staged(F15, XS, "a")
        assert capsys.readouterr().out == expected


def test_a_staged_width_and_the_format_of_a_list_are_refused():
    with pytest.raises(ag.StagedValueError, match="the format of a staged value is itself staged"):
        ag.function(lambda x: print(field(x, text(">", field(x)))))(F15)
    with pytest.raises(TypeError, match=r"unsupported format string passed to list.__format__"):
        ag.function(lambda x: print(field([x], ".2f")))(F15)


class Shown:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"<{self.x * 2:.2f}>"


@dataclass
class Rounded:
    x: float
    n: int

    def __repr__(self):
        return f"{round(self.x, 1)} of {self.n}"


@dataclass
class Written:
    x: float


@pytest.mark.parametrize("make", [Shown, lambda x: Rounded(x, 3), lambda x: (1, Written(x))])
def test_items_of_a_list_are_written_as_their_class_says(make):
    def f(n):
        found, named = [], {}
        for k in range(n):
            found.append(make(k / 4))
            named[k] = make(k / 4)
        return f"{found}, {named!r}"

    staged = ag.function(f)
    for n in range(3):
        assert staged(np.int64(n)) == f(n)
