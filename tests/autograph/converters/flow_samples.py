"""Ordinary functions with all kinds of control flow."""

from contextlib import contextmanager, suppress

from tests.autograph.converters.sampling import calls


@calls((1,), (0,), (-1,))
def if_elif_else(x):
    if x > 0:
        y = "positive"
    elif x < 0:
        y = "negative"
    else:
        y = "zero"
    return y


@calls((1, 1), (1, 0), (0, 1), (0, 0))
def nested_ifs(a, b):
    r = []
    if a:
        r.append("a")
        if b:
            r.append("ab")
        else:
            x = 5
            r.append(x)
    r.append("end")
    return r


@calls((5, 3), (2, 0))
def while_loop(x, n):
    i = 0
    while i < n:
        t = x * i
        x = x + t
        i += 1
    return x


@calls((3,), (0,), (10,))
def while_with_else(n):
    r = []
    while n > 0:
        n -= 1
        r.append(n)
        if n == 5:
            break
    else:
        r.append("else")
    return r


@calls(([1, 2, 3],), ([],), ([1, -1, 4],))
def for_with_else(xs):
    for x in xs:
        if x < 0:
            break
        last = x
    else:
        return "all"
    return last, x


@calls(([1, -1, 2],), ([-1],), ([3, 4],))
def break_leaves_maybe_unbound(xs):
    for x in xs:
        if x < 0:
            break
        last = x
    return last


@calls(([1, 2, 3, 4, 5, 6],), ([],))
def continue_skips(xs):
    total = 0
    for x in xs:
        if x % 2:
            continue
        total += x
    return total


@calls(([[1, 2], [3, -4, 5], [6]],), ([],), ([[-1]],))
def break_in_nested_loops(rows):
    seen = []
    for row in rows:
        for x in row:
            if x < 0:
                break
            seen.append(x)
        else:
            seen.append("row")
            continue
        seen.append("broken")
    return seen


@calls(([[1, 2], [3, -4, 5], [6]],), ([],), ([[1], [2]],))
def return_in_nested_loops(rows):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x < 0:
                return i, j
        if i > 5:
            return None
    return "none"


@calls((1, 1), (1, 0), (0, 1), (0, 0))
def early_returns(a, b):
    if a:
        if b:
            return "both"
        a = 5
    c = a + b
    if c > 4:
        return c
    return -c


@calls((1,), (0,), (-5,))
def many_early_returns(x):
    if x == 1:
        return "one"
    if x == 0:
        return "zero"
    y = x * 2
    if y < -5:
        y += 1
        return y
    return "rest"


@calls((1,), (0,))
def return_in_void_function(log):
    global events
    events = []
    if log:
        events.append(1)
        return
    events.append(2)
    for i in range(3):
        if i == 1:
            return
        events.append(i)


@calls(([1, 2, 0],), ([],), ([0],))
def return_in_try_finally(xs):
    log = []

    def work():
        try:
            for x in xs:
                if x == 2:
                    return "two"
                1 / x
            log.append("end of try")
        finally:
            log.append("finally")
        return "after"

    try:
        return work(), log
    except ZeroDivisionError:
        return "error", log


@calls((1,), (2,), (3,))
def return_in_every_part_of_try(x):
    try:
        if x == 1:
            raise ValueError("one")
        if x == 2:
            return "try"
    except ValueError:
        if x > 0:
            return "except"
    else:
        if x == 3:
            return "else"
    finally:
        x = 10
    return "end"


@calls((1,), (2,))
def return_in_finally(x):
    try:
        if x == 1:
            return "try"
        raise KeyError(x)
    finally:
        return "finally"


@calls(([1, 2, 3],))
def continue_in_finally_calls_off_return(xs):
    seen = []
    for x in xs:
        try:
            if x > 1:
                return "never"
            seen.append(x)
        finally:
            seen.append("f")
            continue
    return seen


@calls(([1, 2, 3],), ([0],))
def break_in_finally_calls_off_return(xs):
    seen = []
    for x in xs:
        try:
            if x > 1:
                return "never"
            seen.append(1 / x)
        finally:
            seen.append("f")
            if isinstance(x, int) and x != 1:
                break
    return seen


@calls((1,), (0,))
def an_error_in_finally_calls_off_return(x):
    try:
        try:
            if x:
                return "lost"
            y = 1
        finally:
            1 / 0
    except ZeroDivisionError:
        y = 2
    y += 1
    return y


@calls(([1, 2, 3],), ([5],))
def an_error_on_exit_calls_off_break(xs):
    @contextmanager
    def failing():
        yield
        raise ValueError

    seen = []
    for x in xs:
        try:
            with failing():
                if x == 2:
                    break
                seen.append(x)
        except ValueError:
            seen.append("error")
        seen.append("rest")
    return seen


@calls((1,), (0,))
def return_in_with(x):
    log = []

    @contextmanager
    def manager(name):
        log.append("enter " + name)
        try:
            yield name
        finally:
            log.append("exit " + name)

    def work(x):
        with manager("a") as a, manager("b"):
            if x:
                return a
            log.append("not returned")
        log.append("after")

    return work(x), log


@calls(([1, 0, 2, 3],), ([],))
def continue_and_break_inside_with(xs):
    log = []
    for x in xs:
        with suppress(ZeroDivisionError):
            if x == 2:
                continue
            if x == 3:
                break
            log.append(1 / x)
            log.append("after")
        log.append("end")
    return log


@calls(([1, 0, 2, 3],), ([],))
def partial_continue(xs):
    log = []
    for x in xs:
        if x > 0:
            if x == 2:
                continue
            log.append("positive")
        log.append(x)
    return log


@calls(([1, 0, 2, 3],), ([],), ([3],), ([2, 2, 1],))
def partial_continue_and_break_and_return(xs):
    log = []
    for x in xs:
        if x > 0:
            if x == 2:
                continue
            if x == 3:
                break
            if x == 4:
                return log
            log.append("positive")
        log.append(x)
    else:
        log.append("else")
    log.append("end")
    return log


@calls((3,), (0,))
def while_true(n):
    i = 0
    while True:
        if i >= n:
            return i * 10
        i += 1


@calls((3,), (0,))
def while_true_with_break(n):
    i = 0
    while True:
        i += 1
        if i > n:
            break
    return i


@calls((1,), (2,), (3,), (4,))
def native_loop_over_a_display(x):
    for y in (1, 2, 3):
        if y == x:
            return "found", y
    else:
        y = "else"
    return y


@calls((1,), (5,))
def native_loop_with_continue(x):
    r = []
    for y in (1, 2, 3):
        if y == x:
            continue
        if y > 2:
            r.append(0)
            if x > 1:
                continue
            r.append(1)
        r.append(y)
    return r


@calls((1,), (None,), ("a",))
def static_tests_stay(x):
    if x is None:
        return "none"
    if isinstance(x, str):
        return "str"
    if x is not None and not isinstance(x, str):
        y = x + 1
    return y


@calls(([1, None, 3, "stop", 4],), ([],))
def static_tests_in_a_loop(xs):
    total = 0
    for x in xs:
        if x is None:
            continue
        if isinstance(x, str):
            break
        total += x
    else:
        total = -total
    return total


@calls((0,), (1,), (2,), ([1, 2],), ({"k": 3},), ("?",))
def match_stays(x):
    r = []
    match x:
        case 0:
            return "zero"
        case int(n) if n > 1:
            r.append(n)
        case [a, *rest]:
            for b in rest:
                if b == 2:
                    return a, b
        case {"k": v, **others}:
            r.append((v, others))
        case _:
            r.append("other")
    return r


@calls(([0, 1, 2, 3, "x"],))
def match_in_a_loop(xs):
    r = []
    for x in xs:
        match x:
            case 0:
                continue
            case 3:
                if r:
                    break
            case y:
                r.append(y)
        r.append("end")
    return r


@calls(([1, 2, "x", 3],), ([],))
def try_in_a_loop(xs):
    total = 0
    errors = []
    for x in xs:
        try:
            total += x
            if total > 3:
                continue
        except TypeError as error:
            errors.append(str(error))
            break
        else:
            errors.append("fine")
        finally:
            total += 1
        errors.append(total)
    return total, errors


@calls((0,), (1,))
def variable_read_after_an_exception(x):
    step = "start"
    try:
        if x >= 0:
            step = "before"
            1 / x
            step = "after"
    except ZeroDivisionError:
        return step
    return "no", step


@calls((0,), (1,))
def variable_written_in_a_loop_before_an_exception(x):
    done = 0
    try:
        for i in [3, 2, 1, x]:
            q = 1 / i
            done = i
    except ZeroDivisionError:
        return done, q
    finally:
        done = -1
    return done


@calls((1,), (0,))
def del_in_a_branch(c):
    x = 1
    if c:
        del x
    return x


@calls((1,), (0,))
def del_then_read_in_the_branch(c):
    x = 1
    if c:
        del x
        return x
    return x


@calls(([1, 2],))
def del_in_a_loop(xs):
    r = []
    for x in xs:
        t = x * 2
        r.append(t)
        del t
    try:
        t
    except NameError:
        r.append("unbound")
    return r


@calls((1,), (0,))
def read_before_any_write(c):
    if c:
        r = len
    return r is not None


len_ = len


@calls((1,), (0,))
def unbound_local_hides_a_global(c):
    if c > 5:
        len_ = None
    if c:
        return len_([1])
    return 0


@calls((5,), (0,))
def loop_variable_after_the_loop(n):
    i = "none"
    for i in range(n):
        pass
    return i


@calls(([(1, (2, 3)), (4, (5, 6))],))
def nested_targets(pairs):
    total = 0
    for a, (b, c) in pairs:
        total += a * b * c
    return total, a


@calls(([(1, 2, 3), (4, 5)],))
def starred_attribute_and_subscript_targets(rows):
    class Box:
        pass

    box = Box()
    d = {}
    out = []
    for box.first, *d["rest"] in rows:
        out.append((box.first, d["rest"]))
        if box.first > 1:
            box.second, d[box.first] = 1, 2
            box.first += 1
    return out, box.first, d


@calls(([3, 4],))
def augmented_targets(xs):
    class Box:
        n = 0

    box = Box()
    d = {"k": 1}
    for x in xs:
        if x > 3:
            box.n += x
            d["k"] *= x
            xs[0] -= 1
    return box.n, d, xs


@calls(([1, 2, 3, 4, 5],))
def both_flags_in_one_loop(xs):
    found = None
    for x in xs:
        for y in xs:
            if x * y == 6:
                found = x, y
                break
            if x * y == 99:
                return "never"
        if found:
            break
    return found


@calls((0,), (1,), (2,), (3,))
def return_from_deep_inside(n):
    for a in range(3):
        while a < 5:
            try:
                with suppress(KeyError):
                    if a == n:
                        for c in "xyz":
                            if c == "y":
                                return a, c
                    if n == 3:
                        raise KeyError
                break
            finally:
                a += 1
        else:
            return "else"
    return "end"


@calls((3,), (0,))
def rest_after_partial_return_in_with(n):
    out = []
    with suppress(ZeroDivisionError):
        if n:
            if n > 5:
                return "big"
            out.append(n)
        out.append(1 / n)
        if n > 2:
            return "some", out
    out.append("after")
    return out


@calls((1,), (0,))
def only_a_test(x):
    for i in range(3):
        if x:
            continue
    if x:
        return


@calls(([1, 2, 3],), ([],))
def else_with_return_and_break(xs):
    for x in xs:
        if x == 7:
            break
    else:
        for y in xs:
            if y == 2:
                return "two"
        else:
            return "no two"
        return "after"
    return "seven"


@calls((1,), (0,))
def annotations(c):
    x: int
    if c:
        x: int = 3
        y: str
        y = "a"
    else:
        x = 4
    z: int = x
    return x, z


@calls((4,))
def assignment_of_several(n):
    a = b = c = 0
    while a < n:
        a, b = a + 1, b + a
        c = d = a + b
    return a, b, c, d


@calls((1,), (0,))
def unreachable_code_still_makes_a_local(c):
    if c:
        try:
            return late
        except UnboundLocalError:
            return "unbound"
    return "else"
    late = 1


late = "global"


@calls((1,), (3,))
def raise_in_a_branch(x):
    if x > 2:
        raise ValueError("too large: %d" % x)
    return x


@calls((2,), (0,))
def reraise(x):
    try:
        return 1 / x
    except ZeroDivisionError as error:
        if x == 0:
            raise ValueError("zero") from error
        return 0


@calls(([1, 2, 3],))
def except_names_are_unbound_after(xs):
    r = []
    for x in xs:
        try:
            raise ValueError(x)
        except ValueError as e:
            if x == 2:
                r.append(e.args)
    try:
        return e
    except NameError:
        return r


@calls(
    (3,),
)
def while_loop_with_try_and_else_returns(n):
    while n:
        n -= 1
        try:
            if n == 1:
                return "one"
        except ValueError:
            pass
        else:
            if n == 2:
                continue
        n += 0
    return "none"


@calls(
    ([1, 2, 0, 3],),
)
def return_after_a_continue_in_an_endless_loop(xs):
    xs = iter(xs)
    out = []
    while True:
        x = next(xs)
        if x:
            out.append(x)
            continue
        return out


@calls(([1, 2, 3],), ([],))
def continue_in_nested_finally_calls_off_break(xs):
    seen = []
    for x in xs:
        try:
            if x == 2:
                break
        finally:
            seen.append(x)
            try:
                seen.append("inner")
            finally:
                continue
    return seen


@calls(([1, 2, 3],), ([],))
def return_in_a_loop_before_a_break_in_finally(rows):
    out = []
    for row in rows:
        for x in rows:
            if x == 3:
                return out, x
        try:
            out.append(row)
        finally:
            break
    return "end", out


@calls(([1, 2, 3, 4, 5],), ([3],), ([],))
def return_after_a_partial_continue(xs):
    log = []
    for x in xs:
        if x > 1:
            if x == 2:
                continue
        with suppress(KeyError):
            if x > 2:
                if x == 4:
                    return log
            elif x == 5:
                continue
            log.append(x)
        log.append("end")
    return "end", log


@calls(([1, 2, 3],), ([3],), ([2, 2],))
def return_in_try_and_continue_in_its_handler(xs):
    log = []
    for x in xs:
        try:
            if x > 1:
                if x == 3:
                    return log
                log.append(1 // (x - 2))
        except ZeroDivisionError:
            if log:
                if x == 2:
                    continue
                log.append("handler")
        log.append(x)
    return "end", log


@calls((1,), (0,))
def return_in_try_and_in_finally_of_its_else(x):
    log = []
    try:
        if x:
            return "try"
    except KeyError:
        pass
    else:
        try:
            log.append("else")
        finally:
            return log
        log.append("never")


@calls(([1, 2, 3, 4],), ([2],), ([3, 1],), ([1, 4],))
def break_before_and_after_a_continue(xs):
    log = []
    for x in xs:
        with suppress(KeyError):
            with suppress(ValueError):
                if x == 3:
                    break
            if len(log) > 1:
                if x == 2:
                    continue
            with suppress(ValueError):
                if x == 4:
                    break
            log.append(x)
        log.append("end")
    return log
