"""The table of rules: one row each, from which docs/checks.md is made.

A code is never used for another rule later.
"""

from __future__ import annotations

import ast

from autograph.lint import effects, outside, values
from autograph.lint.names import own_nodes, path_of
from autograph.lint.rule import Found, Rule
from autograph.lint.staged import Staged

_FRAME_CALLS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}
"""What sees the variables around it, if it is called with so many arguments or fewer."""


def suspended(function: Staged) -> Found:
    """A generator or an async function."""
    yields = (ast.Yield, ast.YieldFrom)
    if isinstance(function.node, ast.AsyncFunctionDef):
        yield function.node, f"{function.node.name} is an async function"
    elif any(isinstance(node, yields) for node in function.nodes):
        yield function.node, f"{function.node.name} is a generator"


def binding_lambdas(function: Staged) -> Found:
    """A lambda that binds a name by `:=`."""
    for node in function.nodes:
        if not isinstance(node, ast.Lambda):
            continue
        if any(isinstance(part, ast.NamedExpr) for part in own_nodes(node)):
            yield node, "this lambda binds a name by `:=`"


def frame_calls(function: Staged) -> Found:
    """`locals()`, `eval(text)` and `except UnboundLocalError`."""
    for node in function.nodes:
        name = path_of(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and len(node.args) <= _FRAME_CALLS.get(name, -1):
            yield node, f"`{name}` would see other variables in converted code"
        elif isinstance(node, ast.ExceptHandler) and _catches_unbound(node):
            yield node, "`except UnboundLocalError` would meet another error in converted code"


def _catches_unbound(node: ast.ExceptHandler) -> bool:
    parts = ast.walk(node.type) if node.type is not None else iter(())
    return any(path_of(part) == "UnboundLocalError" for part in parts)


_ONCE = "it is the same whenever the graph runs"
_CHANGED = (
    "with TensorFlow's names, it happens once for each trace; else a function that changes a dict, "
    "a set or a list of objects is traced at each call or runs as plain Python, and is slower"
)

RULES = (
    Rule(
        "AG101",
        "Any item of a set is taken in a staged loop or branch.",
        "which item it is says CPython's table alone, and of texts nobody",
        "Take sorted(s)[0] of a set.",
        effects.sets_that_pop_in_staged_blocks,
        "def f(x):\n    items = {1, 2}\n    if np.sum(x) > 1:\n        x = x * items.pop()\n"
        "    return x",
        "def f(x):\n    items = {1, 2}\n    if np.sum(x) > 1:\n        x = x * sorted(items)[0]\n"
        "    return x",
    ),
    Rule(
        "AG102",
        "A list, dict or set from outside is changed.",
        _CHANGED,
        "Return the value, and let the caller keep it.",
        effects.outer_containers,
        "seen = []\n\n\ndef f(x):\n    seen.append(1)\n    return x",
        "seen = []\n\n\ndef f(x):\n    return x, 1",
    ),
    Rule(
        "AG103",
        "Random numbers of the operating system are drawn in a staged function.",
        _ONCE,
        "Draw the numbers outside, and pass them as an argument.",
        effects.names_of("secrets."),
        "def f(x):\n    return x + secrets.randbelow(6)",
        "def f(x, noise):\n    return x + noise",
    ),
    Rule(
        "AG104",
        "The time, a new identifier or the environment is asked for.",
        _ONCE,
        "Ask for it outside, and pass it as an argument.",
        effects.names_of(
            *("time.", "uuid.", "os.urandom", "os.getenv", "os.environ.get"),
            *("datetime.datetime.now", "datetime.datetime.today", "datetime.datetime.utcnow"),
            "datetime.date.today",
        ),
        "import time\n\n\ndef f(x):\n    return x + time.time()",
        "def f(x, now):\n    return x + now",
    ),
    Rule(
        "AG105",
        "A variable of the module is read that is assigned again elsewhere.",
        "each value of it needs a trace of its own",
        "Pass it as an argument.",
        outside.stale_globals,
        "rate = 1.0\nrate = 2.0\n\n\ndef f(x):\n    return x * rate",
        "RATE = 1.0\n\n\ndef f(x):\n    return x * RATE",
    ),
    Rule(
        "AG106",
        "A global or nonlocal variable, or an attribute of an argument, is assigned.",
        "with TensorFlow's names, it happens once for each trace; else each call does it",
        "Return the value, and assign it where the function is called.",
        outside.assigned_outside,
        "total = 0\n\n\ndef f(x):\n    global total\n    total = np.sum(x)\n    return x",
        "def f(x):\n    return x, np.sum(x)",
    ),
    Rule(
        "AG107",
        "An attribute is read that another method assigns.",
        "each value of it needs a trace of its own",
        "Pass it as an argument.",
        outside.stale_attributes,
        "class Net:\n    def set(self, rate):\n        self.rate = rate\n\n    @ag.function\n"
        "    def f(self, x):\n        return x * self.rate",
        "class Net:\n    def __init__(self, rate):\n        self.rate = rate\n\n    @ag.function\n"
        "    def f(self, x):\n        return x * self.rate",
    ),
    Rule(
        "AG108",
        "A staged function is called with different Python numbers.",
        "Python numbers are constants of a trace, so each is traced anew",
        "Pass an array or a scalar of NumPy: np.float64(value), np.int64(value).",
        outside.varying_scalars,
        "def f(x, k):\n    return x * k\n\n\nfor k in range(9):\n    f(np.ones(3), k)",
        "def f(x, k):\n    return x * k\n\n\nfor k in range(9):\n    f(np.ones(3), np.int64(k))",
    ),
    Rule(
        "AG109",
        "Something is printed or logged that is known while tracing, with TensorFlow's names.",
        "it happens once for each trace, not at each call",
        "Write tf.print, which writes when the graph runs, or print outside.",
        effects.prints,
        'from autograph import tf\n\n\n@tf.function\ndef f(x):\n    print("called")\n    return x',
        'from autograph import tf\n\n\n@tf.function\ndef f(x):\n    tf.print("called")\n'
        "    return x",
    ),
    Rule(
        "AG110",
        "A default is a list, dict or set.",
        "what one trace does to it is there in the next, and no call of the graph sees it",
        "Write None as the default, and make the object in the function.",
        outside.mutable_defaults,
        "def f(x, seen=[]):\n    return x",
        "def f(x, seen=None):\n    return x",
    ),
    Rule(
        "AG111",
        "`is`, `id` or `hash` of an array.",
        "a staged value has no object of its own until the graph runs",
        "Compare values, with == and np.all, or pass a flag.",
        values.identities,
        "def f(x, y):\n    return x if x is y else y",
        "def f(x, y):\n    return x if np.all(x == y) else y",
    ),
    Rule(
        "AG112",
        "The test of an assert has side effects.",
        "they do not happen at all under python -O",
        "Do it in a statement before, and assert the result.",
        effects.asserts,
        "def f(x, names):\n    assert names.pop()\n    return x",
        "def f(x, names):\n    assert names[-1]\n    return x",
    ),
    Rule(
        "AG113",
        "The elements of an array are asked for as a Python list.",
        "they are known only when the graph runs",
        "Go over the array itself: for row in x.",
        values.python_lists,
        "def f(x):\n    total = 0\n    for row in x.tolist():\n        total += row\n"
        "    return total",
        "def f(x):\n    total = 0\n    for row in x:\n        total += row\n    return total",
    ),
    Rule(
        "AG114",
        "A `try` whose `finally` jumps stands around staged code.",
        "it stays Python, so its handlers do not see what the graph raises when it runs",
        "Jump after the `try`.",
        values.handlers,
        "def f(x, i):\n    try:\n        y = x[i]\n    except IndexError:\n        y = x[0]\n"
        "    finally:\n        return y",
        "def f(x, i):\n    try:\n        y = x[i]\n    except IndexError:\n        y = x[0]\n"
        "    return y",
    ),
    Rule(
        "AG115",
        "A generator or an async function is staged.",
        "its caller runs between its steps, so it has no graph",
        "Stage the functions that it calls.",
        suspended,
        "def f(x):\n    yield x * 2",
        "def f(x):\n    return x * 2",
    ),
    Rule(
        "AG116",
        "A lambda binds a name by `:=`.",
        "it is left as Python, so nothing in it is staged",
        "Write it as a function, with def.",
        binding_lambdas,
        "def f(x):\n    g = lambda v: (w := v * 2) + w\n\n    return g(x)",
        "def f(x):\n    def g(v):\n        w = v * 2\n        return w + w\n\n    return g(x)",
    ),
    Rule(
        "AG117",
        "A function sees the variables of its own frame.",
        "the whole function is left as Python, so its branches and loops are not staged",
        "Put the computation into a function of its own and call that.",
        frame_calls,
        "def f(x):\n    return locals()",
        'def f(x):\n    return {"x": x}',
    ),
    Rule(
        "AG118",
        "A comprehension has an `if` that asks an array.",
        "how many items there are has to be known while tracing",
        "Choose a value for each item, or take the items of an array by x[x > 0].",
        values.conditions_of_comprehensions,
        "def f(x):\n    return [row for row in x if np.sum(row) > 0]",
        "def f(x):\n    return x[np.sum(x, axis=1) > 0]",
    ),
    Rule(
        "AG119",
        "A function calls itself under a staged condition, in a `try`.",
        "what a call in the graph raises is caught outside of the function only",
        "Put the `try` around the call from outside.",
        values.recursions,
        "def f(x):\n    if np.sum(x) < 1:\n        return x\n    else:\n        try:\n"
        "            return f(x / 2) + 1\n        except IndexError:\n            return -x",
        "def f(x):\n    try:\n        return g(x)\n    except IndexError:\n        return -x\n\n\n"
        "def g(x):\n    return x if np.sum(x) < 1 else g(x / 2) + 1",
    ),
    Rule(
        "AG120",
        "The debugger is called in a staged function.",
        "it stops while the function is traced, once, and not when the graph runs",
        "Write ag.breakpoint(), or let the function run eagerly.",
        effects.debuggers,
        "def f(x):\n    breakpoint()\n    return x",
        "def f(x):\n    ag.breakpoint()\n    return x",
    ),
    Rule(
        "AG121",
        "A variable is created by each call, or in a loop.",
        "a staged function creates its variables once, on the first call, and then is refused",
        "Create it outside, or once: `if self.v is None: self.v = ag.Variable(...)`.",
        effects.created_variables,
        "def f(x):\n    s = ag.Variable(0.0)\n    s.assign_add(np.sum(x))\n    return s",
        "s = ag.Variable(0.0)\n\n\ndef f(x):\n    s.assign_add(np.sum(x))\n    return s",
    ),
)
