"""Loops and jumps."""

from __future__ import annotations

from collections import deque

import numpy as np

import autograph as ag
from tests.language.rows import row

LOOPS = "Loops"
JUMPS = "Jumps"


@row(LOOPS, "`while`", (5.0,), (-1.0,), staged="`while_loop`", reference="the same")
def while_loop(x):
    rounds = 0
    while x > 1:
        x = x / 2
        rounds += 1
    return x, rounds


@row(LOOPS, "`while` with `else`", (5.0,), (0.0,), staged="`while_loop`", reference="refused")
def while_else(x):
    while x > 1:
        x = x / 2
        if x == 1.25:
            break
    else:
        x = -x
    return x


@row(LOOPS, "`:=` in the test of a loop", (5.0,), staged="`while_loop`", reference="NameError")
def walrus_in_a_test(x):
    total = 0.0
    while (y := x - 1) > 0 and (z := y * 2) > 1:
        x = x - 1
        total = total + z
    return total, y


@row(
    LOOPS,
    "`for` over an array",
    ([1.0, 2.0, 3.0],),
    staged="`reduce`",
    reference="a while loop over a tensor array",
)
def for_over_an_array(xs):
    total = 0.0
    for x in xs:
        total += x * total + 1
    return total, x


@row(
    LOOPS,
    "`for` over rows, with a nested target",
    ([[1.0, 2.0], [3.0, 4.0]],),
    staged="`reduce`",
    reference="a while loop over a tensor array",
)
def nested_target(rows):
    total = 0.0
    for k, (a, b) in enumerate(rows):
        total += a * b + k
    return total


@row(
    LOOPS,
    "`for` over `range` of a staged number",
    (4.0,),
    staged="`reduce`",
    reference="a while loop",
)
def staged_range(x):
    total = 0
    for k in range(int(x)):
        total += k
    return total


@row(
    LOOPS,
    "`for` over a long `range` whose rounds are alike",
    (4.0,),
    staged="`reduce`",
    reference="unrolled",
)
def rolled(x):
    for k in range(300):
        x = x * 0.5 + k
    return x


@row(
    LOOPS,
    "`for` over a long list of numbers or pairs, `enumerate` or `product` of such, a known array",
    (4.0,),
    staged="`reduce`",
    reference="unrolled",
)
def rolled_list(x):
    for k, (v, w) in enumerate([(n % 7, n * 0.5) for n in range(300)]):
        x = x * 0.5 + k - v * w
    for v in np.linspace(0.0, 1.0, 300):
        x = x * 0.5 + v
    return x


@row(
    LOOPS,
    "`for` over `range`, tuples, lists, dicts",
    (4.0,),
    staged="unrolled",
    reference="unrolled",
)
def unrolled(x):
    for k in range(3):
        x = x + k
    for name, factor in {"a": 2.0, "b": x}.items():
        x = x * factor + len(name)
    return x


@row(
    LOOPS,
    "`for` over an array with attributes and items as target",
    ([1.0, 2.0],),
    staged="`reduce`; a dict that gets a key is one of the graph",
    reference="a while loop, with composite targets",
)
def item_as_target(xs):
    found = {}
    for found["x"] in xs:
        pass
    return found["x"]


@row(
    LOOPS,
    "`while ag.hint(..., max_iterations=, label=)`",
    (5.0,),
    staged="`while_loop`; one round too many is a RuntimeError when the graph runs",
    reference="`set_loop_options`; the limit counts under XLA only",
)
def hinted_while(x):
    while ag.hint(x > 1, max_iterations=10, label="halving"):
        x = x / 2
    return x


@row(
    LOOPS,
    '`while ag.hint(..., mode="elementwise")`',
    (5.0,),
    staged="`while_loop`; over arrays each element has its own number of rounds",
    reference="no such hint",
)
def elementwise_while(x):
    rounds = 0
    while ag.hint(x > 1, mode="elementwise"):
        x = x / 2
        rounds += 1
        if rounds == 9:
            break
    return x, rounds


@row(
    LOOPS,
    "`while ag.hint(..., shape_invariants=)`",
    ([1.0, 2.0],),
    staged="`while_loop` with open sizes",
    reference="`set_loop_options`, as pairs of a tensor and a shape",
)
def declared_shapes(x):
    while ag.hint(np.sum(x) < 10, shape_invariants={"x": (None,)}):
        x = np.concatenate([x, x[:1] + 1])
    return x


@row(
    LOOPS,
    "`for ... in ag.hint(..., unroll=)`",
    ([1.0, 2.0, 3.0],),
    staged="unrolled by True; two rounds in one of a `reduce` by 2; a `reduce` by False",
    reference="no such hint",
)
def hinted_for(xs):
    total = 0.0
    for x in ag.hint(xs, unroll=True):
        total += x
    for k in ag.hint(range(4), unroll=2):
        total = total * 2 + k
    return total


@row(
    LOOPS,
    "`for` with `else`",
    ([1.0, 2.0],),
    ([1.0, 9.0],),
    staged="`while_loop`",
    reference="refused",
)
def for_else(xs):
    for x in xs:
        if x > 5:
            break
    else:
        x = -x
    return x


@row(
    LOOPS,
    "a variable that a loop without rounds leaves unassigned",
    ([1.0],),
    staged="`reduce`; reading it unassigned is an UnboundLocalError when the graph runs",
    reference="zeros, and an assertion that there is a round",
)
def loop_assigns(xs):
    for x in xs:
        last = x
    return last


@row(
    LOOPS,
    "a number that becomes one of another class",
    ([1, 2, 3],),
    ([],),
    staged="the class is carried beside the number; no round, and it is the one before",
    reference="refused: TypeError or ValueError, with a hint",
)
def changes_its_class(xs):
    total = 0
    for x in np.asarray(xs) * 0.5:
        total = total + x
    return total


@row(
    LOOPS,
    "appending to a list in a staged loop",
    ([1.0, 2.0],),
    ([],),
    staged="an array with room for more, and a length; a list again when it is returned",
    reference="happens once, while tracing; with LISTS a tensor list",
)
def append(xs):
    found = []
    for x in xs:
        found.append(x)
    return found


@row(
    LOOPS,
    "appending numbers of several classes to a list in a staged loop",
    ([1.0, -2.0],),
    staged="the same, and a column that says which class each item has",
    reference="an error: items of a tensor list are of one dtype",
)
def append_several(xs):
    found = [1]
    for x in xs:
        found.append(x if x > 0 else 0.5)
    return found


@row(
    LOOPS,
    "a list as a stack",
    ([3.0, 1.0],),
    staged="`while_loop`; `pop from empty list` is an IndexError when the graph runs",
    reference="with LISTS; `pop` at the end, of annotated items",
)
def stack(xs):
    work, total = [xs[0]], 0.0
    while work:
        x = work.pop()
        total += x
        if x > xs[1]:
            work.append(x - 1)
    return total


@row(
    LOOPS,
    "a dict that gets keys in a staged loop",
    ([1.0, 2.0, 1.0],),
    ([],),
    staged="`reduce`; keys are numbers and tuples of numbers",
    reference="refused: a tensor is no key",
)
def counts(xs):
    found = {}
    for x in xs:
        found[x] = found.get(x, 0) + 1
    return found


@row(
    LOOPS,
    "a set and a deque that change in a staged loop",
    ([1.0, 2.0, 1.0],),
    ([],),
    staged="`while_loop`; a set is in the order of CPython's, one of texts in none",
    reference="refused: a tensor is no item of a set",
)
def seen_and_queue(xs):
    seen, queue = set(), deque(xs[:1])
    for x in xs:
        if x not in seen:
            seen.add(x)
            queue.append(x)
    total = 0.0
    while queue:
        total = total * 2 + queue.popleft()
    return total, len(seen)


@row(
    LOOPS,
    "items of several shapes in a list that grows in a staged loop",
    ([1.0, 2.0],),
    refused=(ag.MutationError, "Arrays among its items must have one shape"),
    reference="with LISTS, of annotated items",
)
def append_shapes(xs):
    found = [xs[:1]]
    for _ in xs:
        found.append(xs)
    return found


@row(
    LOOPS,
    "an iterator that a staged branch or loop takes from, and that is gone on with",
    (2.0,),
    staged="`while_loop`",
    reference="gives one item, while tracing",
)
def iterator_from_outside(x):
    items = iter([1.0, 2.0, 3.0])
    while x > 0:
        x = x - next(items)
    return x, next(items)


@row(
    LOOPS,
    "`for` over a dataset",
    ([1.0, 2.0],),
    staged="`reduce`",
    reference="the same, by `scan`, `take_while` and `reduce`",
)
def over_dataset(xs):
    total = 0.0
    for k, x in enumerate(ag.data.Dataset.from_arrays(xs).repeat(2)):
        if x > 1:
            continue
        total += x * k
    return total


@row(
    LOOPS,
    "results of rounds in a `TensorArray`",
    ([1.0, 2.0],),
    staged="`reduce`",
    reference="the same, where each write is assigned",
)
def tensor_array(xs):
    found = ag.TensorArray(np.float64, size=len(xs))
    for k, x in enumerate(xs):
        found = found.write(k, x * 2)
    return found.stack()


@row(
    LOOPS,
    "writing items of an array",
    ([1.0, 2.0],),
    staged="`reduce`",
    reference="refused; with LISTS for one index",
)
def write_items(xs):
    found = np.zeros(2)
    for k, x in enumerate(xs):
        found[k] = x * 2
    return found


@row(JUMPS, "`break`", ([1.0, 5.0, 3.0],), staged="`while_loop`", reference="the same")
def break_out(xs):
    for x in xs:
        if x > 3:
            break
    return x


@row(JUMPS, "`continue`", ([1.0, 5.0, 3.0],), staged="`cond`", reference="the same")
def continue_on(xs):
    total = 0.0
    for x in xs:
        if x > 3:
            continue
        total += x
    return total


@row(
    JUMPS,
    "`return` in a branch",
    (2.0,),
    (0.5,),
    (-1.0,),
    staged="`cond`",
    reference="the same, where all arms return",
)
def early_return(x):
    if x < 0:
        return -x
    y = x * 2
    if y > 2:
        return y
    return x


@row(
    JUMPS,
    "`return` in a loop",
    ([1.0, 5.0],),
    ([1.0, 2.0],),
    staged="`while_loop`",
    reference="refused where nothing was returned before",
)
def return_in_a_loop(xs):
    for x in xs:
        if x > 3:
            return x
    return -1.0


@row(
    JUMPS,
    "`break` and `return` on a staged value in an unrolled loop",
    (2.0,),
    (9.0,),
    staged="later rounds under `cond`",
    reference="refused: NotImplementedError",
)
def break_in_an_unrolled_loop(x):
    for k in (1.0, 2.0, 3.0):
        if x > k * 4:
            return k
        if x < k:
            break
        x = x + 1
    return x


@row(
    JUMPS,
    "jumps in nested loops",
    ([[1.0, 2.0], [9.0, 1.0]],),
    ([[1.0, 2.0], [0.0, 1.0]],),
    staged="`while_loop`",
    reference="the same",
)
def nested_loops(rows):
    total = 0.0
    for xs in rows:
        for x in xs:
            if x > 5:
                return total
            if x == 0:
                break
            total += x
    return -total


@row(
    JUMPS,
    "jumps in `try`, `finally` and `with`",
    (4.0,),
    (2.0,),
    (-2.0,),
    staged="`cond`",
    reference="the same; the `try` is Python's",
)
def jumps_in_try(x):
    count = 0.0
    for k in (1.0, 2.0):
        try:
            if x > 3:
                return x + k, count
            if x > 0:
                continue
            x = x - k
        finally:
            count += 1
    return x, count


@row(
    JUMPS,
    "a jump out of `finally`",
    (2.0,),
    staged="its conditions stay Python: known ones only",
    kept=True,
    reference="as in Python",
)
def jump_out_of_finally(x):
    while True:
        try:
            y = x * 2
        finally:
            if x is not None:
                break
    return y


@row(
    JUMPS,
    "a staged condition that jumps out of `finally`",
    (2.0,),
    refused=(
        ag.StagedBoolError,
        "a condition stays Python in a `finally` that it leaves by a jump",
    ),
    reference="not documented",
)
def staged_jump_out_of_finally(x):
    while True:
        try:
            y = x * 2
        finally:
            if x > 0:
                break
        x = x + 1
    return y


@row(
    JUMPS,
    "`del`",
    (2.0,),
    staged="as in Python",
    kept=True,
    reference="marks the name as undefined",
)
def delete(x):
    y = x * 2
    z = y
    del y
    return z
