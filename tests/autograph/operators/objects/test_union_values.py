"""Variables that are one of several things, which one being known only when the graph runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import conversion, operators
from runtime.graph.interpret import interpret


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


def none_or_number(x):
    found = None
    if x > 0:
        found = x
    return found


def text(x):
    if x > 0:
        sign = "pos"
    else:
        sign = "neg"
    return sign


def structure(x):
    if x > 0:
        return x, 1
    return x


def a_part_of_a_structure(x):
    if x > 0:
        return {"value": x, "error": None}
    return {"value": x * 2, "error": "negative"}


def rank(x):
    y = x.sum()
    if y > 3:
        y = x * 2
    return y


def none_before_a_loop(n):
    last = None
    for i in range(n):
        last = i if last is None else last + i
    return last


def best_of(xs):
    best = None
    for x in xs:
        if x > 0 and (best is None or x > best):
            best = x
    return best


def grows_a_dimension(x, n):
    total = 0.0
    for _ in range(n):
        total = total + x
    return total


def states(xs):
    state, count = "start", 0
    for x in xs:
        if state == "start":
            if x > 0:
                state = "inside"
        elif state == "inside":
            count += 1
            if x < 0:
                state = "done"
        else:
            break
    return state, count


def while_a_text(x):
    go_on, rounds = "yes", 0
    while go_on:
        rounds += 1
        if x * rounds > 3:
            go_on = ""
    return rounds, go_on


def methods(x):
    sign = "Pos" if x > 0 else "negative"
    return sign.upper(), len(sign), sign == "negative", sign + "!", isinstance(sign, str), sign[0]


def scaled(x, factor):
    return x * factor


def clipped(x, most):
    if x < -5.0:
        return x * 0.0
    return x - most


def functions(x):
    f = scaled if x > 0 else clipped
    g = np.sin if x > 0 else abs
    return f(x, 3.0), g(x)


def branches_on_it(x):
    kind = None
    if x > 5:
        kind = "large"
    elif x > 0:
        kind = "small"
    if kind is None:
        return -x
    return x * 2 if kind == "small" else x * 3


def narrowed(x, c):
    extra = None
    if c > 0:
        extra = x * 2
    if extra is not None:
        x = x + extra
    return x, extra


def help_with(found, x):
    if found is None:
        return x
    return found + x


def passed_on(x):
    found = None
    if x > 0:
        found = x
    return help_with(found, x)


def as_a_key(x):
    table = {"a": 1.5, "b": None}
    key = "a" if x > 0 else "b"
    return table[key], key in table, table.get(key), key in ("a", "c")


def iterated(x):
    items = [1.0, 2.0] if x > 0 else [3.0, 4.0, 5.0]
    total = 0.0
    for item in items:
        total += item
    return total, items[0], len(items)


def iterated_with_break(x):
    items = (1.0, 2.0) if x > 0 else (3.0, 4.0, 5.0)
    total = 0.0
    for item in items:
        if item * x > 3:
            break
        total += item
    return total


def unpacked(x):
    pair = (x, "left") if x > 0 else (-x, "right")
    value, side = pair
    return side, value


def matched(x):
    kind = None
    if x > 5:
        kind = ("scale", 2.0)
    elif x > 0:
        kind = "keep"
    match kind:
        case None:
            return -x
        case "keep":
            return x
        case ("scale", factor):
            return x * factor
    return x


def logic(x):
    name = "" if x > 0 else "abc"
    return (name or "empty"), (name and "full"), (1 if name else 2)


@dataclass
class Node:
    value: float
    left: Node | None = None
    right: Node | None = None


TREE = Node(5.0, Node(2.0, Node(1.0), Node(3.0)), Node(8.0))


def walks_a_tree(x):
    node, steps = TREE, 0
    while node is not None:
        if x == node.value:
            break
        node = node.left if x < node.value else node.right
        steps += 1
    return steps, node is None


def in_nested_loops(xs):
    first = None
    for x in xs:
        for y in xs:
            if x + y > 6 and first is None:
                first = (x, y)
    return first


def optional_in_a_loop_with_return(xs, limit):
    before = None
    for x in xs:
        if before is not None and x - before > limit:
            return before, x
        before = x
    return None


def numbers_in(codes):
    found, number = [], None
    for code in codes:
        if 48 <= code <= 57:
            number = code - 48 if number is None else number * 10 + (code - 48)
        elif number is not None:
            found.append(number)
            number = None
    if number is not None:
        found.append(number)
    return found


def run_lengths(xs):
    runs, before, count = [], None, 0
    for x in xs:
        if before is not None and x == before:
            count += 1
        else:
            if before is not None:
                runs.append((before, count))
            before, count = x, 1
    if before is not None:
        runs.append((before, count))
    return runs


XS = np.array([1.0, 5.0, 2.0])
SIGNS = [(np.float64(2),), (np.float64(-2),)]
CASES = [
    (none_or_number, SIGNS),
    (text, SIGNS),
    (structure, SIGNS),
    (a_part_of_a_structure, SIGNS),
    (rank, [(np.arange(2.0),), (np.arange(5.0),)]),
    (none_before_a_loop, [(np.int64(4),), (np.int64(0),), (np.int64(1),)]),
    (best_of, [(XS,), (-XS,), (np.array([]),)]),
    (grows_a_dimension, [(XS, np.int64(2)), (XS, np.int64(0))]),
    (states, [(np.array(x),) for x in ([0.0, 1, 2, -1, 5], [0.0, 0], [1.0, 1])]),
    (while_a_text, [(np.float64(2),), (np.float64(0.3),)]),
    (methods, SIGNS),
    (functions, [*SIGNS, (np.float64(-7),)]),
    (branches_on_it, [*SIGNS, (np.float64(7),)]),
    (narrowed, [(XS, np.float64(1)), (XS, np.float64(-1))]),
    (passed_on, SIGNS),
    (as_a_key, SIGNS),
    (iterated, SIGNS),
    (iterated_with_break, [*SIGNS, (np.float64(0.9),)]),
    (unpacked, SIGNS),
    (matched, [*SIGNS, (np.float64(7),)]),
    (logic, SIGNS),
    (walks_a_tree, [(np.float64(k),) for k in (1, 3, 4, 8, 9, 5)]),
    (numbers_in, [(np.frombuffer(text, np.uint8).astype(int),) for text in (b"12+345", b"+")]),
    (run_lengths, [(np.array([1, 1, 2, 3, 3, 3]),), (np.array([], int),)]),
    (in_nested_loops, [(XS,), (XS / 9,)]),
    (optional_in_a_loop_with_return, [(XS, np.float64(3)), (XS, np.float64(9))]),
]


@pytest.mark.parametrize(("function", "arguments"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_what_plain_python_makes_of_it(function, arguments):
    staged, converted = ag.function(function), conversion.convert(function, operators)
    for given in arguments:
        expected = function(*given)
        assert same(converted(*given), expected)
        assert same(staged(*given), expected)
        concrete = staged.get_concrete_function(*given)
        interpreted = interpret(concrete.traced_graph, list(given), np)
        assert same(list(interpreted), list(concrete.executable.run(*given)))
    assert staged.trace_count <= len({tuple(np.shape(x) for x in given) for given in arguments})


def test_an_option_that_python_cannot_use_raises_when_it_is_the_one():
    def f(x):
        found = None
        if x > 0:
            found = x
        return found + 1

    staged = ag.function(f)
    assert staged(np.float64(2)) == 3
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'NoneType' and"):
        staged(np.float64(-2))


def test_a_variable_that_only_one_arm_assigns_is_unbound_otherwise():
    def f(x):
        if x > 0:
            name = "a"
        return name

    staged = ag.function(f)
    assert staged(np.float64(2)) == "a"
    with pytest.raises(UnboundLocalError, match="'name'"):
        staged(np.float64(-2))


def test_a_text_of_a_loop_without_rounds_is_unbound():
    def f(xs):
        for x in xs:
            if x > 1:
                name = "large"
            else:
                name = "small"
        return name

    staged = ag.function(f)
    assert staged(XS) == "large"
    assert staged(XS[:1]) == "small"
    with pytest.raises(UnboundLocalError, match="'name'"):
        ag.function(f, input_signature=[ag.TensorSpec([None])])(np.zeros(0))


def test_it_is_printed_when_the_graph_runs(capsys):
    @ag.function
    def f(x):
        sign = "pos" if x > 0 else None
        print(sign, x)
        print(f"{sign!r}: {x:.1f}")

    f(np.float64(2))
    f(np.float64(-2))
    assert capsys.readouterr().out == "pos 2.0\n'pos': 2.0\nNone -2.0\nNone: -2.0\n"


def test_python_code_that_was_not_converted_is_told_what_it_met():
    def f(x):
        name = "a" if x > 0 else "b"
        return {name: 1}

    with pytest.raises(ag.StagedValueError, match=r"this is 'a' or 'b', which one is known only"):
        ag.function(f)(np.float64(1))


def test_so_many_things_are_too_many():
    def f(n):
        nest = len
        for _ in range(n):
            nest = {0: nest}
        return nest

    with pytest.raises(ag.LoopStateError, match="nest is <built-in function len>"):
        ag.function(f)(np.int64(3))


def test_a_mutation_in_a_function_that_is_chosen_is_carried_on():
    class Counter:
        def __init__(self):
            self.count = 0.0

        def up(self, x):
            self.count += x

        def down(self, x):
            self.count -= x

    def f(x):
        counter = Counter()
        step = counter.up if x > 0 else counter.down
        step(x)
        step(1.0)
        return counter.count

    staged = ag.function(f)
    for x in (2.0, -2.0):
        assert staged(np.float64(x)) == f(np.float64(x))


class Counted:
    def __init__(self, c):
        self.c, self.asked = [c], 0

    def __eq__(self, other):
        self.asked += 1
        return self.c == other.c

    def __repr__(self):
        return f"Counted({self.c})"


def one_of_two_equal_objects(n):
    a, b = Counted(1), Counted(1)
    c = a if n > 1 else b
    for _ in range(n):
        c = b if c is a else a
    c.c[0] = 5
    return a.c, b.c, c is a, a.asked


def a_new_set_of_equal_items(n):
    a = {1}
    before = a
    if n > 1:
        a = {1}
    a.add(3)
    return a, before, a is before


@pytest.mark.parametrize("program", [one_of_two_equal_objects, a_new_set_of_equal_items])
def test_what_may_change_is_itself_though_it_is_equal_to_another(program):
    staged = ag.function(program)
    for n in (0, 1, 2, 3):
        assert repr(staged(np.int64(n))) == repr(program(np.int64(n)))


class Permission(Flag):
    READ = 1
    WRITE = 2


def flags_in_branches(n):
    found = Permission.READ
    if n > 0:
        found |= Permission.WRITE
    if n > 1:
        found &= ~Permission.READ
    return found, Permission.WRITE in found, bool(found & Permission.READ)


def test_what_enum_keeps_in_members_is_not_part_of_a_branch():
    staged = ag.function(flags_in_branches)
    for n in (0, 1, 2):
        assert staged(np.int64(n)) == flags_in_branches(np.int64(n))
    assert ~Permission.READ is Permission.WRITE
