"""From a live function to its source: text, tree, class, and the modules it can name.

In: a Python function. Out: a `FunctionSource` whose tree belongs to the caller. A text is taken
for the function's only if it compiles to the very code that is running.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType, ModuleType

import gast

from autograph.errors import (
    ConversionError,
    InvalidSourceError,
    Place,
    SourceNotFoundError,
    UnsupportedSyntaxError,
)
from autograph.source.locate import Located, locate, nested_codes
from autograph.source.parse import parse, to_gast
from autograph.source.texts import texts_of


@dataclass(frozen=True)
class FunctionSource:
    """What is known of a function's source.

    Attributes:
        file: the name under which the function was compiled.
        lines: the lines of the whole file, with their ends.
        node: a gast FunctionDef, AsyncFunctionDef or Lambda at its place in the file; a private
            copy, free to be changed.
        qualname: the qualified name of the function.
        class_name: the innermost class around it, which mangles names like `__x`; or None.
        modules: the global and free names in it that are bound to modules, with their names:
            `{"np": "numpy"}`.
    """

    file: str
    lines: list[str]
    node: gast.AST
    qualname: str
    class_name: str | None
    modules: Mapping[str, str]

    @property
    def text(self) -> str:
        """The text of the whole file."""
        return "".join(self.lines)

    @property
    def is_lambda(self) -> bool:
        """Whether the function was written as a lambda."""
        return isinstance(self.node, gast.Lambda)


def load(function: object) -> FunctionSource:
    """Return the source of a Python function.

    Raises:
        SourceNotFoundError: it has no source, or what stands in its file is another function.
        InvalidSourceError: its file is no valid Python any more.
        UnsupportedSyntaxError: it has syntax that is too new for gast.

    Example:
        >>> import textwrap
        >>> source = load(textwrap.dedent)
        >>> source.node.name, source.modules
        ('dedent', {'re': 're'})
    """
    if not isinstance(function, FunctionType):
        raise _no_source(function)
    code = function.__code__
    lines, found = _found(function)
    return FunctionSource(
        file=code.co_filename,
        lines=lines,
        node=_to_gast(found.node, code.co_filename, lines),
        qualname=function.__qualname__,
        class_name=found.class_name,
        modules=modules_of(function),
    )


def _to_gast(node: ast.AST, file: str, lines: list[str]) -> gast.AST:
    try:
        return to_gast(node)
    except UnsupportedSyntaxError as error:
        error.locate(file, lines)
        raise


def place_of(function: object) -> Place | None:
    """Return where a function is defined, as far as that is known."""
    if not isinstance(function, FunctionType):
        return None
    try:
        source = load(function)
    except ConversionError:
        return Place(function.__code__.co_filename, function.__code__.co_firstlineno)
    return Place.of_definition(source.node, source.file, source.lines)


_other_trees: dict[str, ast.Module] = {}


def compiled_from(file: str, tree: ast.Module) -> None:
    """Remember that functions of a file may be compiled from another tree than that of its text."""
    _other_trees[file] = tree


def _found(function: FunctionType) -> tuple[list[str], Located]:
    code = function.__code__
    failure: ConversionError | None = None
    for lines in texts_of(function):
        other = _other_trees.get(code.co_filename)
        found = locate(other, code) if other is not None else None
        if found is not None:
            return lines, found
        try:
            found = locate(parse("".join(lines), code.co_filename), code)
        except InvalidSourceError as error:
            failure = error
            continue
        if found is not None:
            return lines, found
        failure = failure or _changed(function, lines)
    if failure is None or code.co_filename in _WITHOUT_TEXT:
        raise _unavailable(function)
    raise failure


def unwrap(callable_: object) -> object:
    """Return the function at the heart of methods, partials and decorators that say what they wrap.

    Example:
        >>> def f(x): ...
        >>> unwrap(functools.partial(f, 1)) is f
        True
    """
    seen: set[int] = set()
    while id(callable_) not in seen:
        seen.add(id(callable_))
        if isinstance(callable_, functools.partial):
            callable_ = callable_.func
        elif isinstance(callable_, (MethodType, staticmethod, classmethod)):
            callable_ = callable_.__func__
        elif not isinstance(callable_, type):
            callable_ = getattr(callable_, "__wrapped__", callable_)
    return callable_


def modules_of(function: FunctionType) -> dict[str, str]:
    """Return the global and free names of a function that are bound to modules right now.

    Among them is `slice`, with no module, where the function's module has a global of that name:
    converted code calls the builtin.
    """
    scope = _free_values(function)
    for name in _global_names(function.__code__):
        scope.setdefault(name, function.__globals__.get(name))
    own = {"slice": ""} if "slice" in function.__globals__ else {}
    modules = {name: x.__name__ for name, x in scope.items() if isinstance(x, ModuleType)}
    return own | modules


def _global_names(code: CodeType) -> dict[str, None]:
    """The names that code and the code inside it look up, in order; attributes are among them."""
    names = dict.fromkeys(code.co_names)
    for inner in nested_codes(code):
        names.update(dict.fromkeys(inner.co_names))
    return names


def _free_values(function: FunctionType) -> dict[str, object]:
    cells = function.__closure__ or ()
    named = zip(function.__code__.co_freevars, cells, strict=True)
    return {name: cell.cell_contents for name, cell in named if cell != CellType()}


def _no_source(value: object) -> SourceNotFoundError:
    name = getattr(value, "__qualname__", None) or repr(value)
    kind = "built into Python" if callable(value) else "no function"
    return SourceNotFoundError(
        f"{name} has no Python source to rewrite: it is {kind} ({type(value).__name__}).",
        hint="Pass a function that is written in Python, by def or lambda.",
    )


def _unavailable(function: FunctionType) -> SourceNotFoundError:
    file = function.__code__.co_filename
    reason, hint = (
        f"its file {file} cannot be read",
        "Put the .py file there: a .pyc is not enough.",
    )
    if file.startswith("<frozen "):
        reason = f"it is part of the interpreter itself ({file})"
        hint = "Leave it as it is: @autograph.do_not_convert."
    elif file in _WITHOUT_TEXT:
        reason = f"it was {_WITHOUT_TEXT[file]} ({file}), which keeps no text"
        hint = _REGISTER if file == "<string>" else _WRITE_A_FILE
    elif file.startswith("<"):
        reason, hint = f"nobody kept the text of {file}", _REGISTER
    return SourceNotFoundError(
        f"The source of {function.__qualname__} is not available: {reason}.", hint=hint
    )


_WRITE_A_FILE = (
    "Write the function to a file and import it, or use IPython, a notebook or the prompt of "
    "Python 3.13."
)
_REGISTER = (
    "Write the function to a file and import it, or hand the text to linecache: "
    "linecache.cache[name] = (len(text), None, text.splitlines(True), name)."
)
_WITHOUT_TEXT = {
    "<string>": "made by exec",
    "<stdin>": "read from a pipe or typed at the prompt of an older Python",
    "<console>": "typed at a prompt of the module code",
}


def _changed(function: FunctionType, lines: list[str]) -> SourceNotFoundError:
    code = function.__code__
    text = "".join(lines[code.co_firstlineno - 1 : code.co_firstlineno]).rstrip()
    return SourceNotFoundError(
        f"The source of {function.__qualname__} was expected at line {code.co_firstlineno} of "
        f"{code.co_filename}, but what stands there is not the function that is running: the "
        "file was edited after it was imported, or the function was changed by another tool.",
        place=Place(code.co_filename, code.co_firstlineno, 0, len(text), text),
        hint="Reload the module or start Python again.",
    )
