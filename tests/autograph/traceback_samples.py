"""Functions that fail, each in a place of its own, and in which the fault is on one known line."""

# fmt: off
import contextlib


def in_branch(x):
    if x > 0:
        y = x + 1
        return y / (x - x)
    return x


def in_else(x):
    if x < 0:
        y = x
    else:
        y = 1
        y = y + [x][x + 5]
    return y


def in_test_of_branch(x):
    if x / (x - x) > 0:
        x = 1
    return x


def in_second_operand(x):
    if x > 0 and 1 / (x - x):
        x = 1
    return x


def in_elif(x):
    if x < 0:
        return 1
    elif x > 0:
        return x.missing
    return 3


def in_while(x):
    total = 0
    while total < x + 3:
        total += 1
        if total == 2:
            total += {}["no"]
    return total


def in_test_of_while(x):
    total = 3
    while total / (total - x) > 0:
        total -= 1
    return total


def in_for(x):
    for i in range(5):
        for j in range(i):
            x += [1][j]
    return x


def in_iterable(x):
    for i in x:
        x += i
    return x


def in_target(x):
    for i, j in [(1, 2), (x,)]:
        x += i
    return x


def in_loop_else(x):
    for i in range(x):
        if i > 100:
            break
    else:
        x = x / 0
    return x


def in_conditional_expression(x):
    return 1 if x < 0 else (x / 0 if x > 0 else 2)


def in_chain(x):
    return 0 < x < x / 0 < 3


def in_membership(x):
    return 1 in x


def in_assertion(x):
    assert x < 0 and x, f"{x} is positive"  # noqa: PT018
    return x


def in_message(x):
    assert x < 0, 1 / 0
    return x


def in_nested_function(x):
    def inner(y):
        if y > 0:
            return y + ""
        return y

    return inner(x) + 1


def in_closure_in_loop(x):
    for i in range(2):
        def inner(y):
            while y > 0:
                y = y[i]
            return y
        x = inner(x)
    return x


def in_lambda(x):
    f = lambda y: y if y < 0 else y + None
    return f(x)


def in_lambda_operand(x):
    f = x < 0 or (lambda y: y.nothing)
    return f(x)


def in_comprehension(x):
    return sum([i / (i - x) if i else 0 for i in range(3)])


def in_generator_expression(x):
    return sum(i / (i - x) for i in range(3) if i > 0)


def in_dict_of_lambdas(x):
    table = {"a": lambda: x, "b": lambda: x if x < 0 else x / 0}
    return table["b"]()


def in_call_of_many_lines(x):
    return max(
        x,
        x + 1,
        key=None,
        nothing=x,
    )


def in_chain_of_methods(x):
    y = (str(x)
         .upper()
         .join(x)
         .lower())
    return y


def in_argument_of_many_lines(x):
    return str(
        x).join(
        [str(x),
         int("x" * x),
         str(x)])


def in_subscript(x):
    y = [1, 2]
    y = (y[0] +
         y[x + 7])
    return y


def in_operator_of_many_lines(x):
    return (x +
            x * (x +
                 None))


def in_raise(x):
    if x > 0:
        raise ValueError(
            f"{x} is positive")
    return x


def in_return_in_loop(x):
    for i in range(3):
        if i == x:
            return i / 0
    return x


def after_continue(x):
    for i in range(4):
        if i < 2:
            continue
        x = x + "no"
    return x


def in_try(x):
    try:
        if x > 0:
            x = x / 0
    finally:
        x = 3
    return x


def in_handler(x):
    try:
        if x > 0:
            x = x / 0
    except ZeroDivisionError:
        if x > 0:
            x = [][x]
    return x


def in_with(x):
    with contextlib.suppress(KeyError):
        if x > 0:
            x = x.nothing
    return x


def in_unbound_variable(x):
    if x < 0:
        y = 1
    return y + x


def in_generator(x):
    def numbers(n):
        for i in range(n):
            if i > 0:
                yield i / 0

    return list(numbers(x + 2))


def in_class_body(x):
    class Local:
        if x > 0:
            value = x / 0

    return Local.value


def in_decorated(x):
    def twice(f):
        return lambda y: f(f(y))

    @twice
    def half(y):
        if y == 1:
            return y - 1
        return 1 / y

    return half(x)


def in_f_string(x):
    if x:
        return f"{x} and {x / 0}"
    return x


class Thing:
    def __init__(self, x):
        if x > 0:
            self.x = x
        self.y = [x][self.x - 1]

    def method(self, x):
        while x:
            x -= self.z(x)
        return x

    def z(self, x):
        if self.__hidden(x):
            return 1
        return 0

    def __hidden(self, x):
        return x and self.__nothing


def in_method(x):
    return Thing(x).method(x)


def in_constructor(x):
    return Thing(x + 2)


def in_super(x):
    class Child(Thing):
        def method(self, x):
            if x > 0:
                return super().method(x)
            return x

    return Child(x).method(x)


def é(ö):  # noqa: PLC2401
    é = "ééé" if ö else ö; ö = é + (ö and None)  # noqa: PLC2401
    return ö


FUNCTIONS = [value for value in list(globals().values()) if type(value) is type(in_branch)]
