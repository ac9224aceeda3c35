"""Ordinary functions with all kinds of names, closures and expressions."""

import functools

from tests.autograph.converters.sampling import calls

counter = 0


@calls((3,), (0,))
def late_binding_lambdas_in_a_comprehension(n):
    return [f() for f in [lambda: i for i in range(n)]]


@calls(
    (3,),
)
def late_binding_lambdas_in_a_loop(n):
    fs = []
    for i in range(n):
        j = i * 10
        fs.append(lambda: (i, j))
    return [f() for f in fs]


@calls(
    (3,),
)
def late_binding_generator(n):
    k = 1
    g = (x * k for x in range(n))
    if n:
        k = 100
    return list(g)


@calls(
    (3,),
)
def default_binds_early(n):
    fs = []
    for i in range(n):
        fs.append(lambda x=i: x)
    return [f() for f in fs]


@calls(
    (3,),
)
def nested_functions(n):
    total = 0

    def add(x, *, scale=1):
        nonlocal total
        if x > 1:
            total += x * scale
            return "added"
        return "not"

    out = [add(i, scale=2) for i in range(n)]
    return total, out


@calls(
    (3,),
)
def nonlocal_written_in_a_loop(n):
    seen = []

    def note():
        seen.append(i)

    for i in range(n):
        if i != 1:
            note()
    return seen


@calls(
    (5,),
)
def recursion(n):
    def fib(k):
        if k < 2:
            return k
        return fib(k - 1) + fib(k - 2)

    return fib(n)


@calls((2,), (0,))
def globals_are_written(n):
    global counter
    counter = 0
    for i in range(n):
        counter += i + 1
    if n:
        counter *= 10
    return counter


@calls((1,), (0,))
def global_declared_in_a_branch(c):
    if c:
        global counter
        counter = 77
    else:
        counter = 78
    return counter


@calls(
    (3,),
)
def decorated_inner_function(n):
    @functools.lru_cache(maxsize=None)
    def slow(k):
        if k:
            return slow(k - 1) + k
        return 0

    return slow(n), slow.cache_info().misses


@calls((2,), (5,))
def class_inside(n):
    class Base:
        __private = 5

        def get(self):
            if self.__private > 3:
                return self.__private
            return 0

    class Child(Base):
        def __init__(self, n):
            self.__n = n
            for i in range(n):
                if i % 2:
                    self.__n += i

        def get(self):
            if self.__n > 2:
                return super().get() + self.__n
            for i in range(1):
                base = super().get()
            return base

    return Child(n).get()


class Parent:
    def __init__(self, x):
        self.__x = x

    def value(self):
        return self.__x


class Heir(Parent):
    def __init__(self, x):
        super().__init__(x)
        self.__count = 0

    def private_names_and_super(self, n):
        __t = 0
        for __i in range(n):
            if __i % 2 == 0:
                self.__count += super().value()
                __t += __i
        while self.__count > 100:
            self.__count -= 1
        text = f"{super().value()}" if n else f"{n}"
        return self.__count, __t, n and super().value(), text


@calls((3,), (0,))
def generators_stay(n):
    def gen(k):
        for i in range(k):
            if i == 1:
                continue
            yield i

    async def coroutine():
        if n:
            return 1

    coroutine().close()
    return list(gen(n)), sum(x for x in gen(n) if x)


@calls(([3, 2, 1, 0, 5],), ([],))
def walrus_in_while(xs):
    xs = list(xs)
    seen = []
    while xs and (x := xs.pop(0)):
        seen.append(x)
    while (n := len(seen)) > 1:
        seen.pop()
    return seen, n


@calls((5,), (1,), (0,))
def walrus_in_if(x):
    if (y := x * 2) > 3:
        z = y
    elif x and (y := 7) > 5:
        z = -y
    else:
        z = y + 100
    return y, z


@calls(
    ([1, 2, 3],),
)
def walrus_in_comprehension(xs):
    total = 0
    for k in xs:
        if k:
            partial = [total := total + x for x in xs if x != k]
    return total, partial, any((last := x) > 1 for x in xs), last


@calls((1, 2, 3), (3, 2, 1), (1, 1, 1))
def chained_comparisons(a, b, c):
    log = []

    def get(x):
        log.append(x)
        return x

    return get(a) < get(b) < get(c), get(a) <= get(b) != get(c), a in [a, b] == True, log


@calls((1, 0), (0, 1), (1, 1), (0, 0))
def logic_keeps_values_and_laziness(a, b):
    log = []

    def get(x):
        log.append(x)
        return x

    return (
        get(a) and get(b) and "end",
        get(a) or get(b) or [],
        not get(a),
        get(a) if get(b) else get(-1),
        get(a) and not get(b) or get(3),
        a not in [b],
        log,
    )


@calls((1,), (0,))
def asserts(x):
    calls = []

    def message():
        calls.append(1)
        return "no"

    assert x >= 0
    assert x >= 0, message()
    assert isinstance(x, int)
    try:
        assert x, f"bad {x} {message()}"
    except AssertionError as e:
        return str(e), calls
    return calls


@calls(
    ((1, 2), {"c": 3}),
)
def star_arguments(args, kwargs):
    def f(a, /, b, *rest, c, d=4, **others):
        return a, b, rest, c, d, others

    return f(*args, **kwargs), f(0, *args, 9, **kwargs, e=5), f(1, c=2, *(3,))


@calls(([1, 2, 3, 4], 1, 3), ([5], 0, 1))
def subscripts(xs, i, j):
    d = {"a": [1, 2], (1, 2): 3}
    xs[i - 1] = 10
    xs[0] += xs[i - 1]
    xs[i:j] = [7]
    del xs[-1:]
    return xs[0], xs[i - 1 :], xs[::-1], xs[i:j:2], d["a"][i - 1], d[(1, 2)], d[1, j - i], xs


@calls((2,), (0,))
def comprehension_scopes(n):
    x = "outer"
    a = [x for x in range(n) if x or n]
    b = {x: y for x in range(n) for y in range(x) if not y}
    c = {(x, n > 1) if x else n for x in range(n)}
    return x, a, b, c


@calls(
    (3,),
)
def fstrings_and_names(ag):
    then = body = test = 1
    for else_ in range(ag):
        if else_ > 1:
            then += else_
            stop = f"{then!r:>{ag}} {body and test}"
            break
    return then, stop


@calls((1,), (0,))
def locals_are_the_users(c):
    x = 1
    if c:
        y = 2
    return sorted(locals())


@calls((1,), (0,))
def eval_sees_locals(c):
    x = 1
    if c:
        x = 2
    return eval("x + c")


@calls(
    (3,),
)
def lambdas_with_logic(n):
    f = lambda x, y=n: x and y or (x if x > 0 else -1)
    return [f(i) for i in range(n)]


@calls(
    ([3, 1, 2],),
)
def keywords_and_methods(xs):
    xs.sort(key=lambda x: -x, reverse=xs[0] > 1)
    return "-".join(map(str, xs)), sorted(xs, reverse=True), "{} {a}".format(1, a=2)


@calls((2,), (-1,))
def imports_in_branches(x):
    if x > 0:
        import math as m
        from os import path
    else:
        import cmath as m
        import os.path as path
    return m.sqrt(x), path.__name__


@calls((2,), (0,))
def closures_over_compiler_made_flags(n):
    fs = []
    for i in range(5):
        if i == n:
            break

        def g(a=i):
            for k in range(a):
                if k == 1:
                    return "early", i
            return a, i

        fs.append(g)
    return [f() for f in fs]


@calls(
    (3,),
)
def nonlocal_of_nonlocal(n):
    x = 0

    def outer():
        nonlocal x

        def inner(k):
            nonlocal x
            if k:
                x += k
                inner(k - 1)

        while x < n:
            inner(1)
        return x

    return outer(), x


@calls((1,), (0,))
def unbound_in_closure_is_a_name_error(c):
    def get():
        return value

    if c > 5:
        value = 1
    try:
        return get()
    except UnboundLocalError:
        return "unbound local"
    except NameError:
        return "name error"


@calls(
    (2,),
)
def linked_list(n):
    class Node:
        def __init__(self, v, next):
            self.v, self.next = v, next

    head = Node(0, None)
    node = head
    for i in range(n):
        node.next = Node(i, None)
        node = node.next
    out = []
    node = head
    while node is not None:
        out.append(node.v)
        node = node.next
    return out


@calls((3, 4), (0, 0))
def try_star_free_names(n, m):
    best = -1
    for i in range(n):
        candidate = (i * 7) % 5
        if candidate > best:
            best, where = candidate, i
    return (best, where) if best >= 0 else None


@calls((2,), (0,))
def super_in_an_fstring_of_a_branch(n):
    class Base:
        def name(self):
            return "base"

    class Child(Base):
        def name(self):
            if n:
                return f"{super().name()} of {n}"
            return "child"

    return Child().name()


@calls((), (1,))
def compiled_text_has_no_features_of_other_modules(default=0):
    found = {}
    exec("def g(x: int) -> str: pass", {}, found)
    return found["g"].__annotations__
