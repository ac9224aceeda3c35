"""Other statements."""

from __future__ import annotations

import contextlib

import numpy as np

import autograph as ag
from tests.language.rows import row

ERRORS = "Errors and contexts"
NAMES = "Names"
COUNT = 0.0
LAST = 0.0


@row(
    ERRORS,
    "`assert`, with a message when it fails",
    (2.0,),
    (-1.0,),
    staged="`check`",
    reference="the same, for constant messages",
)
def assertion(x):
    assert x > 0, "x has to be positive"
    return x


@row(
    ERRORS,
    "`except` of what staged code raises: `raise`, `assert`, indices, division by zero",
    (2.0, 1),
    (-1.0, 1),
    (2.0, 7),
    (2.0, 0),
    staged="`try_`",
    reference="catches what is raised while tracing, only",
)
def except_staged(x, i):
    values = np.array([1.0, 2.0, 3.0])
    y = x
    try:
        y = x + 1
        if x < 0:
            raise ValueError("negative")
        y = values[int(i + x) % 8]
        y = y + 6 // int(i)
    except ValueError as error:
        y = y * len(str(error))
    except (IndexError, ZeroDivisionError):
        y = -y
    else:
        y = y + 0.5
    finally:
        y = y * 2
    return y


@row(
    ERRORS,
    "the text of an index error of staged code",
    (2.0,),
    (1.0,),
    staged="`try_`, `raises`",
    reference="not caught",
)
def text_of_index_error(x):
    values = np.array([1.0, 2.0])
    try:
        return values[int(x)]
    except IndexError as error:
        return str(error)


@row(
    ERRORS,
    "`try`, `except`, `else`, `finally` around Python's own errors",
    (2.0,),
    (-1.0,),
    staged="while tracing",
    reference="the same",
)
def try_statement(x):
    log = []
    try:
        if x > 0:
            x = x + 1
        {}["missing"]
    except KeyError as error:
        log.append(str(error))
    else:
        log.append("else")
    finally:
        log.append("finally")
    return x, log


@row(
    ERRORS,
    "`raise ... from`, re-raising",
    (2.0,),
    staged="as in Python",
    reference="the same, while tracing",
)
def raise_from(x):
    try:
        try:
            raise KeyError("a")
        except KeyError as error:
            raise ValueError("b") from error
    except ValueError as error:
        return x if isinstance(error.__cause__, KeyError) else -x


@row(
    ERRORS,
    "`except UnboundLocalError` with a staged condition",
    (2.0,),
    kept=True,
    refused=(ag.StagedBoolError, "left as Python because of `except UnboundLocalError`"),
    reference="not documented",
)
def except_unbound(x):
    try:
        if x > 0:
            y = x
        return y
    except UnboundLocalError:
        return -x


@contextlib.contextmanager
def noting(log, name):
    log.append(name)
    try:
        yield name
    finally:
        log.append(-name)


@row(
    ERRORS,
    "`with`, several managers, early exits",
    (2.0,),
    (-1.0,),
    staged="entered while tracing",
    reference="the same; what makes the manager is not converted",
)
def with_statement(x):
    log = []
    for k in (1, 2):
        with noting(log, k) as a, noting(log, k + 10):
            if x > 0:
                continue
            x = x - a
    return x, len(log)


@row(ERRORS, "a context that swallows errors", (2.0,), staged="as in Python", reference="the same")
def suppressing(x):
    with contextlib.suppress(KeyError), contextlib.nullcontext() as nothing:
        x = x + 1
        {}["missing"]
        x = x + 100
    return x if nothing is None else -x


class Transaction:
    def __init__(self):
        self.state = "open"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.state = "committed" if kind is None else f"rolled back: {error}"
        return kind is not None and issubclass(kind, ValueError)


@row(
    ERRORS,
    "a context that swallows, or notes, what staged code raises",
    (2.0,),
    (-1.0,),
    staged="`try_`",
    reference="swallows what is raised while tracing, only",
)
def rolled_back(x):
    with Transaction() as change, contextlib.suppress(ZeroDivisionError):
        if x > 0:
            raise ValueError("too large")
        x = x * 2
    return x, change.state


@row(
    NAMES,
    "`global` that is read",
    (2.0,),
    staged="its value while tracing",
    kept=True,
    reference="the same",
)
def read_global(x):
    return x + COUNT


@row(
    NAMES,
    "assigning a staged value to a `global`",
    (2.0,),
    kept=True,
    staged="assigned when the graph has run",
    reference="state, as any variable",
)
def write_global(x):
    global LAST
    LAST = x
    return LAST


@row(NAMES, "`nonlocal` in inner functions", (2.0,), (-1.0,), staged="`cond`", reference="the same")
def nonlocal_(x):
    total = 0.0

    def add(value):
        nonlocal total
        if value > 0:
            total = total + value

    add(x)
    add(x + 1)
    return total


@row(
    NAMES,
    "annotations, with and without a value",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="the same",
)
def annotations(x: float) -> float:
    y: float
    z: float = x * 2
    if x > 0:
        y = z
    else:
        y: float = -z
    return y


@row(
    NAMES,
    "`del` in an arm, then reading it",
    (2.0,),
    staged="as in Python",
    reference="the same",
)
def delete_in_an_arm(x):
    y = x
    if x is not None:
        del y
    try:
        return y
    except NameError:
        return -x


@row(
    NAMES,
    "`import` inside a function",
    (2.0,),
    kept=False,
    staged="while tracing",
    reference="the same",
)
def imports(x):
    import math
    from math import pi as turn

    return x * math.floor(turn)


@row(
    NAMES,
    "names that operators have too: `ag`, `body`, `then`",
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="prefixes: `ag__`, `tf__`",
)
def names_of_ours(x):
    ag = body = then = 1.0
    if x > 0:
        then = x
    else:
        body = ag
    return then + body


@row(
    NAMES,
    "`locals()`, `vars()`, `dir()`, `eval`, `exec`",
    (2.0,),
    kept=True,
    staged="the function is left as Python; it sees its own names",
    reference="`locals()` shows generated names",
)
def sees_frame(x):
    y = x
    return sorted(locals()), eval("y"), sorted(vars())


@row(
    NAMES,
    "`locals()` with a staged condition",
    (2.0,),
    kept=True,
    refused=(ag.StagedBoolError, "was left as Python because of `locals()` in line"),
    reference="`locals()` shows generated names",
)
def locals_with_a_condition(x):
    names = sorted(locals())
    if x > 0:
        return x, names
    return -x, names


@row(
    NAMES,
    "changing an argument's items in place",
    ([1.0, 2.0],),
    staged="`update`",
    kept=True,
    reference="refused; with LISTS for one index",
)
def in_place(xs):
    xs[0] = 5.0
    return np.sum(xs)
