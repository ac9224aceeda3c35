"""What is printed reads back as the same tree, and is written to be read."""

from __future__ import annotations

import ast
import sys

import gast
import pytest

from autograph.errors import PrintingError
from autograph.source import printer
from autograph.source.compare import difference
from autograph.source.parse import parse, to_gast
from autograph.source.printer import to_text

LONG = "a_rather_long_name_for_a_function_or_a_variable"

SNIPPETS = [
    "f'{a} {b!r} {c:>{d}}'",
    "f'{ {1: 2}[1] }'",
    "f'''{a[\"b\"]} {c[\"d\"]!s:e}'''",
    "f'{{}} {a}' 'b' f'{c}'",
    "x = f'a\\r\\nb{c}'",
    "match a:\n    case [1, *b] if c:\n        d\n    case {'e': f, **g} | H(i=j) as k:\n        l",
    "match a, b:\n    case _:\n        pass",
    "match (a := b):\n    case None:\n        pass",
    "match *a, b:\n    case ():\n        pass",
    "def f(a, /, b, c=1, d=2): pass",
    "def f(a, b=1, /, c=2, *d, e, f=3, **g): pass",
    "def f(a: int, b: int = 1, /, *c: str, d: (1, 2) = 2, **e: T) -> (1, 2): pass",
    "def f(*, a): pass",
    "lambda: 0",
    "lambda a, /, b=1, *c, d, e=2, **f: (yield)",
    "a[(x, *y)]",
    "a[(1, 2):3]",
    "a[1, 2:3, ...]",
    "a[1:2:(3, 4)]",
    "a[::None]",
    "a[()]",
    "a[b:=1]" if sys.version_info >= (3, 10) else "a",
    "{**(a or b)}",
    "{**a, 'b': c, **d}",
    "{(a, b): (c, d)}",
    "{(yield): lambda: 1}",
    f"x: {LONG} = {LONG}({LONG}, {LONG}, {LONG}, {LONG})",
    f"def f({LONG}: {LONG} = {LONG}, a{LONG}: {LONG} = {LONG}): pass",
    f"del {LONG}, a{LONG}, b{LONG}, c{LONG}",
    f"{LONG} = a{LONG} = {LONG}({LONG}, {LONG}, {LONG})",
    f"return_{LONG}[{LONG}, {LONG}, {LONG}] += {LONG}({LONG}, {LONG})",
    "a: (1, 2)",
    "a: (1, 2) = 3, 4",
    "(a): int",
    "a.b: int = 1",
    "def f():\n    x: int = yield",
    "class A(B, *C, metaclass=D, **E): pass",
    "@a\n@b(c)\nclass A:\n    'text'\n    x = 1\n    def f(self): pass",
    "class A:\n    def f(self): pass\n    async def g(self): pass",
    "try:\n    a\nexcept (B, C) as d:\n    e\nexcept:\n    f\nelse:\n    g\nfinally:\n    h",
    "with a as b, c as (d, e), (f, g) as h: pass",
    "async def f():\n    async with a: pass\n    async for b in c: pass",
    "async def f():\n    return [await d async for d in e]",
    "a = (b := c)",
    "print((a := 1), b=(c := 2))",
    "not a in b, a not in b, not (a and b) or c",
    "(-1) ** 2, -1 ** 2, (a ** b) ** c, a ** -b, (await_) ** 2",
    "(a if b else c) if d else e",
    "[(yield), *a, (b, c)]",
    "x = yield",
    "a = *b, c",
    "for a in *b, c: pass",
    "for a, in b:\n    break\nelse:\n    continue_",
    "'a' 'b', b'c', u'd', '\\ud800', '\\x00\\x0c\\u2028\\x85'",
    "1e999, -1e999, 1e999j, 0.1, 1j, -0.0, 10 ** 20",
    "1 .real, 1.5.real, (-1).real",
    "x = 0x" + "f" * 4000,
    "raise A(b) from c",
    "assert (a, b), (c, d)",
    "assert a, 'b'",
    "global_ = 1\ndef f():\n    global a, b\n    def g():\n        nonlocal c",
    "from . import a\nfrom ..b import c as d, e\nimport f.g as h",
    "if a:\n    b\nelif c:\n    d\nelse:\n    if e:\n        f\n    g",
    "def f():\n    '''A text.\n\n        Indented \\\\ \"quoted\".\n    '''",
    "def f():\n    return '''a\n  b'''",
    "{1, 2}, {*a}, {a: b for a, b in c if d if e}, {f for f in g}",
    "(a for b in c)(d for e in f)",
    "f(a for b in c)",
    "f(*a, *b, c=d, **e, **f)",
    "a = b if c else lambda: d",
    "a < b <= c is not d not in e",
    "a @ b // c % d << e >> f & g | h ^ ~i",
]
if sys.version_info >= (3, 11):
    SNIPPETS += [
        "try:\n    a\nexcept* B as c:\n    d\nexcept* E:\n    f\nelse:\n    g\nfinally:\n    h",
        "a[*b]",
        "def f(*a: *b): pass",
    ]
if sys.version_info >= (3, 12):
    SNIPPETS += [
        "type A = B",
        "type A[B, *C, **D] = E[B]",
        "def f[A: int, B: (str, bytes), *C, **D](x: A) -> B: pass",
        "class A[B](C[B]): pass",
        "f\"{'\\n'.join(x)}\"",
        "f'{a['b']}'",
    ]
if sys.version_info >= (3, 13):
    SNIPPETS += ["def f[A = int, *B = *C](): pass"]


@pytest.mark.parametrize("text", SNIPPETS)
def test_a_construct_reads_back_as_the_same_tree(text: str) -> None:
    printer.fallbacks.clear()
    tree = parse(text, "net.py")
    assert difference(ast.parse(to_text(to_gast(tree))), tree) == ""
    assert not printer.fallbacks


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    y = 1\n\n    def body():\n        return y\n    return ag.if_(x, body)\n",
        "def f(a: int = 1, b=2) -> int:\n    return a\n",
        "x = f(lambda: a, lambda b: c)\n",
        "x = a ** 2\n",
        "x = [a + 1 for a in b], {-a for a in b}\n",
        "@g\ndef f(x):\n    return x\n",
    ],
)
def test_code_is_printed_as_people_write_it(text: str) -> None:
    assert to_text(gast.parse(text)) == text.replace("\n\n    def", "\n    def")


def test_methods_are_separated_by_a_blank_line() -> None:
    text = to_text(gast.parse("class A:\n  def f(self): pass\n  def g(self): pass"))
    assert text == (
        "class A:\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n"
    )


def test_lines_are_wrapped_at_one_hundred_columns() -> None:
    text = to_text(gast.parse(f"x = f({', '.join([LONG] * 9)})"))
    assert 80 < max(map(len, text.splitlines())) <= 100


def test_an_expression_has_no_newline() -> None:
    assert to_text(gast.parse("(a +b)", mode="eval").body) == "a + b"


def test_statements_are_printed_in_a_row() -> None:
    assert to_text(gast.parse("a;b").body) == "a\nb\n"


def test_nothing_has_no_text() -> None:
    assert to_text(gast.parse("")) == ""


def test_a_chain_of_a_thousand_terms_is_printed() -> None:
    assert to_text(gast.parse("+".join("a" * 200))) == " + ".join("a" * 200) + "\n"


def test_the_standard_printer_stands_in_for_a_statement_that_astor_gets_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(printer._Generator, "visit_Pass", lambda self, node: self.write("past"))
    printer.fallbacks.clear()
    assert to_text(gast.parse("a = (1)\nif a: pass")) == "a = 1\nif a:\n    pass\n"
    assert printer.fallbacks == {"If": 1}


def test_a_tree_without_a_text_is_an_internal_error() -> None:
    tree = gast.parse("a ** 2")
    tree.body[0].value.left = gast.Constant(-1, None)
    with pytest.raises(PrintingError, match=r"has no text: \.body\[0\]\.value is UnaryOp against"):
        to_text(tree)


def test_names_of_another_kind_are_no_difference_in_positions() -> None:
    assert difference(ast.parse("f( a )"), ast.parse("f(a)")) == ""


@pytest.mark.parametrize(
    ("left", "right"),
    [("0.0", "-0.0"), ("1", "True"), ("1", "1.0"), ("u'a'", "'a'"), ("f(a)", "f(b)")],
)
def test_a_difference_in_meaning_is_found(left: str, right: str) -> None:
    assert difference(ast.parse(left), ast.parse(right))


def test_parts_of_an_f_string_are_merged_before_they_are_compared() -> None:
    split = ast.parse("f'ab{c}'")
    split.body[0].value.values[:1] = [ast.Constant("a"), ast.Constant("b"), ast.Constant("")]
    assert difference(split, ast.parse("f'ab{c}'")) == ""
