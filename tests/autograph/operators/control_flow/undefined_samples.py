"""Functions that read variables without a value."""


def after_branch(x):
    if x < 0:
        y = 1
    return y


def in_branch(x):
    if x > 0:
        z = y + 1
    y = x
    return z, y


def in_loop(x):
    for _ in range(x):
        total = total + 1
    return total


def after_loop(x):
    for i in range(x - 1):
        pass
    return i


def in_test(x):
    while y < x:
        y = 1
    return y


def in_operand(x):
    if x < 0:
        y = 1
    return x > 0 and y > 0


def in_choice(x):
    if x < 0:
        y = 1
    return y if x > 0 else 2


def in_chain(x):
    if x < 0:
        y = 1
    return 0 < x < y


def deleted(x):
    y = 1
    if x > 0:
        del y
    return y


def deleted_twice(x):
    y = 1
    for _ in range(x + 1):
        del y


def in_nested_branches(x):
    if x > 0:
        if x > 5:
            y = 1
        while x > 0:
            x -= y
    return x


def after_handler(x):
    try:
        if x > 0:
            raise KeyError
    except KeyError as error:
        found = error
    return error


def called_too_early(x):
    def inner():
        return later if x > 0 else x

    found = inner()
    later = found
    return later


def missing_global(x):
    if x > 0:
        return no_such_name
    return x


def free_without_value():
    def inner(x):
        if x > 0:
            return later
        return x

    return inner
    later = 1


def caught(x):
    if x < 0:
        y = 1
    try:
        if x > 0:
            x = y
    except NameError as error:
        return type(error).__name__
    return x
