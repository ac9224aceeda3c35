"""Fresh names collide with nothing in the tree."""

from __future__ import annotations

import gast
import pytest

from autograph.source.names import Namer, identifiers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x", {"x"}),
        ("x.y(z=1)", {"x"}),
        ("def f(a, /, b=c, *d, e, **g): pass", {"f", "a", "b", "c", "d", "e", "g"}),
        ("class A(B, metaclass=M): pass", {"A", "B", "M"}),
        ("import a.b, c as d\nfrom e import f, g as h", {"a", "d", "f", "h"}),
        ("def f():\n    global a\n    def g():\n        nonlocal b", {"f", "a", "g", "b"}),
        ("try:\n    pass\nexcept E as e:\n    pass", {"E", "e"}),
        ("f'{a} {b!r:{c}}'", {"a", "b", "c"}),
        ("[i for i in j if (k := i)]", {"i", "j", "k"}),
        (
            "match a:\n case [b, *c]: pass\n case {'d': e, **g}: pass\n case H(x=i) as j: pass",
            {"a", "b", "c", "e", "g", "H", "i", "j"},
        ),
    ],
)
def test_identifiers_finds_every_name_of_a_construct(text: str, names: set[str]) -> None:
    assert identifiers(gast.parse(text)) == names


def test_a_name_is_given_as_wished_when_it_is_free() -> None:
    assert Namer(gast.parse("x = 1")).fresh("body") == "body"


def test_a_name_of_the_tree_gets_a_number() -> None:
    assert Namer(gast.parse("lambda body: body_2")).fresh("body") == "body_3"


def test_the_same_wish_gets_another_name_each_time() -> None:
    namer = Namer()
    assert [namer.fresh("body") for _ in range(3)] == ["body", "body_2", "body_3"]


def test_keywords_and_builtins_are_never_given() -> None:
    namer = Namer()
    assert (namer.fresh("else"), namer.fresh("range")) == ("else_2", "range_2")


def test_reserved_names_are_not_given() -> None:
    namer = Namer(extra=["stop"])
    namer.reserve("skip")
    assert (namer.fresh("stop"), namer.fresh("skip")) == ("stop_2", "skip_2")
