"""Expressions."""

from __future__ import annotations

import logging
import sys

import numpy as np

import autograph as ag
from tests.language.rows import row

LOGIC = "Logic and comparisons"
OTHERS = "Other expressions"


@row(
    LOGIC,
    "`and`, `or`: operands when they are needed",
    (2.0,),
    (-1.0,),
    (0.5,),
    staged="`cond`",
    reference="the same; the result is boolean",
)
def and_or(x):
    return 1.0 if x > 1 and 1 / x > 0 or x < 0 else 2.0


@row(LOGIC, "`not`", (2.0,), (-1.0,), staged="`not_`", reference="the same")
def not_(x):
    return not x > 1


@row(
    LOGIC,
    "`<`, `==`, ...",
    (2.0,),
    staged="`greater`, `equal`",
    kept=True,
    reference="the same; `==` with EQUALITY_OPERATORS",
)
def comparison(x):
    return x > 1, x == 2


@row(
    LOGIC,
    "chained comparisons, each operand once",
    (2.0,),
    (5.0,),
    staged="`cond`",
    reference="refused; with EQUALITY_OPERATORS the middle is evaluated twice",
)
def chained(x):
    asked = []

    def middle():
        asked.append("middle")
        return x

    return 1 < middle() < 3, len(asked)


@row(LOGIC, "`in`, `not in`", (2.0,), (5.0,), staged="`equal`", reference="not converted")
def contained(x):
    return x in (1.0, 2.0), x not in [5.0]


@row(
    LOGIC,
    "`is`, `is not` of a parameter",
    (2.0,),
    kept=True,
    staged="decided while tracing",
    reference="while tracing",
)
def identity(x):
    return x is not None, x is None


@row(
    LOGIC,
    "`is`, `is not` of a variable",
    (2.0,),
    (-2.0,),
    staged="decided while tracing, or by `cond` where a staged branch has assigned it",
    reference="while tracing",
)
def identity_of_a_variable(x):
    y = x
    if x < 0:
        y = None
    return y is None, y is x


@row(
    LOGIC,
    "`is True`, `is not False`",
    (4.0,),
    (1.0,),
    staged="`not_`, for truth values of Python",
    reference="while tracing: always False",
)
def truth_identity(x):
    rounds = 0
    while x > 0:
        x, rounds = x - 1, rounds + 1
    many = rounds > 2
    return many is True, many is not False, many is False, (x > 0) is True


@row(
    LOGIC,
    "conditional expressions",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="the same, for one dtype",
)
def conditional(x):
    return x if x > 0 else -x if x < -5 else 0.0


@row(
    LOGIC,
    "`:=` in an operand",
    (2.0,),
    (-1.0,),
    (1.0,),
    staged="`cond`",
    reference="a plain assignment",
)
def walrus_in_an_operand(x):
    y = 5.0
    if x > 0 and (y := x * 2) > 3:
        return y
    return y - 1


@row(
    LOGIC,
    "`:=` in an operand, in a lambda",
    (2.0,),
    kept=False,
    refused=(ag.StagedBoolError, "a lambda that binds a name by `:=` is left as Python"),
    reference="a plain assignment",
)
def walrus_in_a_lambda(x):
    function = lambda a: a > 0 and (b := a + 1) and b
    return function(x)


@row(
    OTHERS,
    "comprehensions over tuples, lists, `range`",
    (2.0,),
    (-1.0,),
    staged="unrolled, `cond`",
    reference="not converted",
)
def comprehension(x):
    values = [abs_(x + k) if x > 0 else x for k in range(3) if k != 1]
    return sum(values), {k: abs_(x) for k in (1, 2)}, len({k for k in "ab"})


def abs_(x):
    if x < 0:
        return -x
    return x


@row(
    OTHERS,
    "comprehensions over many numbers",
    (2.0,),
    (-1.0,),
    staged="`while_loop`",
    reference="not converted",
)
def long_comprehension(x):
    return [x * k if x > 0 else x for k in range(1000)]


@row(
    OTHERS,
    "comprehensions over an array of known length",
    ([1.0, -2.0],),
    staged="unrolled",
    reference="not converted: going over a tensor fails",
)
def comprehension_over_an_array(xs):
    return [abs_(x) for x in xs]


@row(OTHERS, "generator expressions", ([1.0, -2.0],), staged="unrolled", reference="not converted")
def generator_expression(xs):
    return sum(abs_(x) for x in xs)


@row(
    OTHERS,
    "a staged `if` in a list comprehension",
    ([1.0, -2.0],),
    ([-1.0],),
    staged="a list",
    reference="not converted",
)
def condition_of_a_comprehension(xs):
    return [x for x in xs if x > 0]


@row(
    OTHERS,
    "a comprehension over a staged range",
    ([1.0, -2.0],),
    staged="a list",
    reference="not converted",
)
def comprehension_over_a_staged_range(xs):
    return [k * k for k in range(int(xs[0]))]


@row(
    OTHERS,
    "comprehensions over a list that grew in a staged loop",
    ([1.0, -2.0, 3.0],),
    ([-1.0],),
    staged="a list",
    reference="not converted",
)
def comprehension_over_a_grown_list(xs):
    level = []
    for x in xs:
        if x > 0:
            level.append(x)
    return [x * y for x in level for y in (1, 2)], sum(x * x for x in level)


@row(
    OTHERS,
    "`sum`, `max`, `any`, `all` of a generator with a staged `if`",
    ([1.0, -2.0, 3.0],),
    staged="`while_loop`",
    reference="not converted",
)
def generator_with_a_condition(xs):
    return sum(x for x in xs if x > 0), any(x > 2 for x in xs if x > 0)


@row(
    OTHERS,
    "dict and set comprehensions with a staged `if` or staged keys; `set`, `dict(zip(...))`",
    ([1.0, -2.0, 1.0],),
    staged="`while_loop`",
    reference="not converted",
)
def condition_of_a_dict_comprehension(xs):
    return {k: xs[k] for k in (0, 1) if xs[k] > 0}, {x: 2 * x for x in xs}, len(set(xs))


@row(
    OTHERS,
    "`a | b`, `a & b`, `a - b`, `a <= b` of sets whose items are staged",
    ([1.0, -2.0, 1.0],),
    staged="arrays of their items, compared with each other",
    reference="not converted",
)
def sets_together(xs):
    a, b = {x for x in xs}, {1.0, 3.0}  # noqa: C416
    return sorted(a | b), sorted(a & b), sorted(a - b), a <= b


@row(OTHERS, "lambdas", (2.0,), (-1.0,), staged="`cond`", reference="the same")
def lambdas(x):
    absolute = lambda a: a if a > 0 else -a
    plus = lambda a, *b, c=x: a + c
    return absolute(x) + plus(x)


@row(
    OTHERS,
    "lambdas made in a loop: late binding",
    (2.0,),
    staged="as in Python",
    reference="each has the value of its round",
)
def late_binding(x):
    made = []
    for k in range(3):
        made.append(lambda: x + k)
    return [function() for function in made]


@row(
    OTHERS,
    "indices, slices, `...`, `None`",
    ([1.0, 2.0, 3.0], 1),
    staged="`index`",
    reference="the same",
)
def indexing(xs, k):
    slice_ = xs[k:]
    return xs[-1] + slice_[0], xs[::2], xs[..., None]


@row(OTHERS, "a staged index", ([1.0, 2.0, 3.0], 1.0), staged="`index`", reference="the same")
def staged_index(xs, k):
    return xs[int(k)]


@row(
    OTHERS,
    "assignment to items and slices, `+=`",
    ([1.0, 2.0, 3.0],),
    staged="`update`",
    reference="refused; with LISTS for one index",
)
def item_assignment(xs):
    xs = xs.copy()
    xs[0] = 5.0
    xs[1:] += 1
    a = b = xs[0]
    return xs, a + b


@row(
    OTHERS,
    "unpacking: `a, *b = x`, `f(*x, **y)`, `[*x]`, `{**x}`",
    ([1.0, 2.0, 3.0],),
    staged="while tracing, arrays of known length too",
    kept=True,
    reference="the same",
)
def unpacking(xs):
    a, *b = xs
    options = {"axis": 0}
    return np.stack([*b, a], **options), {**{"a": a}, "b": b[0]}["a"]


@row(
    OTHERS,
    'f-strings, `"%s" % x`, `format()`, `join()` with staged values',
    (2.0,),
    (-1.0,),
    staged="a text that is made when the graph runs: returned, printed, the message of an error",
    reference="show the symbolic tensor",
)
def texts(x):
    if x < 0:
        raise ValueError(f"{x:.1f} is negative")
    return f"{'x':>{3}} is {x!r}", "%.1f of %s" % (x, "it"), ", ".join(["x", str(x)])


@row(
    OTHERS,
    "`print`, `sys.stdout.write`, logs, `warnings.warn`",
    (2.0,),
    (-1.0,),
    staged="written by the graph, in order, whatever is staged of it",
    reference="`print` only; `logging` is left out of graphs",
)
def output(x):
    if x < 0:
        print("negative")
        logging.getLogger("samples").debug("%s is negative", x)
    sys.stdout.write(f"{x:.1f}\n")


@row(
    OTHERS,
    "texts that loops and branches make, asked by operators and methods of `str`",
    (2.0,),
    (-3.0,),
    staged="one value of the graph, by `text`, `text_upper` and the like; returned as Python's",
    reference="`+` of string tensors; no methods of `str`",
)
def built_texts(x):
    s = ""
    while abs(x) < 9:
        s += "+" if x > 0 else "-"
        x *= 2
    if s.startswith("-"):
        s = s.replace("-", "m") + f"{x}"
    return s, len(s), s[-1].upper(), "+" in s


@row(
    OTHERS,
    "`await`, `yield` in the staged function itself",
    (2.0,),
    kept=True,
    refused=(NotImplementedError, "is a generator, which has no graph"),
    reference="refused",
)
def generator(x):
    yield x
