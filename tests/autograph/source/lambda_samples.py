"""Lambdas in all kinds of places, each with the text that is to be found for it."""

# fmt: off
import functools


def listed(*values, **named):
    return [*values, *named.values()]


def attach(*functions):
    def decorate(function):
        function.attached = functions
        return function

    return decorate


def defaults(a=lambda x: x + 1, *, b=lambda x: x + 2, c=lambda x=(lambda: 1): x):
    return a, b, c, c()


@attach(lambda x: x + 5, lambda x: x + 6)
def decorated(x):
    return x


@attach(
    lambda x: x * 7)
class Thing:
    one = lambda self: self.x; two = lambda self: self.__y

    def method(self, key=lambda z: z + 1):
        return key


LIST = [lambda x: x + 1, lambda x: x + 2]
TWINS = [lambda x: x + 3, lambda x: x + 3]
TABLE = {"a": lambda x: x * 2, "b": lambda y: y * 2}
CALL = listed(
    lambda x: x - 1,
    lambda x: (
        x -
        2),
    third=lambda x: x - 3, fourth=lambda x: x - 4,
)
NESTED = lambda x: lambda x: lambda x: x
CONSTANTS = [lambda: 0.0, lambda: -0.0, lambda: 0, lambda: False, lambda: "a", lambda: b"a"]
F_STRING = []
TEXT = f"{F_STRING.append(lambda x: x + 8)} {F_STRING.append(lambda x: x + 9)!r:>{len('ab')}}"
LINES = []
LONG_TEXT = f"""{
LINES.append(lambda x: x + 1)}
{LINES.append(lambda x: x + 2)}"""
COMPREHENSION = [(lambda x: x + i, lambda x: x - i) for i in range(2)]
GENERATOR = list((lambda: i) for i in range(2))
DICT = {k: (lambda x: x * k) for k in (lambda: [1, 2])()}  # noqa: PLC3002
FIRST, SECOND = lambda x: x, lambda x: -x
CHOSEN = (lambda x: x + 1) if len(LIST) > 2 else (lambda x: x + 2)
ONE = lambda x: x; OTHER = lambda x: (
    x * 3)
NAMED = (INNER := lambda x: x + 3)
IN_KEY = []
SORTED = sorted([3, 1], key=lambda v: IN_KEY.append(lambda: v) or v)
CLOSURES = (lambda n: (lambda x: x + n, lambda x: x * n))(3)  # noqa: PLC3002
PARTIAL = functools.partial(lambda x, y: x - y, 1)

CASES = [
    (LIST[0], "lambda x: x + 1"),
    (LIST[1], "lambda x: x + 2"),
    (TWINS[0], "lambda x: x + 3"),
    (TWINS[1], "lambda x: x + 3"),
    (TABLE["a"], "lambda x: x * 2"),
    (TABLE["b"], "lambda y: y * 2"),
    *((function, f"lambda x: x - {k + 1}") for k, function in enumerate(CALL)),
    (NESTED, "lambda x: lambda x: lambda x: x"),
    (NESTED(1), "lambda x: lambda x: x"),
    (NESTED(1)(1), "lambda x: x"),
    (defaults()[0], "lambda x: x + 1"),
    (defaults()[1], "lambda x: x + 2"),
    (defaults()[2], "lambda x=lambda: 1: x"),
    (defaults()[3], "lambda: 1"),
    (decorated.attached[0], "lambda x: x + 5"),
    (decorated.attached[1], "lambda x: x + 6"),
    (Thing.attached[0], "lambda x: x * 7"),
    (Thing.one, "lambda self: self.x"),
    (Thing.two, "lambda self: self.__y"),
    (Thing().method(), "lambda z: z + 1"),
    *zip(CONSTANTS, [f"lambda: {x}" for x in ("0.0", "-0.0", "0", "False", "'a'", "b'a'")]),
    (F_STRING[0], "lambda x: x + 8"),
    (F_STRING[1], "lambda x: x + 9"),
    (LINES[0], "lambda x: x + 1"),
    (LINES[1], "lambda x: x + 2"),
    (COMPREHENSION[0][0], "lambda x: x + i"),
    (COMPREHENSION[1][1], "lambda x: x - i"),
    (GENERATOR[0], "lambda: i"),
    (DICT[1], "lambda x: x * k"),
    (FIRST, "lambda x: x"),
    (SECOND, "lambda x: -x"),
    (CHOSEN, "lambda x: x + 2"),
    (ONE, "lambda x: x"),
    (OTHER, "lambda x: x * 3"),
    (NAMED, "lambda x: x + 3"),
    (IN_KEY[-1], "lambda: v"),
    (CLOSURES[0], "lambda x: x + n"),
    (CLOSURES[1], "lambda x: x * n"),
    (PARTIAL.func, "lambda x, y: x - y"),
]
