"""Functions of operators turn back into the statements that they stand for."""

from __future__ import annotations

import ast
import textwrap

import pytest

from autograph.inlining import plain

SAMPLES = {
    "tuples": (
        """
        def f():
            def body(x):
                ag.call(g, x)
            ag.for_([(), (1,)], body, '')
        """,
        """
        def f():
            for x in [(), (1,)]:
                g(x)
        """,
    ),
    "if": (
        """
        def f(x):
            y: ...
            def then():
                nonlocal y
                y = 1
            ag.if_(ag.not_(x), then, None, 'y')
            return y
        """,
        """
        def f(x):
            y: ...
            if not x:
                y = 1
            return y
        """,
    ),
    "tail": (
        """
        def f(x):
            def else_():
                y = ag.call(g, x)
                return y
            return ag.if_(x > 0, lambda: x, else_)
        """,
        """
        def f(x):
            if x > 0:
                return x
            else:
                y = g(x)
                return y
        """,
    ),
    "loops": (
        """
        def f(xs):
            'Text.'
            stop = False
            def body(x):
                nonlocal stop
                global seen
                seen = x
                stop = True
            ag.for_(xs, body, 'stop', until=lambda: stop)
            def round_():
                ag.assert_(xs, lambda: 'empty')
            ag.while_(lambda: xs, round_)
        """,
        """
        def f(xs):
            \"\"\"Text.\"\"\"
            global seen
            stop = False
            for x in xs:
                seen = x
                stop = True
                if stop:
                    break
            while xs:
                assert xs, 'empty'
        """,
    ),
    "try": (
        """
        def f(x):
            def body():
                ag.call(g, x)
            def handler(e):
                nonlocal x
                x = e
                raise
            def handler_2(error):
                pass
            def final():
                ag.call(h, x)
            ag.try_(body, [(lambda: (A, B), handler), (None, handler_2)], None, final, 'x')
            return x
        """,
        """
        def f(x):
            try:
                g(x)
            except (A, B) as e:
                x = e
                raise
            except as error:
                pass
            finally:
                h(x)
            return x
        """,
    ),
    "a return that ends a round stays in its closure": (
        """
        def f(xs):
            def body(x):
                try:
                    pass
                finally:
                    return
            ag.for_(xs, body)
        """,
        """
        def f(xs):

            def body(x):
                try:
                    pass
                finally:
                    return
            ag.for_(xs, body)
        """,
    ),
    "a closure's own variable that hides one from around stays in its closure": (
        """
        def f(x):
            def then():
                seen = x
                ag.call(print, seen)
            ag.if_(x, then, None)
            return lambda y: seen
        """,
        """
        def f(x):

            def then():
                seen = x
                ag.call(print, seen)
            ag.if_(x, then, None)
            return lambda y: seen
        """,
    ),
    "a variable of a coroutine is its own": (
        """
        def f(x):
            async def run():
                task = x
                await task
            def then():
                task = ag.call(run)
                ag.call(print, task)
            ag.if_(x, then, None)
        """,
        """
        def f(x):

            async def run():
                task = x
                await task
            if x:
                task = run()
                print(task)
        """,
    ),
    "expressions": (
        """
        def f(a, b):
            return (
                ag.or_(a, lambda: b, lambda: ag.in_(a, b)),
                ag.compare(a, '<', lambda: b, 'not in', lambda: ag.call(g, *a, k=b)),
                ag.get_item(a, (slice(None, b), slice(1, a, 2), b)),
            )
        """,
        """
        def f(a, b):
            return (a or b or a in b, a < b not in g(*a, k=b), a[:b, 1:a:2, b])
        """,
    ),
    "an operand that binds a name stays in its function": (
        """
        def f(a):
            y: ...
            def operand():
                nonlocal y
                return (y := a)
            return ag.and_(a, operand)
        """,
        """
        def f(a):
            y: ...

            def operand():
                nonlocal y
                return (y := a)
            return ag.and_(a, operand)
        """,
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_operators_become_statements(name: str) -> None:
    before, after = (textwrap.dedent(text).strip() for text in SAMPLES[name])
    node = ast.parse(before).body[0]
    unchanged = ast.dump(node)
    assert ast.unparse(plain(node, "ag")) == after
    assert ast.dump(node) == unchanged
