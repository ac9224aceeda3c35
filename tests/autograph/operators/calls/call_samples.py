"""Functions, classes and objects that are called from staged code, for the tests of calls."""

from __future__ import annotations

import functools

import numpy as np

import autograph as ag


def absolute(x):
    if x > 0:
        return x
    return -x


def twice(f):
    def wrapper(x):
        if x > 100:
            return x
        return f(f(x))

    return wrapper


def shared_wrapper(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return wrapper


@shared_wrapper
def decorated(x):
    if x > 0:
        return x
    return -x


@ag.do_not_convert
def left_alone(x):
    return x if x is None else x + 1


@ag.do_not_convert
def asks_for_truth(x):
    return x if x > 0 else -x


def numbers(n):
    for i in range(n):
        yield i


def with_default(x, limit=0.0):
    return limit if x < limit else x


def scaled(x, *args, by=1.0, **others):
    if x > 0:
        return x * by + sum(args) + others.get("plus", 0)
    return x


class Model:
    bias = 1.0

    def __init__(self, scale):
        if scale is None:
            scale = 1.0
        self.scale = scale

    def __call__(self, x):
        if x > 0:
            return x * self.scale
        return self.other(-x)

    def other(self, x):
        while x > 2:
            x = x / 2
        return x

    @classmethod
    def of_class(cls, x):
        return x + cls.bias if x > 0 else x - cls.bias

    @staticmethod
    def of_nobody(x):
        return x if x > 0 else x * 2

    @property
    def unit(self):
        return np.float64(1.0)


class ModelOfParent(Model):
    """An object that is called by a method of its parent."""


class Chooses:
    """An object whose construction depends on a staged value."""

    def __init__(self, x):
        if x > 0:
            self.value = x
        else:
            self.value = -x


class Child(Chooses):
    def __init__(self, x, y):
        super().__init__(x + y)
        self.more = y


class Plain:
    def __init__(self, *args):
        self.args = args


class New:
    def __new__(cls, x):
        return x + 1


class Meta(type):
    def __call__(cls, x):
        return x * 3


class Made(metaclass=Meta):
    pass


class Unhashable:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __call__(self, x):
        return x if x > 0 else -x


class Slotted:
    __slots__ = ("value",)

    def __init__(self, x):
        self.value = x if x > 0 else -x


def recursive(x, n):
    if n == 0:
        return x
    return recursive(x * 2, n - 1)


def even(x, n):
    return x if n == 0 else odd(x, n - 1)


def odd(x, n):
    return -x if n == 0 else even(x, n - 1)
