"""Functions to step through; the tests know their lines by the words at the ends."""

import warnings

import autograph as ag


def walk(x, n):
    total = 0 * x  # start
    for i in range(n):  # for
        if i > 0:  # if
            total = total + x  # then
        else:
            total = total - x  # else
    while total > 3:  # while
        total = total / 2  # half
    return total  # end


def choose(x):
    if x > 0:  # if
        return x + 1  # positive
    y = helper(x)  # call
    return y  # end


def helper(x):
    return -x  # helper


def stop_in_branch(x):
    if x > 0:
        breakpoint()  # breakpoint
        x = x + 1
    return x


def warn_in_branch(x):
    if x > 0:
        warnings.warn("x is positive", UserWarning, stacklevel=1)  # warn
    return x


def stop_in_rounds(xs, limit):
    total = 0.0
    label = "rounds"
    for x in xs:
        if x > limit:
            y = x * 2
            ag.breakpoint()  # staged breakpoint
            total += y
        print("round", total)
    return total
