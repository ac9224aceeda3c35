"""A converted module differs from its source in nothing but what had to change."""

from __future__ import annotations

import codecs
import re
import textwrap

import pytest

from autograph.errors import ConversionError, InvalidSourceError, UnknownFunctionError
from autograph.files.modules import convert_module, converted_function
from autograph.source import printer

IMPORT = "import autograph.operators as _ag\n"
MARK = re.compile(r"^[ \t]*@_ag\.converted\r?\n", re.MULTILINE)


def converted(text: str, only: str | None = None) -> str:
    printer.fallbacks.clear()
    result = convert_module(text, "net.py", only)
    assert isinstance(result, str)
    assert not printer.fallbacks
    compile(result, "net.py", "exec")
    return MARK.sub("", result)


def dedent(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def changed(text: str, only: str | None = None) -> str:
    """The converted text without the import, which must be there."""
    result = converted(dedent(text), only)
    assert result.count(IMPORT) == 1
    return result.replace(IMPORT + "\n\n", "").replace(IMPORT, "")


def test_a_converted_function_is_marked_next_to_its_definition() -> None:
    text = (
        "@a\n@b  # c\ndef f(x):\n  return g(x)\nclass A:\n\tdef f(x):\n\t\tdef g(y): return h(y)\n"
    )
    assert convert_module(text, "net.py") == (
        f"{IMPORT}\n\n@a\n@b  # c\n@_ag.converted\ndef f(x):\n  return _ag.call(g, x)\n"
        "class A:\n\t@_ag.converted\n\tdef f(x):\n\t\tdef g(y):\n\t\t\treturn _ag.call(h, y)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n# nothing\n",
        '"""Only a docstring."""',
        "'''Doc.'''; x = 1\r\n",
        "x = [f(y) for y in z if w]\nif x:\n    g(x)\n",
        "def f(x):\n    return x   +   1 # as it is\n",
        "async def f(x):\n    return g(x)\n",
        "def f(x):\n    if x: yield g(x)\n",
        "def f(x):\n    y = yield\n    def g(): return h(x)\n",
        "@do_not_convert\ndef f(x):\n    return g(x)\n",
        "@ag.do_not_convert()\ndef f(x):\n    return g(x)\n",
        "@autograph.do_not_convert\nclass A:\n    def f(x):\n        return g(x)\n",
        "f = lambda x: x + 1\n",
        "@d(lambda x: g(x))\nclass A(B, key=lambda x: g(x)):\n    pass\n",
    ],
)
def test_what_is_not_converted_stays_letter_by_letter(text: str) -> None:
    assert converted(text) == text
    assert convert_module(text.encode(), "net.py") == text.encode()


def test_unchanged_statements_keep_text_and_comments() -> None:
    assert changed(
        """
        def f( x,y ) :   # the signature
            # first
            a = x   +   y   # sum

            # second
            b = g( a )   # call
            c = '''one
          two'''; d = 0x_ff
            return a   # end
        # below
        """
    ) == dedent(
        """
        def f( x,y ) :   # the signature
            # first
            a = x   +   y   # sum

            # second
            b = _ag.call(g, a)   # call
            c = '''one
          two'''; d = 0x_ff
            return a   # end
        # below
        """
    )


def test_statements_in_a_branch_keep_text_and_comments() -> None:
    text = changed(
        """
        def f(x, y):
            # before
            if x > 0:  # positive
                # inside
                y = (y   +
                     1)  # more
            else:
                y = 0x0   # hex
            return y
        """
    )
    for part in ("# before\n", "# positive", "        # inside\n", "  # more\n", "0x0   # hex\n"):
        assert text.count(part) == 1
    assert "        y = (y   +\n             1)  # more\n" in text


def test_a_string_of_several_lines_is_not_indented_with_its_statement() -> None:
    text = changed(
        """
        def f(x):
            if x > 0:
                return '''a
            b
        '''
            y = 1
            return '''c
              d''', y
        """
    )
    scope: dict[str, object] = {}
    assert "'''c\n      d'''" in text
    exec(compile("def f(x):\n    y = '''a\n    b\n'''\n", "", "exec"), scope)


def test_a_match_that_becomes_a_chain_keeps_the_comments_of_its_arms() -> None:
    text = changed(
        """
        def f(x):
            match  x :  # match
                # one
                case 1 if  x :  # case
                    y  = 1  # first
                    # second
                    return y
                case [ a,0 ]:
                    return a  # last
        """
    )
    assert "        y  = 1  # first\n        # second\n        return y\n" in text
    assert "found, captured = _ag.match(x, '[a, 0]')\n" in text
    assert "            return a  # last\n" in text


def test_a_native_compound_statement_keeps_its_header() -> None:
    assert changed(
        """
        def f(x):
            with open( x ) as y, g as h :   # header
                pass
            while   True :  # for ever
                z = g(x)  # call
                break
        """
    ).splitlines()[2:3] == ["        pass"]


def test_clauses_are_kept_with_their_comments() -> None:
    assert changed(
        """
        def f(x):
            try :  # try
                x = y
            # first
            except  ( A,B ) as e :  # except
                # in it
                x = g(e)
            # second
            else :  # else
                x   = 1
            # third
            finally :
                x = 2; g(x)
            match  z :  # match
                # one
                case { 'a' :_ } if  y  is None :  # case
                    return g(x)
                # two
                case _ :
                    pass  # end
        """
    ) == dedent(
        """
        def f(x):
            try :  # try
                x = y
            # first
            except  ( A,B ) as e :  # except
                # in it
                x = _ag.call(g, e)
            # second
            else :  # else
                x   = 1
            # third
            finally :
                x = 2
                _ag.call(g, x)
            match  z :  # match
                # one
                case { 'a' :_ } if  y  is None :  # case
                    return _ag.call(g, x)
                # two
                case _ :
                    pass  # end
        """
    )


def test_an_elif_is_kept() -> None:
    assert changed(
        """
        def f(x):
            if x is None:  # a
                pass
            elif  x  is  None:  # b
                g(x)
            # c
            elif x is None: h  # d
            else:  # e
                i
        """
    ) == dedent(
        """
        def f(x):
            if x is None:  # a
                pass
            elif  x  is  None:  # b
                _ag.call(g, x)
            # c
            elif x is None: h  # d
            else:  # e
                i
        """
    )


def test_a_definition_on_one_line_is_opened() -> None:
    assert changed("def f(x): return 1 if x else 2  # c\n") == (
        "def f(x):\n    return _ag.if_exp(x, lambda: 1, lambda: 2)  # c\n"
    )


def test_statements_between_semicolons_are_parted_where_they_change() -> None:
    assert changed("def f(x):\n    a = 1; b = 2; c = g(x); d = 4\n") == (
        "def f(x):\n    a = 1; b = 2\n    c = _ag.call(g, x)\n    d = 4\n"
    )


def test_methods_of_nested_classes_are_converted() -> None:
    assert changed(
        """
        class A(B):
            'Doc.'
            class C:
                @property
                def f(self):  # f
                    return g(self)

            x = 1  # x
        """
    ) == dedent(
        """
        class A(B):
            'Doc.'
            class C:
                @property
                def f(self):  # f
                    return _ag.call(g, self)

            x = 1  # x
        """
    )


def test_functions_under_conditions_of_the_module_are_converted() -> None:
    assert changed(
        """
        if TYPE_CHECKING:
            import x
        try:
            def f(x): pass
        except E:
            def f(x):
                return g(x)
        """
    ).endswith("except E:\n    def f(x):\n        return _ag.call(g, x)\n")


def test_tabs_stay_tabs() -> None:
    assert changed(
        "class A:\n\tdef f(self):\n\t\tx = 1 # c\n\t\tif x > 2:\n\t\t\tx = 3\n\t\treturn x\n"
    ) == (
        "class A:\n\tdef f(self):\n\t\tx = 1 # c\n\t\tdef then():\n\t\t\tnonlocal x\n\t\t\tx = 3\n"
        "\t\t_ag.if_(x > 2, then, None, 'x')\n\t\treturn x\n"
    )


def test_an_indentation_of_two_is_kept() -> None:
    text = changed("def f(x):\n  if x > 2:\n    x = 3\n  return x\n")
    assert text.startswith("def f(x):\n  def then():\n    nonlocal x\n    x = 3\n  _ag.if_(")


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_line_ends_are_kept(end: str) -> None:
    lines = ["# c", "def f(x):", "    if x > 1:", '        x = """a', 'b"""', "    return x", ""]
    source = end.join(lines)
    result = convert_module(source.encode(), "net.py")
    assert isinstance(result, bytes)
    lines = result.decode().split(end)
    assert not any("\n" in line or "\r" in line for line in lines)
    assert lines[-1] == ""


def test_a_last_line_without_end_stays_without() -> None:
    assert converted("def f(x):\n    return g(x)").endswith("    return _ag.call(g, x)")


def test_a_byte_order_mark_is_kept() -> None:
    source = codecs.BOM_UTF8 + "def f(x):\n    é = g(x)\n".encode()
    result = convert_module(source, "net.py")
    assert isinstance(result, bytes)
    assert result.startswith(codecs.BOM_UTF8 + IMPORT.encode())
    assert "é = _ag.call(g, x)".encode() in result
    result = convert_module("\ufeffdef f(x): return g(x)\n", "net.py")
    assert isinstance(result, str)
    assert result.startswith("\ufeff" + IMPORT)


def test_an_encoding_cookie_is_obeyed_and_kept() -> None:
    source = "# coding: latin-1\ndef f(x):\n    return g('é', '\\u1234')  # ü\n".encode("latin-1")
    result = convert_module(source, "net.py")
    assert isinstance(result, bytes)
    assert result.startswith(b"# coding: latin-1\n" + IMPORT.encode())
    assert result.endswith("_ag.call(g, 'é', '\\u1234')  # ü\n".encode("latin-1"))


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", IMPORT + "\n\n"),
        (
            "#!/usr/bin/env python\n# Licence\n\n",
            "#!/usr/bin/env python\n# Licence\n\n" + IMPORT + "\n\n",
        ),
        ('"""Doc."""\n', '"""Doc."""\n\n' + IMPORT),
        ('"""Doc."""; x = 1\n', '"""Doc."""; x = 1\n\n' + IMPORT),
        ("from __future__ import annotations\n", "from __future__ import annotations\n" + IMPORT),
        (
            "'''D\n'''  # c\nfrom __future__ import (\n  division)  # d\nimport x\n",
            f"'''D\n'''  # c\nfrom __future__ import (\n  division)  # d\n{IMPORT}import x\n",
        ),
        ("import x\n", IMPORT + "import x\n"),
    ],
)
def test_the_import_stands_behind_docstring_and_future(head: str, expected: str) -> None:
    result = converted(head + "def f(x):\n    return g(x)\n")
    assert result == expected + "def f(x):\n    return _ag.call(g, x)\n"


def test_the_operators_get_a_name_that_the_module_does_not_use() -> None:
    result = converted("_ag = 1\ndef f(x):\n    return g(x)\n")
    assert result.startswith("import autograph.operators as _ag_2\n_ag = 1\n")
    assert "_ag_2.call(g, x)" in result


def test_a_converted_module_is_not_converted_again() -> None:
    once = converted("def f(x):\n    return g(x)\ndef h(x):\n    return g(x)\n")
    assert converted(once) == once


def test_a_second_function_is_converted_with_the_import_that_is_there() -> None:
    source = "def f(x):\n    return g(x)\ndef h(x):\n    return g(x)\n"
    assert converted(converted(source, "f"), "h") == converted(source)


def test_modules_that_the_file_imports_are_known() -> None:
    source = "import numpy as np\ndef f(x):\n    return np.sin(x) + g.sin(x)\n"
    assert converted(source).endswith("    return np.sin(x) + _ag.call(g.sin, x)\n")


def test_only_the_named_function_is_converted() -> None:
    source = "def f(x):\n    return g(x)\nclass A:\n    def f(self):\n        return g(self)\n"
    assert changed(source, "A.f") == source.replace("g(self)", "_ag.call(g, self)")


def test_an_inner_function_can_be_named() -> None:
    source = "def f(x):\n    def h():\n        return g(x)\n    return h()\n"
    for name in ("f.h", "f.<locals>.h"):
        assert changed(source, name) == source.replace("g(x)", "_ag.call(g, x)")


def test_an_unknown_name_is_refused_with_near_ones() -> None:
    source = "def forward(x): pass\nclass A:\n    def step(self): pass\n"
    with pytest.raises(UnknownFunctionError) as caught:
        convert_module(source, "net.py", "foward")
    assert str(caught.value) == ("There is no function foward in net.py.\nTry: one of forward.")
    with pytest.raises(UnknownFunctionError, match=r"Try: one of A\.step\."):
        convert_module(source, "net.py", "step")


def test_a_generator_that_is_named_is_refused() -> None:
    with pytest.raises(ConversionError) as caught:
        convert_module("\ndef f(): yield\n", "net.py", "f")
    assert str(caught.value) == (
        "f is not converted: it is a generator.\n"
        '  File "net.py", line 2\n    def f(): yield\n    ^^^^^'
    )


def test_a_syntax_error_is_shown() -> None:
    with pytest.raises(InvalidSourceError, match=r'File "net.py", line 1\n    def f\(x\)\n'):
        convert_module("def f(x)\n    pass\n", "net.py")


def test_one_function_is_shown_alone() -> None:
    source = (
        "import x\nclass A:\n    @x\n    def f(self):\n        # c\n        return g(self)  # d\n"
    )
    assert converted_function(source, "net.py", "A.f") == (
        "    @x\n    def f(self):\n        # c\n        return _ag.call(g, self)  # d\n"
    )


def test_a_line_that_is_continued_is_kept() -> None:
    source = (
        "def f(x):\n    y = x + \\\n        1  # c\n    if x is None: \\\n        pass\n    g(y)\n"
    )
    assert changed(source) == source.replace("g(y)", "_ag.call(g, y)")


def test_a_form_feed_between_functions_is_kept() -> None:
    source = "def f(x):\n    return g(x)\n\x0c\n# next\ndef h(x):\n    pass\n"
    assert changed(source) == source.replace("g(x)", "_ag.call(g, x)")


def test_a_result_that_splicing_gets_wrong_is_printed_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("autograph.files.modules.splice", lambda *_: "def f(x): pass")
    printer.fallbacks.clear()
    result = convert_module("def f(x):\n    # c\n    return g(x)\n", "net.py")
    assert result == IMPORT + "\n\n@_ag.converted\ndef f(x):\n    return _ag.call(g, x)\n"
    assert printer.fallbacks == {"splice": 1}


def test_a_module_with_a_name_slice_gets_the_builtin_from_the_operators() -> None:
    text = changed("def f(x, n):\n    return x[1:n]\n\nslice = 3\n")
    assert "return _ag.get_item(x, _ag.slice(1, n))" in text


def test_lambdas_outside_of_functions_are_converted() -> None:
    assert changed(
        """
        f = lambda x: 1 if x else 2   # one
        if f:
            table = {
                "a": lambda x: lambda y: g(x) and y,
                "b": 1,
            }
        class A:
            key = staticmethod(lambda x, y=lambda: h(2): x.__size or y())
            def g(self): return (lambda: h(1))()
        x = 1   +   2
        """
    ) == dedent(
        """
        f = lambda x: _ag.if_exp(x, lambda: 1, lambda: 2)   # one
        if f:
            table = {'a': lambda x: lambda y: _ag.and_(_ag.call(g, x), lambda: y), 'b': 1}
        class A:
            key = staticmethod(lambda x, y=lambda: h(2): _ag.or_(x.__size, lambda: _ag.call(y)))
            def g(self):
                return _ag.call(lambda: _ag.call(h, 1))
        x = 1   +   2
        """
    )
    again = converted("f = lambda x: 1 if x else 2\n")
    assert converted(again) == again
