"""A container that branches have chosen is extended in a branch, as `{**o, key: value}` does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph as ag
from tests.autograph.operators.control_flow.test_arrays_of_dtypes import described
from tests.random_programs.comparing import compiled

MADE = {
    "dict": ('{"a": 1}', '{"a": 1, "z": 0}'),
    "list": ("[1]", "[1, 2]"),
    "set": ("{1}", "{1, 2}"),
}
EXTENDED = {
    "dict": ('{**o, "z": 7}', '{"k": 1, **o}', "dict(o, z=1)", '(o.copy() | {"y": 1})'),
    "list": ("[*o, 7]", "[0, *o]", "o + [8]", "list(o)"),
    "set": ("{*o, 7}", "{0, *o}", "o | {8}", "set(o)"),
}
FORMS = {
    "branch": "    if x != 1:\n        o = {e}\n    return o, len(o)\n",
    "filled": "    if x != 1:\n        p = {t}()\n        p.update(o)\n        o = p\n"
    "    return o\n",
    "loop": "    for k in range(2):\n        if k == x:\n            break\n        o = {e}\n"
    "    return o\n",
}
CASES = [
    (kind, form, e)
    for kind in MADE
    for form in FORMS
    for e in EXTENDED[kind][: 1 if form == "filled" else None]
    if (kind, form) != ("list", "filled")
]


@pytest.mark.parametrize(("kind", "form", "extended"), CASES)
def test_what_branches_have_chosen_is_extended_in_a_branch(
    kind: str, form: str, extended: str
) -> None:
    first, second = MADE[kind]
    text = f"def f(x):\n    o = {first}\n    if x != 0:\n        o = {second}\n"
    text += FORMS[form].format(e=extended, t=kind)
    f = compiled(text, f"{kind} {form} {extended}")
    staged = ag.function(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        for x in (-1, 0, 1):
            assert described(staged(np.int64(x))) == described(f(x))


@pytest.mark.parametrize("x", [np.int64(0), np.int64(2)])
def test_what_is_no_mapping_has_no_items_for_a_dict(x: np.int64) -> None:
    def f(x):
        o = ()
        if x > 0:
            o = (1,)
        return {**o, "q": 1}

    with pytest.raises(TypeError, match="'tuple' object is not a mapping"):
        ag.function(f)(x)


def test_the_elements_of_an_array_are_not_deleted() -> None:
    def f(x):
        del x[0]

    with pytest.raises(ValueError, match="cannot delete array elements"):
        ag.function(f)(np.ones(2))
