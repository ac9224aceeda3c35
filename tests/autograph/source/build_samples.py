"""Functions that are taken apart and put together again by the tests of this folder."""

import functools
import math as mathematics


def plain(a, b=2, *c, d=4, **e):
    """A text."""
    return a, b, c, d, e


def annotated(a: int, b: "str" = "x") -> float:
    return a, b


def recursive(n):
    return n and n + recursive(n - 1)


def with_module(x):
    return mathematics.sqrt(x)


def marked(function):
    @functools.wraps(function)
    def wrapper(*args):
        return "marked", function(*args)

    return wrapper


@marked
@marked
def decorated(x):
    return x


def make_counter(count):
    def counter(step):
        nonlocal count
        count += step
        return count

    return counter


def make_recursive():
    def inner(n):
        return n and n + inner(n - 1)

    return inner


class Base:
    def name(self):
        return "base"


class Thing(Base):
    __private = "private"

    def name(self):
        return "thing of " + super().name()

    def secret(self):
        self.__hidden = 1
        return self.__private, vars(self), lambda: self.__private, Thing

    pick = lambda self: self.__private + Thing.__name__  # noqa: E731

    class Inner:
        def deep(self):
            def deeper():
                return type(self).__qualname__

            return deeper


class secret(Base):
    def secret(self):
        return secret, self.__class__.__name__


two = (lambda x: x + 1, lambda x: x + 2)
twins = (lambda x: x * 1, lambda x: x * 1)
long_lambda = lambda x: (  # noqa: E731
    x,
    lambda y: (x, y),
)


def generator(n):
    yield n


async def coroutine(n):
    return n


calls = []


def with_costly_defaults(x: calls.append(1) = calls.append(2) or "default"):
    return x
