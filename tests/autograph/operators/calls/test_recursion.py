"""Functions that call themselves under a staged condition mean what they mean in plain Python."""

from __future__ import annotations

import copy
import io
from contextlib import redirect_stdout

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls import call, endless_calls
from autograph.staging.recursion import Recursion
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify

I = np.int64  # noqa: E741  (many arguments)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


def search(xs, key, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if xs[middle] == key:
        found = middle
    elif xs[middle] < key:
        found = search(xs, key, middle + 1, high)
    else:
        found = search(xs, key, low, middle - 1)
    return found


def tree_sum(left, right, value, i):
    if i < 0:
        return 0.0
    below = tree_sum(left, right, value, left[i]) + tree_sum(left, right, value, right[i])
    return value[i] + below


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def hanoi(n, a=0, b=1, c=2):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def gcd(a, b):
    if b == 0:
        return a
    found = gcd(b, a % b)
    return found * 1


def partitions(a, low, high):
    """Sort by quicksort; count the exchanges."""
    if low >= high:
        return 0
    i, swaps = low, 1
    for j in range(low, high):
        if a[j] < a[high]:
            a[i], a[j] = a[j], a[i]
            i += 1
            swaps += 1
    a[i], a[high] = a[high], a[i]
    return swaps + partitions(a, low, i - 1) + partitions(a, i + 1, high)


def inner_function(x, n):
    def down(k):
        if k <= 0:
            return x
        return down(k - 1) * 0.5 + x[0]

    return down(n)


def assigned_outside(n):
    calls = 0

    def visit(k):
        nonlocal calls
        calls += 1
        if k > 1:
            visit(k - 1)
            visit(k - 2)

    visit(n)
    return calls


class Visitor:
    def __init__(self):
        self.count = 0

    def visit(self, k):
        self.count += 1
        if k > 1:
            self.visit(k // 2)
            self.visit(k // 3)


def attribute(n):
    visitor = Visitor()
    visitor.visit(n)
    return visitor.count


def appended(n):
    def walk(k, out):
        if k > 0:
            walk(k // 2, out)
            out.append(k)
            walk(k // 3, out)
        return out

    found = []
    same = walk(n, found)
    same.append(n)
    return found


def remembered(n):
    table = {}

    def f(k):
        if k in table:
            return table[k]
        table[k] = k if k < 2 else f(k - 1) + f(k - 2)
        return table[k]

    return f(n)


def flooded(grid):
    def fill(i, j):
        if i < 0 or j < 0 or i >= 3 or j >= 3:
            return 0
        if grid[i, j] != 1:
            return 0
        grid[i, j] = 2
        return 1 + fill(i + 1, j) + fill(i - 1, j) + fill(i, j + 1) + fill(i, j - 1)

    return fill(0, 0), grid


def written_through_views(x, n):
    def fill(a, k):
        if k > 0:
            a[:2] += k
            fill(a[1:], k - 1)

    fill(x, n)


def merge_sort(x):
    if np.max(x) == np.min(x):
        return x
    low, high = merge_sort(x[: len(x) // 2]), merge_sort(x[len(x) // 2 :])
    return np.sort(np.concatenate([low, high]))


def in_loops(n):
    total = 0
    for k in range(n):
        total += in_loops(k)
    while n > 0:
        n -= in_loops(n - 2) + 1
        total += 1
    return total


def in_a_condition(n):
    found = 0
    while n > 0 and fib(n) > 3:
        n -= 1
        found += 1
    return found


def path(n):
    if n == 1:
        return [1]
    found = path(n // 2 if n % 2 == 0 else 3 * n + 1)
    found.append(n)
    return found


def in_order(left, right, i):
    if i < 0:
        return []
    found = in_order(left, right, left[i])
    found.append(i)
    return found + in_order(left, right, right[i])


def two_results(n):
    if n == 0:
        return 0, {"b": 1}
    a, d = two_results(n - 1)
    return d["b"], {"b": a + d["b"]}


def widened(x, n):
    if n == 0:
        return x
    return widened(x * np.float64(0.5), n - 1) + 0


def nothing(n):
    if n == 0:
        return None
    if n == 1:
        return 5
    return nothing(n - 2)


def printed(n):
    if n > 0:
        printed(n - 1)
        print("at", n)
        printed(n - 2)


def around(n, m):
    if n <= 0:
        return fib(5) * len([0] * fib(3))

    def inner(k, j):
        return k if j <= 0 else inner(k, j - 1) + 1

    return around(n - 1, m) + inner(n, m) + fib(n)


def keywords(n, *rest, step=1, scale=2.0):
    if n <= 0:
        return scale + sum(rest)
    return keywords(n - step, *rest, scale=scale, step=step) + 1


def sizes(x, n):
    y = x * 2

    def rest(a, k):
        if k == 0:
            return len(a) + (a + y[: len(a)]).sum()
        return rest(a[1:], k - 1) + a.shape[0]

    return rest(x, n)


def flagged(n, first=True):
    if n == 0:
        return 0
    return (1 if first else -2) + flagged(n - 1, not first)


def raised(n):
    if n < 0:
        raise ValueError(f"{n} is negative")
    return 0 if n == 0 else n + raised(n - 2)


def caught(xs, i):
    def below(k):
        if xs[k] < 0:
            raise ValueError("negative")
        return 0 if k == 0 else xs[k] + below(k - 1)

    try:
        return below(i)
    except ValueError:
        return -1.0


def backtracked(xs, chosen, i):
    if i == len(xs):
        print(chosen, sum(chosen))
        return len(chosen)
    found = backtracked(xs, chosen, i + 1)
    chosen.append(xs[i])
    found += backtracked(xs, chosen, i + 1)
    chosen.pop()
    return found


def deeper(n):
    depth, names = 0, {"last": 0}

    def go(k):
        nonlocal depth
        if k == 0:
            return depth * 100 + names["last"]
        depth, names["last"] = depth + 1, 7
        found = go(k - 1)
        depth, names["last"] = depth - 1, 0
        return found

    return go(n)


LEFT, RIGHT, VALUE = np.array([1, 3, -1, -1]), np.array([2, -1, -1, -1]), np.array([1.0, 2, 4, 8])


def with_a_path(x, n):
    """Two functions in turn, with a list around them whose first item one of them changes."""
    path = []

    def down(k, y):
        if k <= 0:
            return y + k
        if len(path) > 0:
            path[0] += y
        return across(k - 1 - (k > 3), y * 0.5) * 0.5

    def across(k, y):
        if k <= 0:
            return y * 0.5
        z = y + across(k // 2, y * 0.5)
        path.append(y + k)
        z = down(k - 1, z) + sum(path)
        path.pop()
        return z

    return down(n, x)


CASES = [
    (with_a_path, (np.float64(1.5), I(3)), (np.float64(2.0), I(5))),
    (fib, (I(0),), (I(10),)),
    (ackermann, (I(0), I(1)), (I(2), I(2))),
    (power, (I(3), I(13)), (I(2), I(3))),
    (search, (np.arange(40) * 2, I(18), 0, 39), (np.arange(40) * 2, I(17), 0, 39)),
    (tree_sum, (LEFT, RIGHT, VALUE, I(0)), (LEFT, RIGHT, VALUE, I(-1))),
    (is_even, (I(7),), (I(4),)),
    (hanoi, (I(5),), (I(0),)),
    (gcd, (I(48), I(18)), (I(7), I(0))),
    (partitions, (np.array([3, 1, 2, 9, 4, 4, 0]), I(0), I(6)), (np.zeros(7, int), I(3), I(3))),
    (inner_function, (np.array([1.0, 2.0]), I(3)), (np.array([1.0, 2.0]), I(0))),
    (assigned_outside, (I(6),), (I(1),)),
    (attribute, (I(20),), (I(0),)),
    (appended, (I(12),), (I(0),)),
    (remembered, (I(8),), (I(1),)),
    (flooded, (np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]]),), (np.zeros((3, 3), int),)),
    (written_through_views, (np.arange(6.0), I(3)), (np.arange(6.0), I(0))),
    (merge_sort, (np.array([3.0, 1.0, 2.0, 5.0]),), (np.ones(4),)),
    (in_loops, (I(4),), (I(0),)),
    (in_a_condition, (I(7),), (I(1),)),
    (path, (I(6),), (I(1),)),
    (in_order, (LEFT, RIGHT, I(0)), (LEFT, RIGHT, I(-1))),
    (two_results, (I(6),), (I(0),)),
    (widened, (np.float32(8), I(2)), (np.float32(1), I(1))),
    (nothing, (I(4),), (I(3),)),
    (printed, (I(4),), (I(0),)),
    (around, (I(3), I(2)), (I(0), I(2))),
    (keywords, (I(4), 1, I(2)), (I(0), 1, I(2))),
    (sizes, (np.arange(5.0), I(2)), (np.arange(5.0), I(0))),
    (flagged, (I(5),), (I(0),)),
    (raised, (I(6),), (I(5),)),
    (caught, (VALUE, I(3)), (-VALUE, I(2))),
    (backtracked, (np.array([3, 2, 1]), [], I(0)), (np.array([3, 2, 1]), [], I(2))),
    (deeper, (I(3),), (I(0),)),
]


def outcome(function, arguments):
    """Return what a call returns or raises, what it prints, and what its arguments hold then."""
    own, text = copy.deepcopy(arguments), io.StringIO()
    with redirect_stdout(text):
        try:
            found = function(*own)
        except ValueError as error:
            found = str(error)
    return found, text.getvalue(), own


@pytest.mark.parametrize(("function", "calls"), [(f, calls) for f, *calls in CASES])
def test_they_mean_what_python_means(function, calls):
    staged, native = ag.function(function), ag.function(function, backend="native")
    for arguments in calls:
        expected = outcome(function, arguments)
        np.testing.assert_equal(outcome(staged, arguments), expected)
        np.testing.assert_equal(outcome(native, arguments), expected)
    assert staged.trace_count == 1


@pytest.mark.parametrize("function", [fib, partitions, in_loops])
def test_their_graphs_are_valid_read_back_and_run_by_the_interpreter(function):
    arguments = next(calls[0] for f, *calls in CASES if f is function)
    own = copy.deepcopy(arguments)
    concrete = ag.function(function).get_concrete_function(*own)
    text = print_graph(concrete.traced_graph)
    graph = read_graph(text)
    verify(graph)
    assert print_graph(graph) == text
    found = interpret(graph, own, np)
    assert found[0] == function(*copy.deepcopy(arguments))


def test_a_graph_has_the_function_once_and_calls_it():
    text = str(ag.function(fib).graph(I(3)))
    assert text.count(" = call(") == 1
    assert text.count("call_again(") == 2
    assert "function='fib'" in text


def test_arguments_that_are_known_are_run_while_tracing():
    assert "call" not in str(ag.function(lambda x: x + fib(6)).graph(I(1)))


def test_recursion_without_end_says_how_deep_it_was():
    def falls(n):
        return 0 if n == 0 else 1 + falls(n + 1)

    with pytest.raises(RecursionError, match=r"falls called itself \d{3} times and did not come"):
        ag.function(falls)(I(1))


def test_an_error_inside_shows_the_line_of_the_user():
    with pytest.raises(ValueError, match="-1 is negative") as found:
        ag.function(raised)(I(3))
    lines = [entry.statement.lines[0].strip() for entry in found.traceback]
    assert lines[-1].startswith("raise ValueError")
    assert lines[-2] == "return 0 if n == 0 else n + raised(n - 2)"


def in_a_try(n):
    try:
        return 0 if n == 0 else in_a_try(n - 1) + 1
    except ValueError:
        return 5


def of_texts(n, side="left"):
    return 0 if n == 0 else 1 + of_texts(n - 1, "right" if side == "left" else "left")


def of_ranks(x, n):
    return x if n == 0 else of_ranks(np.stack([x, x]), n - 1) + 0


def always(n):
    if n > 0:
        return always(n - 1) + 1
    return always(n + 1) + 1


def of_two_names(x, n):
    def swapped(a, b, k):
        if k > 0:
            a[0] += 1
            swapped(b, a, k - 1)

    swapped(x, x, n)


def without_a_value(n):
    def visit(k):
        nonlocal found
        if k == 3:
            found = k
        elif k > 0:
            visit(k - 1)

    if n > 100:
        found = 1
    visit(n)
    return found


def by_a_generator(n):
    def below(k):
        if k > 0:
            yield k
            yield from below(k - 1)

    total = 0
    for k in below(n):
        total += k
    return total


def of_an_array_from_two_places(x, n):
    x = x.copy()

    def visit(a, k):
        if k <= 0:
            return a[0]
        x[0] += a[1]
        return visit(a, k - 1) + 1

    return visit(x, n)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (by_a_generator, (I(3),), RecursionError, r"below calls itself \(.*, line \d+\), and had"),
        (without_a_value, (I(5),), ag.CallMismatchError, "Give 'found' a value before visit is"),
        (of_an_array_from_two_places, (np.ones(2), I(2)), ag.MutationError, "as a variable from"),
        (in_a_try, (I(3),), ag.CallMismatchError, "in_a_try calls itself .* inside a `try`"),
        (
            of_texts,
            (I(3),),
            ag.CallMismatchError,
            r"side is 'left' \(str\) in one call",
        ),
        (of_ranks, (np.ones(2), I(3)), ag.CallMismatchError, r"x is f64\[2\] in .* f64\[2, 2\]"),
        (always, (I(3),), RecursionError, "always calls itself, whatever its arguments are"),
        (of_two_names, (np.ones(2), I(3)), ag.MutationError, "swapped writes into a, and has that"),
    ],
)
def test_what_is_refused_says_why_and_what_to_write(function, arguments, error, message):
    with pytest.raises(error, match=message):
        ag.function(function)(*arguments)


def sum_of_positives(v, i):
    if i == len(v):
        return 0.0
    if v[i] > 0:
        return v[i] + sum_of_positives(v, i + 1)
    return sum_of_positives(v, i + 1)


def kept_of(values, i, kept):
    if i == len(values):
        return len(kept)
    if values[i] > 0:
        return kept_of(values, i + 1, (*kept, i))
    return kept_of(values, i + 1, kept)


def test_calls_in_both_arms_of_branches_inside_of_each_other_are_traced_once():
    staged = ag.function(lambda v: sum_of_positives(v, 0))
    v = np.linspace(-1.0, 1.0, 60) ** 3
    assert staged(v) == sum_of_positives(v, 0)
    assert staged(-v) == sum_of_positives(-v, 0)
    assert len(str(staged.graph(v))) < 3000


def test_calls_whose_arguments_no_type_holds_are_traced_one_by_one_as_before(monkeypatch):
    monkeypatch.setattr(endless_calls, "MOST_INLINED", 2)
    monkeypatch.setattr(call, "DEEP", 2)
    monkeypatch.setattr(endless_calls, "MOST_ALIKE", 2)
    given = [np.float64(x) for x in (1, -2, 3, 4)]
    staged = ag.function(lambda *values: kept_of(values, 0, ()))
    assert staged(*given) == 3


def halved(x, n):
    if n <= 0:
        return x * x
    return halved(x * 0.5, n - 1) + x


def test_a_function_that_is_called_in_several_forms_is_several_functions():
    """What is known in one call is staged in another, and the types differ in a third."""

    def total(x, n):
        return halved(x, 2) + halved(x, n), halved(n, n)

    staged = ag.function(total)
    for x, n in ((np.float64(1.5), I(3)), (np.float64(-2.0), I(0))):
        assert staged(x, n) == total(x, n)
    text = str(staged.get_concrete_function(np.float64(1.5), I(3)).plan)
    assert "def halved(" in text
    assert "def halved_2(" in text


def test_a_function_that_is_called_in_one_form_is_one_function():
    staged = ag.function(lambda x, n: halved(x, n) * halved(x + 1, n + 1))
    assert staged(np.float64(1.5), I(3)) == halved(1.5, 3) * halved(2.5, 4)
    assert "halved_2" not in str(staged.get_concrete_function(np.float64(1.5), I(3)).plan)


def merge_sort(a):
    if len(a) <= 1:
        return a
    left, right = merge_sort(a[: len(a) // 2]), merge_sort(a[len(a) // 2 :])
    found = np.empty_like(a)
    i = j = 0
    for k in range(len(a)):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            found[k] = left[i]
            i += 1
        else:
            found[k] = right[j]
            j += 1
    return found


def test_a_function_of_parts_of_an_array_is_one_of_the_graph_where_its_trace_would_be_long(
    monkeypatch,
):
    monkeypatch.setattr(endless_calls, "MANY_CALLS", 4)
    monkeypatch.setattr(endless_calls, "MANY_NODES", 100)
    staged = ag.function(lambda a: merge_sort(a))
    for size in (13, 0):
        a = np.random.default_rng(0).normal(size=size)
        np.testing.assert_array_equal(staged(a), np.sort(a))
    assert "def merge_sort(" in str(staged.get_concrete_function(np.ones(13)).plan)


class Cell:
    def __init__(self, value, rest=None):
        self.value, self.rest = value, rest


def merged(one, other):
    if not one or not other:
        return one or other
    if one.value < other.value:
        one.rest = merged(one.rest, other)
        return one
    other.rest = merged(one, other.rest)
    return other


def test_a_function_without_variables_is_given_one_of_several_things():
    def f(x, y):
        cell = merged(Cell(x, Cell(y)), Cell(y))
        return cell.value, cell.rest.value, cell.rest.rest.value

    staged = ag.function(f)
    for x, y in ((1, 2), (3, 2)):
        assert staged(np.int64(x), np.int64(y)) == f(x, y)


def test_a_number_beside_an_item_of_a_dict_keeps_its_class():
    def f(n):
        held, seen = np.zeros(3), {}

        def g(k):
            if k <= 1:
                return 1.0
            if k in seen:
                return seen[k]
            seen[k] = 1.0
            return held[1] - g(k - 2) * 0.25

        return g(n) * 0.5, g(n // 2) + 1.0

    staged = ag.function(f)
    for n in (1, 2, 3):
        assert repr(staged(np.int64(n))) == repr(f(np.int64(n)))


def test_a_function_that_is_called_at_several_places_begins_with_what_was_found(monkeypatch):
    runs, counts = [], []
    run, stage = Recursion._run, Recursion.stage

    def counted(self):
        before, found = len(runs), stage(self)
        counts.append(len(runs) - before)
        return found

    monkeypatch.setattr(Recursion, "_run", lambda *args: runs.append(1) or run(*args))
    monkeypatch.setattr(Recursion, "stage", counted)

    def f(x, n):
        path = []

        def walk(k, y):
            if k <= 0 or y in path:
                return y
            path.append(y)
            y = walk(k - 1, y * 0.5) + path[-1]
            path.pop()
            return y

        return walk(n, x), walk(n - 1, x + 1), walk(n - 2, x), walk(3, 1.0)

    staged = ag.function(f)
    arguments = np.float64(3), np.int64(4)
    assert repr(staged(*arguments)) == repr(f(*arguments))
    assert len(counts) >= 4
    assert counts[-3] < counts[-4]
    assert counts[-2] == 1


class Tree:
    def __init__(self, value, left=None):
        self.value, self.left = value, left

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value


@pytest.mark.filterwarnings("ignore::autograph.FallbackWarning")
def test_calls_that_tracing_finds_no_end_of_are_made_by_python():
    def f(n):
        tree = Tree(n)
        for k in range(3):
            tree = Tree(k, tree) if n > k else Tree(-k, tree)
        return list(tree)

    assert ag.function(f)(np.int64(2)) == f(2)
