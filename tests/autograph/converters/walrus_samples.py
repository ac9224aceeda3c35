"""Sample functions in which an operand that may not be evaluated binds a name by `:=`."""

from __future__ import annotations

from tests.autograph.converters.sampling import calls

NAME = "outer"


@calls((2,), (1,), (-1,))
def in_and(x):
    y = 0
    if x > 0 and (y := x * 2) > 3:
        return y
    return y - 1


@calls((2,), (-2,))
def in_both_values_of_a_conditional_expression(x):
    z = (y := x + 1) if x > 0 else (y := x - 1)
    return y + z


@calls((2,), (0.5,), (-1,))
def in_a_chain_of_comparisons(x):
    if 0 < (y := x + 1) < (z := x * 2):
        return z
    return y


@calls((2,), (-1,))
def unbound_where_it_was_not_evaluated(x):
    x > 0 and (y := x)
    return y


@calls((5,), (3,), (2,), (-1,))
def nested_in_the_test_of_a_loop(x):
    y = z = 0
    while x > 0 and ((y := x) > 3 or ((z := x) > 2 and (x := x - 1) > 0)):
        x = x - 1
    return x, y, z


@calls((1, 2), (-1, 2))
def of_a_parameter(x, y):
    r = x > 0 and (y := x)
    return r, y


@calls((1,), (-1,))
def of_a_name_that_a_function_captures(x):
    y = 5

    def inner():
        return y

    return (x > 0 or (y := x)), inner()


@calls((1,), (-1,))
def of_a_global(x):
    global NAME
    NAME = "before"
    result = x > 0 and (NAME := x)
    return result, NAME


@calls((1,), (-1,))
def of_a_nonlocal(x):
    y = 0

    def inner():
        nonlocal y
        return x > 0 and (y := x)

    return inner(), y


@calls(([1, 2, -3],), ([],))
def in_the_arms_of_a_loop(xs):
    total = 0
    for x in xs:
        if x > 0 and (y := x * x) > 2:
            total += y
        elif x < 0 and (y := x) < -1:
            total -= y
    return total


@calls((1,), (-1,))
def in_a_comprehension(x):
    found = [x > 0 and (last := v) + w for v in [1, 2] for w in [v, 5]]
    return found, x > 0 and last


@calls((1,), (-1,))
def in_the_condition_of_a_comprehension(x):
    found = [(v, y) for v in [1, 2, 3] if v + x > 1 and (y := v - x) > 0 and y != 2]
    return found, y


@calls((1,), (-1,))
def in_a_generator_that_runs_later(x):
    y = 0
    later = (x > 0 and (y := v) for v in [1, 2])
    before = y
    return list(later), before, y


@calls((1,), (0,))
def with_functions_that_see_the_item_of_a_comprehension(x):
    made = [x and (f := lambda: v) for v in [1, 2]]
    return [f and f() for f in made], x and f()


@calls((1,), (-1,))
def in_a_lambda(x):
    function = lambda a: a > 0 and (b := a + 1) and b  # noqa: E731
    return function(x)


@calls((1,), (-1,))
def in_the_message_of_an_assertion(x):
    try:
        assert x > 0, (message := "no")
    except AssertionError as error:
        return message, str(error)
    return x


@calls((1,), (0,))
def in_the_header_of_a_with(x):
    import contextlib

    with contextlib.nullcontext(x and (y := x + 1)) as z:
        return z, x and y


@calls((1,), (0,))
def in_a_method(x):
    class Point:
        def private(self, a):
            return a and (__b := a + 1), a and __b

    return Point().private(x)
