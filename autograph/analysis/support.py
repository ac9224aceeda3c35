"""What is left as it is, because it can never be staged or has a meaning that moving would change.

In: gast nodes, and how to tell whether a name is local. Out: yes or no, by tables that stand here
and nowhere else.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping

import gast

from autograph.analysis.may_vary import Names
from autograph.analysis.scopes import Scope
from autograph.analysis.uses import dotted

IsLocal = Callable[[str], bool]

# How deep converted statements may nest. Each level is one function inside another: Python's
# tokenizer gives up at a hundred, and tracing needs a dozen calls for each, of a thousand that
# Python allows. What is nested deeper stays as it is.
DEEPEST = 50

_STATIC_CALLS = frozenset({"isinstance", "issubclass", "callable"})
_STATIC_NAMES = frozenset({"__debug__", "TYPE_CHECKING"})
_DISPLAYS = (gast.Tuple, gast.List, gast.Set, gast.Dict)
_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)

# What is compiled inherits the `from __future__ import` of the module that calls these; they see
# its variables.
_COMPILERS = frozenset({"compile", "eval", "exec", "globals"})
_EXEMPT_CALLS = _EXCEPTIONS | _COMPILERS

# What looks at the frame that calls it: debuggers, and what tells where it was called.
_DEBUGGERS = frozenset({"breakpoint", "set_trace"})
_FRAME_MODULES = frozenset({"inspect", "pdb", "traceback"})

# Functions of a module whose arguments NumPy's protocols show to a tensor, so that calls of them
# need no help; except for those below, which look at no protocol.
_SEEN_MODULES = {"numpy": ("", "linalg.", "fft.")}
_UNSEEN_TEXT = """
    # creation
    arange array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray copy empty
    empty_like eye frombuffer fromfile fromfunction fromiter fromstring full full_like geomspace
    identity indices linspace logspace meshgrid ones ones_like require tri tril_indices
    triu_indices diag_indices mask_indices zeros zeros_like from_dlpack
    # what is written
    copyto fill_diagonal nan_to_num place put put_along_axis putmask
    # types of scalars
    bool bool_ byte short intc int_ intp long longlong ubyte ushort uintc uint uintp ulong ulonglong
    int8 int16 int32 int64 uint8 uint16 uint32 uint64 half single double float16 float32 float64
    csingle cdouble complex64 complex128
    # windows and frequencies
    bartlett blackman hamming hanning kaiser fft.fftfreq fft.rfftfreq
    # questions about an argument
    broadcast broadcast_shapes base_repr binary_repr isdtype isfortran isscalar issubdtype
    iterable promote_types typename mintypecode finfo iinfo
    format_float_positional format_float_scientific
    # classes and makers of functions
    asmatrix bmat matrix memmap ndarray ndenumerate ndindex nditer nested_iters poly1d recarray
    record flatiter frompyfunc vectorize errstate dtype
    # scalar types
    bool bool_ byte bytes_ cdouble character clongdouble complex64 complex128 complex256
    complexfloating csingle datetime64 double flexible float16 float32 float64 float128 floating
    generic half inexact int8 int16 int32 int64 int_ intc integer intp long longdouble longlong
    number object_ short signedinteger single str_ timedelta64 ubyte uint uint8 uint16 uint32
    uint64 uintc uintp ulong ulonglong unsignedinteger ushort void
    # files and the state of the module
    load loadtxt genfromtxt fromregex save savetxt savez savez_compressed info
    get_include get_printoptions getbufsize geterr geterrcall
    set_printoptions setbufsize seterr seterrcall printoptions show_config show_runtime test
    busdaycalendar datetime_data row_stack ufunc linalg.test fft.test
"""
_UNSEEN = frozenset(
    word
    for line in _UNSEEN_TEXT.splitlines()
    if not line.lstrip().startswith("#")
    for word in line.split()
)


_UNARY_TEXT = """
    abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
    bitwise_count bitwise_invert bitwise_not cbrt ceil conj conjugate cos cosh deg2rad degrees exp
    exp2 expm1 fabs floor frexp invert isfinite isinf isnan isnat log log10 log1p log2 logical_not
    modf negative positive rad2deg radians reciprocal rint sign signbit sin sinh spacing sqrt square
    tan tanh trunc
"""
UNARY = frozenset(_UNARY_TEXT.split())
"""Functions of one array; a second one is for the result."""
_INPUTS = {"where": 3, "clip": 3, "interp": 3}
"""How many arguments functions have that none of is for the result; others have two at most."""


def is_left_alone(function: gast.AST, scope: Scope) -> bool:
    """Whether a function keeps its body: generators, coroutines, and users of their own frame.

    `locals()` and `eval("x")` would see other variables from inside a generated function, and
    `except UnboundLocalError` would meet another error.
    """
    if isinstance(function, gast.AsyncFunctionDef) or scope.suspends:
        return True
    return scope.sees_frame


def is_static_test(test: gast.AST, names: Names) -> bool:
    """Whether no value that a test could have is ever a tensor: `x is None`, `isinstance(...)`."""
    if isinstance(test, gast.BoolOp):
        return all(is_static_test(value, names) for value in test.values)
    if isinstance(test, gast.UnaryOp):
        return isinstance(test.op, gast.Not) and is_static_test(test.operand, names)
    if isinstance(test, gast.Compare):
        return is_static_identity(test, names)
    if isinstance(test, gast.Call):
        return is_static_call(test, names.is_local) and not any(map(names.may_vary, test.args))
    if isinstance(test, gast.Attribute):
        return bool(test.attr == "TYPE_CHECKING")
    return isinstance(test, gast.Constant) or (
        isinstance(test, gast.Name) and test.id in _STATIC_NAMES
    )


def is_static_identity(test: gast.AST, names: Names) -> bool:
    """Whether a comparison asks by `is` which objects two things are that no branch assigns."""
    if not all(isinstance(op, (gast.Is, gast.IsNot)) for op in test.ops):
        return False
    operands = [test.left, *test.comparators]
    return not any(is_truth(operand) or names.may_vary(operand) for operand in operands)


def is_truth(node: gast.AST) -> bool:
    """Whether an expression is `True` or `False`: of a staged truth value, `is` compares."""
    return isinstance(node, gast.Constant) and isinstance(node.value, bool)


def is_static_call(call: gast.AST, is_local: IsLocal) -> bool:
    """Whether a call is one of the builtin questions about Python objects."""
    return _is_call_of(call, _STATIC_CALLS, is_local)


FEW_ROUNDS = 8
"""A loop over numbers that are written down, none larger than this, is one of Python's."""


MANY_ITEMS = 3
"""A loop over so many items that are written down is one of the graph where its rounds are long."""


def is_static_iterable(iterable: gast.AST, is_local: IsLocal) -> bool:
    """Whether a `for` has a few rounds, known where it is written: a display, `range(3)`."""
    if isinstance(iterable, _DISPLAYS):
        return len(getattr(iterable, "elts", ())) < MANY_ITEMS
    bounds = _bounds(iterable, is_local)
    return bounds is not None and all(abs(bound) <= FEW_ROUNDS for bound in bounds)


def _bounds(node: gast.AST, is_local: IsLocal) -> list[int] | None:
    """Return the arguments of a `range` of integers that are written down, or None."""
    if not isinstance(node, gast.Call) or node.keywords:
        return None
    bounds = [value for argument in node.args if (value := _integer(argument)) is not None]
    is_range = len(bounds) == len(node.args) and _is_call_of(node, frozenset({"range"}), is_local)
    return bounds if is_range else None


def _integer(node: gast.AST) -> int | None:
    """Return the integer that an expression is written as, or None."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _integer(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, gast.Constant) and type(node.value) is int else None


def is_constant(node: gast.AST) -> bool:
    """Whether an index or argument is made of constants only: `0`, `-1`, `1:3`, `(..., None)`."""
    if isinstance(node, gast.UnaryOp):
        return is_constant(node.operand)
    if isinstance(node, gast.Tuple):
        return all(is_constant(item) for item in node.elts)
    if isinstance(node, gast.Slice):
        parts = (node.lower, node.upper, node.step)
        return all(part is None or is_constant(part) for part in parts)
    return isinstance(node, gast.Constant)


def is_exempt_call(call: gast.AST, modules: Mapping[str, str], is_local: IsLocal) -> bool:
    """Whether a call is made as it is written.

    Such are questions about classes and errors, `range(3)`, `breakpoint()`, and functions of NumPy.
    """
    if _is_call_of(call, _EXEMPT_CALLS, is_local):
        return True
    name = dotted(call.func) or ""
    if _bounds(call, is_local) is not None or name.rpartition(".")[2] in _DEBUGGERS:
        return True
    root, _, rest = name.partition(".")
    if modules.get(root, "") in _FRAME_MODULES and not is_local(root):
        return True
    prefixes = _SEEN_MODULES.get(modules.get(root, ""), ())
    if not rest or not prefixes or is_local(root) or rest in _UNSEEN or _has_out(call, rest):
        return False
    return rest[: rest.rfind(".") + 1] in prefixes


def _has_out(call: gast.Call, function: str) -> bool:
    """Whether a call of NumPy may be given an array for its result, which it writes."""
    inputs = 1 if function in UNARY else _INPUTS.get(function, 2)
    return len(call.args) > inputs or any(x.arg == "out" for x in call.keywords)


HINTS = frozenset({"max_iterations", "shape_invariants", "unroll", "mode", "label"})
"""The options of `autograph.hint`."""


def is_hint(node: gast.AST) -> bool:
    """Whether an expression may be `ag.hint(x, label="outer")`: its function is known later."""
    if not isinstance(node, gast.Call) or dotted(node.func) is None or len(node.args) != 1:
        return False
    words = {keyword.arg for keyword in node.keywords}
    return bool(words) and words <= HINTS and not isinstance(node.args[0], gast.Starred)


def _is_call_of(call: gast.AST, names: frozenset[str], is_local: IsLocal) -> bool:
    if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Name):
        return False
    return call.func.id in names and not is_local(call.func.id)
