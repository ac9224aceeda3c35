"""Functions that call what looks at its caller: written in a module whose names are its own."""

import builtins
import inspect
import io
import logging
import sys
import warnings
from collections import namedtuple

SECRET = 5


def globals_in_expressions(x):
    return globals()["SECRET"], globals().get("SECRET"), [globals()["SECRET"] for _ in range(1)]


def globals_by_another_name(x):
    ask = globals
    return ask()["SECRET"]


def globals_of_builtins(x):
    return builtins.globals()["SECRET"]


def eval_by_another_name(x):
    ask = eval
    return ask("SECRET")


def eval_as_an_argument(x):
    return list(map(eval, ["SECRET"]))


def eval_of_builtins(x):
    return builtins.eval("SECRET + x")


def locals_by_another_name(x):
    ask = locals
    return sorted(ask())


def class_of_a_library(x):
    return namedtuple("Pair", "a b").__module__


def module_of_a_warning(x):
    warn = warnings.warn
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn("text", stacklevel=1)
    return str(found[0].message), io.StringIO("a").read()


def asked_by_value(x, ask):
    return ask()


def _name_of_the_caller():
    return sys._getframe(1).f_code.co_name


def name_of_the_caller(x):
    names = [_name_of_the_caller(), sys._getframe(0).f_code.co_name]
    if x > 0:
        names.append(_name_of_the_caller())
        names.append(sys._getframe().f_code.co_name)
    return names, inspect.currentframe().f_code.co_name


def name_and_line_in_a_log(x):
    told = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append((record.funcName, record.lineno))
    logger = logging.Logger("caller")
    logger.addHandler(handler)
    logger.warning("text")
    if x > 0:
        logger.error("text")
    return told
