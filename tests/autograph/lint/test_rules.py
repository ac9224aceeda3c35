"""Each rule finds its own bad example and nothing in the good one; what is harmless."""

from __future__ import annotations

import pytest

from autograph.lint import RULES, Rule, check_text
from tests.autograph.lint.examples import as_module


def codes(text: str) -> list[str]:
    return [finding.code for finding in check_text(as_module(text), "net.py")]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_finds_its_bad_example_only(rule: Rule) -> None:
    assert codes(rule.bad) == [rule.code]
    assert codes(rule.good) == []


def test_codes_are_unique_and_in_order() -> None:
    listed = [rule.code for rule in RULES]
    assert listed == sorted(set(listed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A loop over what Python knows is unrolled, so that a list may grow in it.
        ("def f(x):\n    rows = []\n    for k in range(3):\n        rows.append(x)", []),
        ("def f(x):\n    rows = []\n    for k in range(len(x)):\n        rows.append(x)", []),
        ("def f(x):\n    d = {}\n    for row in x:\n        d[row] = []", []),
        ("def f(x):\n    d = {'a': 1}\n    if x > 0:\n        d['a'] = [x]", []),
        ("def f(x):\n    d = {}\n    if x.shape[0] > 1:\n        d['a'] = x", []),
        ("def f(x):\n    s = []\n    if x > 1:\n        s.append([x])\n    else:\n"
         "        s.insert(0, [])", []),
        # Numbers and texts are keys that the graph knows.
        ("def f(x):\n    d = {}\n    for row in x:\n        d['a'] = row", []),
        ("def f(x):\n    d = {}\n    for k, row in enumerate(x):\n        d[k] = row", []),
        ("def f(x):\n    s = set()\n    for row in x:\n        s.add(row)", []),
        # A list that is made in the round itself is a new one each time.
        ("def f(x):\n    while x > 1:\n        rows = []\n        rows.append(x)", []),
        ("def f(x):\n    r = set()\n    while x > 1:\n        if x > 2: r.pop()", ["AG101"]),
        # A variable is created once, or refused.
        ("class M:\n    @ag.function\n    def f(self, x):\n        if self.v is None:\n"
         "            self.v = ag.Variable(x)\n        return self.v", []),
        ("def f(x, m):\n    m.v = m.v or ag.Variable(x)\n    return m.v", []),
        ("def f(x, m):\n    if m.v is None:\n        for k in range(3):\n"
         "            m.v.append(ag.Variable(x))\n    return x", ["AG121"]),
        ("def f(x):\n    def g():\n        return ag.Variable(0)\n    return x", []),
        ("from autograph import tf\n@ag.function\ndef f(x): return tf.Variable(x)", ["AG121"]),
        # Lists are staged.
        ("def f(x):\n    r = []\n    while x > 1:\n        if x > 2: r.pop()", []),
        ("def f(x):\n    r = list()\n    while x > 1:\n        r.append(x)", []),
        ("def f(x, mode: str):\n    rows = []\n    if mode > 'a':\n        rows.append(x)", []),
        ("from secrets import choice as pick\ndef f(x):\n    return x * pick([1, 2])", ["AG103"]),
        ("import random\ndef f(x):\n    return x * random.random()", []),
        ("def f(x, secrets):\n    return secrets.choice(x)", []),
        ("def f(x):\n    try:\n        return x[0]\n    except TypeError:\n        return x", []),
        ("def f(x):\n    try:\n        x = x[0]\n    except:\n        return x", []),
        ("def f(x, y):\n    return x is None or y is True", []),
        ("class A:\n    @ag.function\n    def __init__(self, x):\n        self.x = x", []),
        ("class A:\n    @ag.function\n    def f(self, x):\n        self.x = x", ["AG106"]),
        ("def f(x):\n    return hash(x) + id(x)", ["AG111", "AG111"]),
        ("async def f(x):\n    return x", ["AG115"]),
        ("def f(x, k):\n    return x\nf(1, k=2)\nf(1, k=2)\nf(1, k=3)", ["AG108"]),
        ("def f(x):\n    assert (n := 3) > 2\n    return x", ["AG112"]),
        ("def f(x):\n    try:\n        y\n    except UnboundLocalError:\n        pass", ["AG117"]),
        ("def f(x):\n    return eval('x')", ["AG117"]),
        ("def f(x):\n    return eval('x', {})", []),
    ],
)  # fmt: skip
def test_a_rule_knows_what_is_harmless(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_what_a_staged_function_calls_is_checked_with_what_it_is_given() -> None:
    text = """
def g(x, names):
    rows = {1, 2}
    if names:
        rows.pop()
    while x > 1:
        rows.pop()
    return x

def unused(x):
    import random
    return random.random()

def f(x):
    return g(x, ["a"])
"""
    found = check_text(as_module(text, "f"), "net.py")
    assert [(one.code, one.line) for one in found] == [("AG101", 10)]


def test_a_stale_attribute_names_the_method_that_assigns_it() -> None:
    rule = next(rule for rule in RULES if rule.code == "AG107")
    (found,) = check_text(as_module(rule.bad), "net.py")
    assert "`self.rate` is read while tracing, and set assigns it in line 6" in found.message
