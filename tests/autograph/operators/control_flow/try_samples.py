"""Functions whose staged `try` statements take every path for some number."""

import math

import numpy as np


class OwnError(Exception):
    pass


def bad_index(x, n):
    y = x
    try:
        y = x * 2
        v = x[int(n)]
    except IndexError:
        v = y[0] - 100
    return v


def unused_bad_index(x, n):
    ok = True
    try:
        x[int(n)]
    except IndexError:
        ok = False
    return ok


def division_by_zero(x, n):
    k = int(n)
    try:
        r = 10 // k
    except ZeroDivisionError as error:
        return len(str(error)), -1
    return 0, r


def singular_matrix(x, n):
    a = np.ones((2, 2)) * x[0]
    a[0, 0] = n
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return a


def domain_of_math(x, n):
    try:
        return math.sqrt(n)
    except ValueError:
        return 0.0


def out_of_a_loop(x, n):
    total = x[0] * 0
    y = x
    i = 0
    try:
        while i < n:
            total += x[i % 3]
            y = y + 1
            if total > 6:
                raise OverflowError("big")
            i += 1
    except OverflowError:
        total = -total - i
    return total, y


def inside_of_a_loop(x, n):
    s = n * 0.0
    for v in x:
        try:
            if v > n:
                raise ValueError
            s += v
        except ValueError:
            if v > 2.5:
                break
            s += 100
            continue
        s += 0.25
    return s


def arrays_written(x, n):
    y = np.zeros(3)
    try:
        y[0] = 1
        x[0] = 7
        assert n > 0
        y[1] = 2
        x[1] = 8
    except AssertionError:
        y[2] = 3
        x[2] = x[0] + 1
    return y, x * 1


def one_array_under_two_names(x, n):
    y = x * 1
    z = x
    try:
        y = x + 1
        z = y
        if n > 0:
            raise ValueError
        y = y * 2
    except ValueError:
        y = y + 10
    return y, z


def class_of_ones_own(x, n):
    try:
        if n > 2:
            raise OwnError("a")
        z = 1
    except OwnError:
        z = 2
    return z


def nested(x, n):
    log = 0
    try:
        try:
            log += 1
            if n > 2:
                raise ValueError("v")
            if n > 1:
                raise KeyError("k")
            if n > 0:
                assert n > 5, "a"
            log += 10
        except KeyError as error:
            log += 100
            if n < 1.5:
                raise
            raise ValueError("again") from error
        finally:
            log += 1000
    except ValueError as error:
        log += 10000 * len(str(error))
    return log


def nobody_catches_it(x, n):
    try:
        if n > 0:
            raise ValueError("un")
    except KeyError:
        x = x + 1
    finally:
        x = x + 1
    return x


def raised_again(x, n):
    try:
        assert n > 0, "first"
    except AssertionError:
        if n < -1:
            raise ValueError("second") from None
        raise
    return x


def always_left(x, n):
    try:
        if n > 1:
            raise ValueError("a")
        raise KeyError("b")
    except KeyError:
        r = 1
    except ValueError:
        r = 2
    return r


def in_a_function_that_is_called(x, n):
    def check(v):
        if v > 1:
            raise ValueError("x")
        return v + 1.0

    try:
        return check(n)
    except (KeyError, ValueError):
        return n - 1.0


def else_is_not_tried(x, n):
    y = x
    try:
        assert n > 0, "body"
    except AssertionError:
        y = y + 1
    else:
        assert n > 1, "else"
        y = y + 2
    return y


def returned_before_finally(x, n):
    y = x
    try:
        if n > 1:
            return y + 1
        if n > 0:
            raise ValueError
        y = y * 3
    except ValueError:
        return y * 2
    finally:
        y = y + 100
    return y


def finally_after_an_else_that_raises(x, n):
    y = x
    try:
        try:
            z = x
        except KeyError:
            pass
        else:
            if n > 0:
                raise ValueError
        finally:
            y = z + 100
    except ValueError:
        y = y * 2
    return y


def bare_except(x, n):
    count = 0
    try:
        count += 1
        assert n > 0
        count += 1
    except:  # noqa: E722
        count += 10
    return count


def finally_after_a_list_grows(x, n):
    log = [0.5]
    try:
        try:
            for v in x:
                if v > 1:
                    log.append(v)
                    if v > n:
                        raise ValueError("large")
        finally:
            log.append(0.25)
    except ValueError:
        log[-1] = 0.75
    return np.array(log)


def lists_grow_in_handlers(x, n):
    rest, refused = x, []
    for amount in (3.0, 5.0, 4.0):
        try:
            if amount > rest:
                raise ValueError("no")
            rest = rest - amount
        except ValueError:
            refused.append(amount)
        else:
            rest = rest - 0.5
        finally:
            rest = rest + n / 8
    return rest, refused


def read_by_the_last_block(x, n):
    y = 1.0
    try:
        y, x = x, y
        if n > 2:
            raise KeyError("n")
    except KeyError:
        y = y + x
    else:
        y = y - x
    finally:
        y = y * x
    return y


def list_item_in_a_try(x, n):
    log = [1.0, 2.0]
    try:
        if n > 0:
            log.append(x[0])
        log[int(n)] = 3.0
    except IndexError:
        log.append(9.0)
    return np.array(log)


def adds_in_place(x, n):
    y = x.astype(np.int64) if n > 1 else x
    try:
        y += 0.5
    except TypeError:
        y = y * 100
    return y


def compares_shapes(x, n):
    found = 0
    try:
        if n > 1:
            x = x < x[:2]
        found = 1
    except ValueError:
        found = 2
    return found


def text_as_an_element(x, n):
    y = x.astype(np.int64)
    try:
        y[0] = "7" if n > 1 else "seven"
    except ValueError as error:
        return str(error)
    return y


def rounds_write(x, n):
    try:
        for k in range(abs(int(n)) + 2):
            x[k] = x[k] + 10
    except IndexError:
        return x.sum()
    return n


def rounds_write_what_the_test_reads(x, n):
    k = 0
    try:
        while x[k] > n:
            x[k] = n - 1
            k += 1
    except IndexError:
        return -k
    return k


def rounds_write_in_rounds(x, n):
    try:
        for y in x:
            for z in x:
                if y + z == 3:
                    raise KeyError(y)
                x[0] = z + n
    except KeyError as error:
        return error.args[0]
    return n


class Holder:
    def __init__(self):
        self.count = 0
        self.pair = [0, 0]
        self.log = [1]


def caught(function):
    try:
        function()
    except (KeyError, ValueError, IndexError):
        pass


def assigned_before_it_always_raises(x, n):
    u = 0

    def inner():
        nonlocal u
        v = x[int(n)]
        u = v
        raise KeyError(v)

    caught(inner)
    return u


def assigned_in_an_arm_that_raises(x, n):
    u = 0
    o = Holder()

    def inner():
        nonlocal u
        if n > 0:
            u = 4
            o.count += 5
            o.pair[0] = 6
            raise KeyError(n)
        o.pair[1] = 7

    caught(inner)
    return u, o.count, o.pair


def assigned_in_a_handler_that_raises(x, n):
    o = Holder()

    def inner():
        try:
            x[int(n)]
        except LookupError as error:
            o.count = 5
            raise ValueError(n) from error
        o.count += 1

    caught(inner)
    return o.count


def grown_in_an_arm_that_raises(x, n):
    o = Holder()

    def inner():
        for k in range(3):
            if x[k] > n:
                o.log.append(k)
                raise KeyError(n)

    caught(inner)
    return o.log


def another_name_bound_in_the_body(x, n):
    log = [1]
    y = []
    try:
        y = log
        if n > 0:
            raise ValueError
        y.append(7)
    except ValueError:
        log.append(2)
        log.append(3)
    return len(y), len(log)


SAMPLES = [
    assigned_before_it_always_raises,
    assigned_in_an_arm_that_raises,
    assigned_in_a_handler_that_raises,
    grown_in_an_arm_that_raises,
    another_name_bound_in_the_body,
    rounds_write,
    rounds_write_what_the_test_reads,
    rounds_write_in_rounds,
    adds_in_place,
    compares_shapes,
    text_as_an_element,
    finally_after_a_list_grows,
    finally_after_an_else_that_raises,
    lists_grow_in_handlers,
    read_by_the_last_block,
    list_item_in_a_try,
    bad_index,
    unused_bad_index,
    division_by_zero,
    singular_matrix,
    domain_of_math,
    out_of_a_loop,
    inside_of_a_loop,
    arrays_written,
    one_array_under_two_names,
    class_of_ones_own,
    nested,
    nobody_catches_it,
    raised_again,
    always_left,
    in_a_function_that_is_called,
    else_is_not_tried,
    returned_before_finally,
    bare_except,
]
