"""A staged function's program, printed, is called by names in any process."""

from __future__ import annotations

import enum
import gc
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag
from runtime.errors import DtypeError, GraphFormatError, ShapeError
from runtime.graph.reference import PROCESS
from runtime.io.program import Program
from runtime.io.program_text import print_program, read_program

RATE = ag.Variable(0.5, name="rate")
OTHER = ag.Variable(8.0, name="rate")
TABLE = np.arange(3.0)
KNOWN = ag.data.Dataset.range(1, 7).concatenate(ag.data.Dataset.range(3).skip(1)).batch(2).take(4)
GENERATOR = ag.random.Generator(3)


class Level(enum.IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    first: Any
    second: Any


@ag.function
def step(x: Any, options: Any, rounds: int = 2) -> Any:
    for _ in range(rounds):
        x = x - RATE * options["slope"] + TABLE
    RATE.assign(RATE * 0.5)
    OTHER.assign_add(1.0)
    return {"x": Pair(x, options["slope"]), "rounds": rounds, "rest": [None, ("text",)]}


@ag.function
def halve(x: Any) -> Any:
    x *= 0.5
    return np.max(x)


@ag.function
def draw(shift: Any) -> Any:
    return GENERATOR.normal(size=2) + shift


def program_of(function: Any, *args: Any, **kwargs: Any) -> Program:
    found: Program = function.get_concrete_function(*args, **kwargs).program
    return found


def again(program: Program) -> Program:
    text = print_program(program, elide=False)
    found = read_program(text)
    assert print_program(found, elide=False) == text
    return found


def of_step() -> Program:
    return program_of(step, np.ones(3), {"slope": np.ones(3)})


ELSEWHERE = """
import sys
import numpy as np, autograph as ag
from runtime.io.program_text import read_program
import tests.autograph.function.test_programs  # the home of Pair: reading imports nothing

others = [ag.Variable(7.0) for _ in range(50)]
step, halve, draw = map(read_program, sys.stdin.read().split("----"))
rate, count = ag.Variable(0.25), ag.Variable(1.0)
bound = step.bind(rate=rate, rate_1=count, TABLE=np.ones(3))
print(bound(options={"slope": np.full(3, 4.0)}, x=np.zeros(3)))
print(float(rate), float(count))
x = np.array([2.0, 8.0])
print(halve(x), x)
state = ag.random.Generator(3).state
print(draw.bind(generator=state)(shift=np.float64(0.0)))
print({float(x) for x in others})
"""


def test_another_process_calls_it_with_named_arguments_and_its_own_variables() -> None:
    programs = [
        of_step(),
        program_of(halve, np.ones(2)),
        program_of(draw, np.float64(0.0)),
    ]
    command = [sys.executable, "-c", ELSEWHERE]
    text = "----".join(print_program(x, elide=False) for x in programs)
    folder = Path(__file__).parents[3]
    run = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, cwd=folder
    )
    drawn = ag.random.Generator(3).normal(size=2)
    pair = "Pair(first=array([0., 0., 0.]), second=array([4., 4., 4.]))"
    assert run.stdout.splitlines() == [
        f"{{'x': {pair}, 'rounds': 2, 'rest': [None, ('text',)]}}",
        "0.125 2.0",
        "4.0 [1. 4.]",
        str(drawn),
        "{7.0}",
    ]


def test_its_text_says_what_parameters_and_results_are() -> None:
    assert print_program(of_step()).partition("\ngraph")[0] == (
        "program 'step' {\n"
        "  takes {'x': argument('x'), 'options': {'slope': argument(\"options['slope']\")}, "
        "'rounds': 2}\n"
        "  uses (variable('rate', @variable('rate')), variable('rate_1', @variable('rate')), "
        "array('TABLE'))\n"
        "  returns {'x': node('tests.autograph.function.test_programs:Pair', None, [result(0), "
        "argument(\"options['slope']\")]), 'rounds': 2, 'rest': [None, ('text',)]}\n"
        "  writes (variable('rate', @variable('rate')), variable('rate_1', @variable('rate')))\n"
        "}"
    )


def test_variables_are_those_that_are_bound() -> None:
    before = float(RATE), float(OTHER)
    rate, count = ag.Variable(1.0), ag.Variable(5.0)
    bound = again(of_step()).bind(rate=rate, rate_1=count, TABLE=TABLE)
    assert bound(np.zeros(3), {"slope": np.ones(3)})["x"].first.tolist() == [-2.0, 0.0, 2.0]
    assert bound(np.zeros(3), {"slope": np.ones(3)})["x"].first.tolist() == [-1.0, 1.0, 3.0]
    assert (float(rate), float(count)) == (0.25, 7.0)
    assert (float(RATE), float(OTHER)) == before


def test_what_was_assigned_before_it_fails_is_in_the_bound_variable() -> None:
    def pick(x: Any, i: Any) -> Any:
        RATE.assign(RATE * 4.0)
        return x[i]

    before, rate = float(RATE), ag.Variable(2.0)
    bound = again(program_of(ag.function(pick), np.ones(3), np.int64(0))).bind(rate=rate)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        bound(np.ones(3), i=np.int64(7))
    assert (float(rate), float(RATE)) == (8.0, before)


def test_tensors_come_back_where_tensors_are_given() -> None:
    program = again(program_of(ag.function(lambda x: x + 1), np.ones(2)))
    assert isinstance(program(np.ones(2)), np.ndarray)
    assert isinstance(program(ag.Tensor(np.ones(2))), ag.Tensor)


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        ((), {"options": 1}, TypeError, "step needs the argument 'x'"),
        ((1, 2, 3, 4), {}, TypeError, "step: too many positional arguments; it takes"),
        ((1,), {"x": 1}, TypeError, "step: multiple values for argument 'x'"),
        ((1,), {"y": 1}, TypeError, "step: got an unexpected keyword argument 'y'"),
        ((np.ones(3), 2), {}, TypeError, "options is"),
        ((np.ones(3), {"slope": np.ones(3)}, 5), {}, TypeError, "rounds holds 5"),
        ((np.ones(4), {"slope": np.ones(3)}), {}, ShapeError, "argument x must be f64"),
        ((np.ones(3, "f4"), {"slope": np.ones(3)}), {}, DtypeError, "argument x must be f64"),
        (("text", {"slope": np.ones(3)}), {}, DtypeError, "argument x must be f64"),
    ],
)
def test_other_arguments_are_refused_by_name(
    args: Any, kwargs: Any, error: type[Exception], text: str
) -> None:
    bound = of_step().bind(rate=ag.Variable(1.0), rate_1=ag.Variable(1.0), TABLE=TABLE)
    with pytest.raises(error, match=text):
        bound(*args, **kwargs)


def test_what_is_used_is_bound_by_its_name() -> None:
    program = of_step()
    with pytest.raises(TypeError, match="step uses the variable 'rate': bind it by its name"):
        program(np.ones(3), {"slope": np.ones(3)})
    with pytest.raises(TypeError, match="step uses no 'speed'; it uses 'rate', 'rate_1', 'TABLE'"):
        program.bind(speed=1)
    with pytest.raises(ShapeError, match="the array 'TABLE' must be f64"):
        program.bind(rate=RATE, rate_1=OTHER, TABLE=np.ones(4))


def test_all_other_arguments_are_given_as_to_the_function() -> None:
    @ag.function
    def f(x: Any, *rest: Any, k: Any, **named: Any) -> Any:
        return x * k + sum(rest) - named["y"]

    program = again(program_of(f, np.ones(2), np.ones(2), k=2, y=np.zeros(2)))
    assert list(program.takes) == ["x", "*rest", "k", "**named"]
    np.testing.assert_array_equal(program(np.ones(2), np.full(2, 3.0), y=np.ones(2)), [4.0, 4.0])
    with pytest.raises(TypeError, match=r"multiple values for argument 'x'; it takes \(x, \*rest"):
        program(np.ones(2), np.ones(2), x=1, y=np.ones(2))
    with pytest.raises(TypeError, match=r"f needs the argument '\*\*named'"):
        program(np.ones(2), np.ones(2))


@pytest.mark.parametrize("member", [Level.HIGH, int, np.array(["text"])])
def test_what_is_only_like_a_number_is_not_printed_as_one(member: Any) -> None:
    with pytest.raises(GraphFormatError, match=r"result\[0\]: .* has no text"):
        again(program_of(ag.function(lambda x: (member, x)), np.ones(2)))


@pytest.mark.parametrize(
    "memory", ["3", "('result', 0)", "('list', 0, None, ())", "('result', 0, None, (('no',),))"]
)
def test_where_no_result_may_lie_is_refused(memory: str) -> None:
    text = f"program 'f' {{ takes {{}} uses () returns result(0, {memory}) writes () }} graph() {{"
    with pytest.raises(GraphFormatError, match="says nowhere that an array may lie"):
        read_program(text)


def local_class() -> Any:
    class Hidden(NamedTuple):
        x: Any

    return Hidden


HIDDEN, HELD = local_class(), object()


def positive(x: Any) -> Any:
    found = []
    for item in x:
        if item > 0:
            found.append(item)
    return found


def one_of_two(x: Any) -> Any:
    return "few" if np.sum(x) < 9 else x


def tell(x: Any) -> Any:
    ag.py_function(lambda y: None, [x], [])
    return x


def total(x: Any) -> Any:
    for y in ag.data.Dataset.from_tensor_slices(np.arange(9.0)):
        x = x + y
    return x


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: HIDDEN(x), "the result holds a .*Hidden, and other processes find the classes"),
        (lambda x: (x, HELD), r"the result\[1\]: <object .* has no text"),
        (lambda x: (x, RATE), r"the result\[1\] is a variable"),
        (positive, "positive does not stand alone: the result is a list whose length is known"),
        (one_of_two, "the result holds one of several values"),
        (tell, "tell does not stand alone: it refers to the function '.*lambda.*test_programs.py"),
        (total, "total does not .* the function 'the dataset Slices'.*test_programs"),
    ],
)
def test_what_other_processes_cannot_know_is_refused_by_name(function: Any, text: str) -> None:
    with pytest.raises(GraphFormatError, match=f"(?s){text}"):
        print_program(program_of(ag.function(function), np.ones(2)), elide=False)


def test_datasets_that_have_no_state_are_declared() -> None:
    """What they are made of, and by which class, stands in the graph; with staged numbers, too."""

    @ag.function
    def total(n: Any) -> Any:
        found = n * 0
        for x, _ in zip(KNOWN, ag.data.Dataset.range(n).enumerate(2), strict=False):
            found = found * 3 + np.sum(x)
        return found

    program = program_of(total, np.int64(3))
    text = print_program(program, elide=False)
    assert "runtime.data.transforms:Batched" in text
    assert PROCESS not in text
    assert again(program)(np.int64(3)) == total(np.int64(3)) == (1 + 2) * 9 + (3 + 4) * 3 + (5 + 6)


def noted(x: Any) -> Any:
    return x * 2


def test_a_program_calls_the_functions_that_its_reader_gives() -> None:
    asking = ag.function(lambda x: ag.numpy_function(noted, [x], "float64"))
    text = print_program(program_of(asking, np.float64(1.5)), elide=False)
    assert PROCESS not in text
    del asking  # a function that graphs of this process call is known by its name
    gc.collect()
    with pytest.raises(RuntimeError, match=r"give it to what .* as in functions=\[noted\]"):
        read_program(text)(np.float64(1.5))
    allowed = read_program(text, [noted])
    assert allowed(np.float64(1.5)) == 3.0
    with pytest.raises(RuntimeError, match="no text chooses what is called"):
        read_program(text)(np.float64(1.5))  # that another one may says nothing of this one
    with pytest.raises(TypeError, match=r"lambda.* is no function that a module has"):
        read_program(text, [lambda x: x])


def test_changed_arguments_are_refused() -> None:
    def change(x: Any, found: Any) -> Any:
        found["y"] = x
        return x

    with pytest.raises(GraphFormatError, match="it changes lists, dicts or objects"):
        program_of(ag.function(change), np.ones(2), {})


def test_what_always_raises_is_refused() -> None:
    def stop(x: Any) -> Any:
        x *= 2
        raise KeyError("always")

    concrete = ag.function(stop)._find((np.ones(2),), {})[0]
    with pytest.raises(GraphFormatError, match="stop does not stand alone: it raises"):
        assert concrete.program


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("program 'f' { takes {} uses () returns nothing writes () } graph() { }", "a number, a"),
        ("program 'f' { takes () uses () returns 1 writes () } graph() { }", "'takes' is a dict"),
        (
            "program 'f' { takes {} uses () returns node('math:sin', None, []) writes () } graph()",
            "'math:sin' is no class of trees",
        ),
        (
            "program 'f' { takes {} uses () returns node('antigravity:x', None, []) writes () }",
            "import antigravity before",
        ),
        ("program 'f' {\n takes {} uses () returns 1 writes ()\n}\ngraph() {\n  x", "line 5"),
    ],
)
def test_malformed_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(GraphFormatError, match=message):
        read_program(text)
