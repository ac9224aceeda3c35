"""Functions of ours are traced once for each kind of arguments; copies have sizes of their own."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
import runtime.numpy as rnp
from autograph.operators import table
from autograph.operators.mutation import callee_writes
from autograph.staging.traced_once import traced_once
from runtime import default_graph
from runtime.graph.verify import verify
from runtime.graph.walk import walk
from runtime.ops.control import step


def doubled(x):
    return rnp.concatenate([x, x])


def until(x, limit):
    while x < limit:
        x = x * 2
    return x


def negated(x):
    x *= -1
    return x


def looped(x, limit):
    return table.operators.call(until, x, limit)


def test_arguments_of_one_type_have_one_trace():
    calls = []

    def counted(x, limit):
        calls.append(x)
        return looped(x, limit)

    @ag.function
    def both(x, y):
        return traced_once(counted, x, y), traced_once(counted, y, x), traced_once(counted, x, 9)

    assert both(np.int64(3), np.int64(20)) == (24, 20, 12)
    assert len(calls) == 2


def test_sizes_of_two_copies_are_not_the_same():
    calls = []

    def counted(x):
        calls.append(x)
        return doubled(x)

    @ag.function
    def both(x, y):
        a, b = traced_once(counted, x[x > 0]), traced_once(counted, y[y > 0])
        assert a.shape != b.shape
        return a, b

    x, y = np.array([1.0, -1.0, 2.0]), np.array([3.0, -1.0])
    for found, wanted in zip(both(x, y), ([1, 2, 1, 2], [3, 3]), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert len(calls) == 1


def total_above(x):
    return rnp.sum(x[x > 0])


def added(x, y):
    return x + y


def test_sizes_inside_of_two_copies_are_not_the_same():
    @ag.function
    def both(x, y):
        return traced_once(total_above, x), traced_once(total_above, y)

    x, y = np.array([1.0, -1.0, 2.0]), np.array([3.0, -1.0, -2.0])
    assert both(x, y) == (3.0, 3.0)
    nodes = walk(both.get_concrete_function(x, y).traced_graph)
    sizes = [z.spec.shape for node in nodes for z in node.results if not z.spec.is_static]
    assert len(sizes) == len({*sizes}) == 2


def test_sizes_that_are_one_among_arguments_are_one_in_a_copy_and_no_others():
    @ag.function
    def both(x, y):
        a, b = x[x > 0], y[y > 0]
        same, other = traced_once(added, a, a * 2), traced_once(added, a, b)
        assert same.spec.shape == a.spec.shape
        assert other.spec.shape not in (a.spec.shape, b.spec.shape)
        return same, other

    found = both(np.array([1.0, -1.0, 2.0]), np.array([-1.0, 4.0, 5.0]))
    assert [x.tolist() for x in found] == [[3.0, 6.0], [5.0, 7.0]]


def test_one_trace_serves_all_functions_and_copies_are_of_their_lines():
    calls = []

    def counted(x, limit):
        calls.append(x)
        return looped(x, limit)

    first = ag.function(lambda x: traced_once(counted, x, np.int64(20)))
    second = ag.function(lambda x: 1 + traced_once(counted, x, np.int64(20)))
    assert (first(np.int64(3)), second(np.int64(3))) == (24, 25)
    assert len(calls) == 1
    line = second.python_function.__code__.co_firstlineno
    nodes = [*walk(second.get_concrete_function(np.int64(3)).traced_graph)]
    assert {node.location.line for node in nodes} == {line}


def test_what_reports_in_another_way_has_a_trace_of_its_own():
    def grown(x):
        return x * x

    @ag.function
    def loud(x):
        with np.errstate(over="raise"):
            return traced_once(grown, x)

    quiet = ag.function(lambda x: traced_once(grown, x))
    x = np.float64(1e200)
    for _ in range(2):
        with pytest.raises(FloatingPointError):
            loud(x)
        with np.errstate(over="ignore"):
            assert quiet(x) == np.inf


def test_regions_of_copies_share_no_values():
    @ag.function
    def both(x, y):
        return traced_once(looped, x, y), traced_once(looped, y, x)

    graph = both.get_concrete_function(np.int64(3), np.int64(20)).traced_graph
    params = [x for node in walk(graph) for region in node.regions for x in region.params]
    assert len(params) == len(set(params)) > 0


def test_a_copy_is_one_node_until_the_trace_ends():
    made = []

    @ag.do_not_convert
    def note(nodes):
        made.append([node.op for node in nodes])

    @ag.function
    def both(x, y):
        first = traced_once(looped, x, y)
        nodes = default_graph.current().nodes
        before = len(nodes)
        second = traced_once(looped, y, x)
        note(nodes[before:])
        return first + second

    graph = both.get_concrete_function(np.int64(3), np.int64(20)).traced_graph
    assert made == [[step]]
    assert step not in {node.op for node in walk(graph)}
    verify(graph)
    assert both(np.int64(3), np.int64(20)) == 44


def test_a_copy_that_a_tape_sees_is_its_nodes():
    """So nothing of it is computed again on the way back, as for a checkpoint."""

    @ag.function
    def cubes(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = traced_once(cubed, x)
            assert step not in {node.op for node in default_graph.current().nodes}
        return tape.gradient(y, x)

    assert cubes(np.float64(2.0)) == 12.0


def cubed(x):
    return x * x * x


def in_a_branch(x):
    return traced_once(cubed, x) if x > 1 else traced_once(cubed, x * 2)


def by_a_tape(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = traced_once(cubed, x) + traced_once(cubed, x * 2)
    return tape.gradient(y, x)


def by_a_tape_through_loops(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = traced_once(looped, x, 20.0) + traced_once(looped, x * 2, 20.0)
    return tape.gradient(y, x)


def by_a_tape_that_begins_later(x):
    y = traced_once(cubed, x)
    with ag.GradientTape() as tape:
        tape.watch(y)
        z = traced_once(cubed, y)
    return tape.gradient(z, y)


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        (ag.grad(lambda x: traced_once(cubed, x) + traced_once(cubed, x * 2)), 108.0),
        (ag.grad(in_a_branch), 12.0),
        (ag.grad(ag.grad(in_a_branch)), 12.0),
        (by_a_tape, 108.0),
        (by_a_tape_through_loops, 32.0),
        (by_a_tape_that_begins_later, 192.0),
        (lambda x: ag.vmap(in_a_branch)(np.array([0.5, 3.0]) * x / 2)[1], 27.0),
    ],
)
def test_derivatives_and_batches_go_through_copies(of, wanted):
    assert ag.function(lambda x: of(x))(np.float64(2.0)) == wanted


def test_what_is_known_is_computed_while_tracing():
    @ag.function
    def known(x):
        assert traced_once(until, 3, 20) == 24
        given = np.array([1, 2])
        assert traced_once(negated, given).known.tolist() == [-1, -2]
        assert given.tolist() == [1, 2]
        return x

    assert known(np.float64(1.0)) == 1.0


def deep(found, x, n):
    if n == 0:
        found[x] = x
    elif x > n:
        deep(found, x, n - 1)
    else:
        deep(found, x + 1, n - 1)


def test_a_statement_that_is_traced_again_begins_with_what_it_assigned(monkeypatch):
    """Else each branch inside of another doubles how often the innermost one is traced."""
    learn, learnt = callee_writes._learn, []
    monkeypatch.setattr(callee_writes, "_learn", lambda *x: (learnt.append(x), learn(*x)))

    @ag.function
    def filled(x):
        found = {}
        deep(found, x, 5)
        return found

    assert filled(np.int64(3)) == {5: 5}
    assert len(learnt) <= 2 * 2**5


def grown(x, rounds):
    for k in range(rounds):
        more = np.full(k + 1, 1.0)
        more[:1] = 2.0
        x = np.concatenate((x, more + 0.5))
    return x


def test_names_of_sizes_of_a_copy_may_be_names_that_the_trace_had():
    def looped_growth(x, rounds):
        return table.operators.call(grown, x, rounds)

    @ag.function
    def after(x, rounds, shift):
        for _ in range(shift):  # as many sizes have a name
            x = np.concatenate((x[x > 9], x))[-2:]
        return traced_once(looped_growth, x, rounds)

    for shift in range(4):
        concrete = after.get_concrete_function(np.ones(2), np.int64(2), shift)
        verify(concrete.traced_graph)
        assert after(np.ones(2), np.int64(2), shift).tolist() == [1.0, 1.0, 2.5, 2.5, 1.5]
