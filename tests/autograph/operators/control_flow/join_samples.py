"""Functions that leave a number that is known, or one that is given, in a variable."""


def statement(number):
    def f(c, y):
        z = number
        if c:
            z = y
        return z

    return f


def expression(number):
    def f(c, y):
        return y if c else number

    return f


def returned(number):
    def f(c, y):
        if c:
            return y
        return number

    return f


def rounds_of_while(number):
    def f(c, y):
        z = number
        n = c * 1
        while n > 0:
            z = y
            n = n - 1
        return z

    return f


def rounds_of_for(number):
    def f(c, y):
        z = number
        for _ in range(c * 1):
            z = y
        return z

    return f


def caught(number):
    def f(c, y):
        z = number
        try:
            if c:
                raise KeyError
        except KeyError:
            z = y
        return z

    return f


def doubled(number):
    def f(c, y):
        z = number
        if c:
            z = y
        return z + z, z * 2

    return f


SAMPLES = (statement, expression, returned, rounds_of_while, rounds_of_for, caught)
