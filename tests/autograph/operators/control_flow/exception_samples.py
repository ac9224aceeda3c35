"""Functions that raise and catch exceptions with arguments and attributes, for some number."""

import dataclasses

import numpy as np


class Base(Exception):
    level = 1


class Mid(Base):
    def __init__(self, where, *rest):
        self.where = where
        self.rest = rest
        super().__init__(where, *rest)


class Leaf(Mid, ValueError):
    def __str__(self):
        return f"leaf at {self.where} of {len(self.rest)}"

    def __repr__(self):
        return f"Leaf<{self.where}>"


@dataclasses.dataclass
class Data(Exception):
    a: object
    b: object = 2


class Coded(Exception):
    def __init__(self, code, text="t"):
        super().__init__(f"{text}: {code}")
        self.code = code


def builtin_with_a_number(x):
    try:
        if x > 0:
            raise ValueError(x)
        r = 0
    except ValueError as e:
        return str(e), e.args, repr(e), f"{e}", "%s" % e, f"{e!r:>30}"
    return r


def own_class(x):
    if x > 0:
        raise Coded(x)
    return x


def caught_by_a_base(x):
    try:
        if x > 0:
            raise Leaf(x, "hey")
    except (KeyError, Base) as e:
        return e.where, str(e), repr(e), e.level, type(e).__name__, isinstance(e, ValueError)
    return 1


def own_text_uncaught(x):
    if x > 0:
        raise Leaf(x)
    return 1


def in_any_case(x):
    raise Coded(x + 1)


def file_not_found(x):
    if x > 3:
        raise FileNotFoundError(2, "no", "f.txt")
    return x


def error_of_the_system(x):
    try:
        if x > 3:
            raise OSError(x, "strange", "file")
    except OSError as e:
        return e.errno, e.strerror, e.filename, str(e), type(e).__name__
    return x


def memory(x):
    if x > 3:
        raise MemoryError
    return x


def exit_of_the_system(x):
    if x > 3:
        raise SystemExit(3)
    return x


class Exit(BaseException):
    pass


def own_end_of_the_program(x):
    if x > 3:
        raise Exit(x)
    return x


def warning(x):
    if x > 3:
        raise UserWarning("u", x)
    return x


def linalg(x):
    if x > 3:
        raise np.linalg.LinAlgError("singular")
    return x


def no_such_axis(x):
    y = np.zeros(3) + x
    try:
        return np.sum(y, axis=3)
    except np.exceptions.AxisError as e:
        return e.axis, e.ndim, str(e)


def chained(x):
    try:
        try:
            if x > 0:
                raise ValueError(x, "b")
        except ValueError as e:
            raise KeyError(x + 1) from e
    except KeyError as k:
        return k.args, k.__cause__.args, str(k), str(k.__cause__)
    return x


def chained_uncaught(x):
    try:
        if x > 0:
            raise ValueError(x, "b")
    except ValueError as e:
        raise KeyError(x + 1) from e
    return x


def in_a_handler(x):
    try:
        if x > 3:
            raise Mid(x)
        if x > 0:
            raise KeyError("k")
    except Mid as e:
        e.where = e.where + 1
        e.extra = x * 2
        raise
    except KeyError:
        raise RuntimeError("no", x) from None
    finally:
        x = x + 1
    return x


def in_the_context(x):
    try:
        try:
            if x > 3:
                raise Mid(x)
        finally:
            y = x * 2
            if x == 6:
                raise KeyError(y)
    except KeyError as k:
        return k.args, k.__context__.where
    return y


def index_again(x):
    v = np.arange(3.0)
    try:
        y = v[x]
    except IndexError:
        raise
    return y


def text_of_an_index(x):
    v = np.zeros(4)
    try:
        v[0] = 1
        v[x] = 2
    except IndexError as e:
        return v, str(e), e.args
    return v


def cause_of_numpy(x):
    try:
        np.linalg.inv(np.ones((2, 2)) * x)
    except np.linalg.LinAlgError as e:
        raise Mid(x) from e


def dataclass(x):
    try:
        if x > 3:
            raise Data(x, {"k": x})
    except Data as d:
        return d.a, d.b, d.args
    return 0


def array_in_an_error(x):
    v = np.arange(3.0) * x
    if x > 3:
        raise ValueError(v, "array")
    return v


def value_of_a_stop(x):
    try:
        if x > 3:
            raise StopIteration(x)
    except StopIteration as e:
        return e.value
    return x


def with_a_note(x):
    e = Mid(x)
    e.remark = x * 2
    if x > 3:
        raise e
    return x


def helper(v, i):
    if v[i] > 4:
        raise Leaf(v[i], i)
    return v[i]


def called_in_a_loop(x):
    v = np.arange(3) + x
    t = 0
    for i in range(3):
        try:
            t = t + helper(v, i)
        except Base as e:
            t = t - e.where
    return t


def called_in_a_staged_loop(x):
    v = np.arange(3) + x
    t = x * 0
    for i in range(x):
        t = t + helper(v, i % 3)
    return t


def out_of_a_loop(x):
    v = np.arange(3) + x
    t = x * 0
    try:
        for i in range(x):
            t = t + v[i % 3]
            if t > 5:
                raise Leaf(t, i)
    except Mid as e:
        return t, e.where, e.rest, str(e), repr(e)
    return t


def message_of_an_assertion(x):
    assert x < 5, [1, 2][int(x) if x > 7 else 0]
    return x


def message_that_fails(x):
    assert x < 100, [][int(x)]
    return x


def number_of_an_assertion(x):
    assert x < 5, 7
    return x


def empty_text(x):
    if x > 3:
        raise ValueError("")
    return x


def known_key(x):
    try:
        d = {"a": x}
        if x > 3:
            d["b"]
    except KeyError as e:
        return e.args, str(e)
    return d["a"]


def undefined(x):
    if x > 3:
        y = 1
    return y


def undefined_in_a_tuple(x):
    for i in range(x):
        y = i
    z = x + 1
    return z, y


def key_of_a_known_dict(x):
    return {1: 5, 2: 7}[x]


def key_of_a_dict(x):
    d = {}
    d[x] = 1
    return d[x * 2]


def key_of_a_set(x):
    s = {1, 2}
    s.remove(x)
    return sorted(s)


def index_of_a_list(x):
    items = []
    for i in range(x):
        items.append(i)
    return items[4]


SAMPLES = tuple(
    value
    for name, value in list(globals().items())
    if callable(value) and not isinstance(value, type) and name != "helper"
)
