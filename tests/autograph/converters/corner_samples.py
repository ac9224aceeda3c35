"""Sample functions for corners: `with` and `finally` that go wrong, `del`, scopes, classes."""

from __future__ import annotations

import functools

from tests.autograph.converters.sampling import calls

slice = "a name of the module"


@calls(([1, 2, 3], 2))
def a_slice_where_the_module_has_its_own(x, n):
    return x[1:n]


@calls((0,), (1,), (2,), (3,))
def conditions_in_a_finally_that_breaks(x):
    log = []
    for k in (1, 2, 3):
        try:
            log.append(k)
            if k == x:
                raise ValueError
        finally:
            if k > 1:
                log.append("f")
                if k == 2:
                    y = k * 2
                    for j in range(k):
                        if j == x:
                            y = -y
                    log.append(y)
                    break
    return log


class Swallow:
    def __init__(s, log, name, swallow):
        s.log, s.name, s.swallow = log, name, swallow

    def __enter__(s):
        s.log.append(("in", s.name))
        return s

    def __exit__(s, *e):
        s.log.append(("out", s.name, e[0] and e[0].__name__))
        if s.swallow == "raise":
            raise KeyError(s.name)
        return s.swallow


@calls(
    *(
        (x, a, b)
        for x in (1, 3, 0, -9, 5)
        for a in (True, False, "raise")
        for b in (True, False, "raise")
    )
)
def two_managers_of_which_one_swallows_or_raises(x, a, b):
    log = []
    y = 0
    for k in (1, 2, 3):
        with Swallow(log, "a", a), Swallow(log, "b", b):
            if x == k:
                return "ret", log, y
            if x > k:
                continue
            y += 1
            if x < -5:
                break
            raise ValueError
        log.append("after")
    return "end", log, y


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def an_error_on_exit_inside_of_try(x):
    log = []
    for k in (1, 2):
        try:
            with Swallow(log, "a", True), Swallow(log, "b", "raise"):
                if x > k:
                    return "ret", log
                if x == k:
                    break
            log.append("after")
        except KeyError:
            log.append("caught")
        log.append("next")
    return "end", log


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def an_error_on_exit_of_a_nested_with(x):
    log = []
    while x > 0:
        x -= 1
        with Swallow(log, "a", True):
            with Swallow(log, "b", "raise"):
                if x > 1:
                    continue
                return log, x
            log.append("never")
        log.append("after")
    return log, "end"


@calls((3,))
def private_names_of_a_class_with_underscores(x):
    class _A__b:
        def m(self):
            self.__v = x
            read = lambda: self.__v
            return [self.__v for _ in range(2)], read()

    return _A__b().m()


@calls(([1, 2],))
def stars_in_tuples_and_targets(x):
    a = 1, *x
    for i, *b in [(1, 2, 3)]:
        a = *a, *b
    return a


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def del_of_a_global(x):
    global ZZ
    ZZ = x
    if x > 0:
        del ZZ
    try:
        return ZZ
    except NameError:
        return "none"


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def del_of_a_nonlocal(x):
    y = x

    def g():
        nonlocal y
        if x > 0:
            del y
        else:
            y = 5

    g()
    try:
        return y
    except NameError:
        return "unb"


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def the_name_of_an_exception_is_gone(x):
    e = 1
    try:
        if x > 0:
            raise ValueError(x)
    except ValueError as e:
        if x > 1:
            return "big"
    try:
        return e
    except NameError:
        return "gone"


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def defaults_of_lambdas(x):
    return [f() for f in [lambda k=k: k * x for k in range(3)]]


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def recursion_through_a_decorator(x):
    calls = []

    @functools.lru_cache(maxsize=None)
    def g(a):
        calls.append(a)
        if a > 1:
            return g(a - 1) + g(a - 2)
        return a

    return g(x), len(calls)


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def an_import_in_each_arm(x):
    if x > 0:
        import math as m
    else:
        import cmath as m
    return m.__name__


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_global_declared_in_an_arm(x):
    if x > 0:
        global QQ
        QQ = 3
    else:
        QQ = 4
    return QQ


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def keyword_only_parameters_of_an_inner_function(x):
    def g(*, a=1, b):
        return a + b if x else b

    return g(b=2)


@calls((1,), (0,))
def augmented_items_of_items(x):
    d = {"a": [1, 2]}
    d["a"][x] += 5
    d["a"][0:1] = [7, 8]
    if x:
        d["a"] += [x]
    return d


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_loop_in_a_class_body(x):
    class A:
        v = []
        for i in range(3):
            if i == x:
                continue
            v.append(i)
        else:
            done = True
        w = [j for j in v if j]

    return A.v, A.done, A.w


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_generator_inside(x):
    def g():
        try:
            r = yield x
            while r:
                r = yield r - 1
        finally:
            log.append("closed")

    log = []
    it = g()
    a = next(it)
    b = it.send(3)
    it.close()
    return a, b, log


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_chain_of_assignments(x):
    a = b = c = [x]
    (a[0], d), b = ("first", x), a[0]
    return a, b, c


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_function_chosen_by_a_condition(x):
    return (max if x > 0 else min)(1, 2, key=(lambda v: -v) if x > 1 else None)


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def a_while_whose_else_returns(x):
    while x:
        x -= 1
        if x == 2:
            break
    else:
        return "else"
    return "brk"


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def continue_and_return_in_finally(x):
    for k in range(3):
        try:
            if x == k:
                return k
        finally:
            if x == 1:
                continue
            if x == 2:
                return "fin"
    return "end"


@calls(*((x,) for x in (0, 1, 2, 3, 7)))
def jumps_in_finally_inside_of_finally(x):
    out = []
    while True:
        try:
            try:
                if x > 2:
                    raise ValueError
                out.append(1)
            finally:
                for i in range(3):
                    if i == x:
                        break
                    out.append(i)
                else:
                    out.append("e")
                if x == 0:
                    return out
                while x > 5:
                    x -= 1
                    if x == 6:
                        continue
                    out.append(x)
        except ValueError:
            out.append("v")
        finally:
            if len(out) > 3:
                break
    return out


@calls(([[1, 2], [3, -4, 5], [6]],), ([],), ([[1], [2]],))
def return_in_nested_loops(rows):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x < 0:
                return i, j
        if i > 5:
            return None
    return "none"


@calls((0,), (1,), (2,), (3,))
def return_from_deep_inside(n):
    for a in range(3):
        while a < 5:
            try:
                with suppress(KeyError):
                    if a == n:
                        for c in "xyz":
                            if c == "y":
                                return a, c
                    if n == 3:
                        raise KeyError
                break
            finally:
                a += 1
        else:
            return "else"
    return "end"
