"""A call of NumPy in the graph: the op that names the function, and the text of its calls.

    call     = function "(" arguments ")" | member
    function = path | member                       numpy.linalg.eig(_0), _0.filled(2.0)
    path     = ("numpy" | "scipy" | "operator") ("." name)+       a public function, or a method of
                                                   a public class; an operator of Python
    member   = operand "." name                    an attribute, or a method, of an array or object
    argument = operand | literal | path | "slice(" ... ")" | "dtype('<f8')" | "nan" | "inf"
    operand  = "_" number                          an array, a number or an object of the graph

Comes in: such a text, or a `Called` where an argument has no text. Goes out: what NumPy gives for
the arrays of a run, checked against what was declared: values may decide about shapes and dtypes,
and what was not foreseen is an error, never another answer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from runtime.backends import on_host
from runtime.dtypes import python_type
from runtime.errors import DtypeError, GraphFormatError
from runtime.graph.opdef import op
from runtime.graph.traits import raises
from runtime.ops.call_forms import is_operand, taker
from runtime.ops.derivatives.draw_rules import draws
from runtime.ops.effects import called
from runtime.ops.exceptions import OF_CALLS
from runtime.ops.families import EFFECTS
from runtime.ops.library_calls import (
    function_of,
    given_to,
    has_arrays,
    only_on_host,
    taken_from,
)
from runtime.ops.public_names import ROOTS, check_member, resolve
from runtime.ops.recursion import read_specs
from runtime.spec import UNKNOWN, TensorSpec, accepts, spec_of


def set_member(owner: Any, name: str, value: Any) -> None:
    """Give an object of NumPy's an attribute.

    GraphFormatError for one that is not public, or of what others use, too.
    """
    check_member(name)
    if callable(owner):
        raise GraphFormatError(f"a graph changes no function and no class, as {owner!r} is")
    setattr(owner, name, value)


NAMES: dict[str, Any] = {
    "nan": float("nan"), "inf": float("inf"), "complex": complex, "slice": slice, "bool": bool,
    "int": int, "float": float, "str": str, "object": object, "dtype": np.dtype, "len": len,
    "repr": repr, "abs": abs, "round": round, "divmod": divmod, "list": list, "tuple": tuple,
    "sum": sum, "min": min, "max": max, "sorted": sorted, "ascii": ascii, "format": format,
    "bytes": bytes, "set_member": set_member, "Ellipsis": ...,
}  # fmt: skip
"""What calls may name besides public functions and types: nothing that does more than compute."""

_NODES = (
    ast.Expression, ast.Call, ast.keyword, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Name,
    ast.Attribute, ast.UnaryOp, ast.USub, ast.Load,
)  # fmt: skip


@lru_cache(maxsize=1024)
def read_call(text: str, xp: Any = np) -> Callable[..., Any]:
    """Return the function of the operands that a call is; GraphFormatError when it is none.

    Its functions are NumPy's and SciPy's, or those that another array module has by these names.
    """
    return compile_call(text, {}, resolve if xp is np else partial(function_of, xp))


def compile_call(
    text: str, objects: dict[str, Any], find: Callable[[str], Any] = resolve
) -> Callable[..., Any]:
    """Return the function of the operands that a call is.

    Args:
        text: the call.
        objects: what it may name besides, for a call that is not portable.
        find: returns what a path names.
    """
    tree = ast.parse(text, mode="eval")
    count, paths = 0, dict(objects)
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else "numpy"
        is_known = is_operand(name) or name in ROOTS or name in NAMES or name in objects
        if not isinstance(node, _NODES) or not is_known:
            raise GraphFormatError(f"{text} is no call of NumPy with literals and operands")
        if is_operand(name):
            count = max(count, int(name[1:]) + 1)
    body = _Paths(paths, find).visit(tree.body)
    if any(isinstance(node, ast.Name) and node.id in ROOTS for node in ast.walk(body)):
        raise GraphFormatError(f"{text} calls a module")
    operands = [ast.arg(f"_{k}") for k in range(count)]
    arguments = ast.arguments([], operands, ast.arg("rest"), [], [], None, [])
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, body)))
    names = {**NAMES, **paths}
    return eval(compile(whole, "<numpy call>", "eval"), names)  # type: ignore[no-any-return]


class _Paths(ast.NodeTransformer):
    """Puts names in the place of the paths of a call.

    Args:
        found: the objects that are named, filled with what other names stand for.
        find: returns what a path names.
    """

    def __init__(self, found: dict[str, Any], find: Callable[[str], Any]) -> None:
        self._found = found
        self._find = find

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return the name of what a path names; members of operands are asked for at each call."""
        root = node.value.id if isinstance(node.value, ast.Name) else ""
        if is_operand(root) or root in self._found:
            check_member(node.attr)
            return node
        path = ast.unparse(node)
        name = path.replace(".", "_")
        self._found[name] = self._find(path)
        return ast.Name(name, ast.Load())


READ, LENT, COPIED, WRITTEN, KEPT, OBJECT, DRAWN = "rlcwkog"
"""How an operand is given to a function: as an array that cannot be written, as one whose memory
results may have, as a copy, as a copy that is a result, as a copy that could be written and is not,
or as the object that it is; the last one is a `numpy.random.Generator`."""


class _Plan:
    """How the operands of a call are given, and what is made of its result.

    Args:
        form, results, given: the attributes of the op.
    """

    def __init__(self, form: str, results: tuple[str, ...], given: str) -> None:
        self._take = taker(form)
        self._form = form
        self._given = given
        self._written = [k for k, one in enumerate(given) if one == WRITTEN]
        self._kept = [k for k, one in enumerate(given) if one == KEPT]
        self._lent = [k for k, one in enumerate(given) if one == LENT]
        self._only_reads = set(given) <= {READ, LENT}
        self._only_objects = set(given) <= {OBJECT, DRAWN}
        specs = enumerate(read_specs(results))
        self._checks = [(k, x, _usual(x)) for k, x in specs if x.dtype.kind != "O"]

    def run(self, function: Callable[..., Any], call: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Make a call; returns the operands that it has written, and the parts of its result."""
        given = values
        if not self._only_objects:
            given = [*map(_to_read, values)] if self._only_reads else self._prepared(values)
        try:
            found = function(*given)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise _unforeseen_write(call) from error
        for k in self._kept:
            if given[k].tobytes() != values[k].tobytes():
                raise _unforeseen_write(call)
        parts = self._take(found, given)
        if parts is None:
            raise _unforeseen(call, type(found).__name__, self._form)
        count = len(self._written)
        leaves = [*(given[k] for k in self._written), *parts] if count else [*parts]
        owners: set[int] = set()
        for k, spec, is_usual in self._checks:
            leaf = leaves[k]
            if not is_usual(leaf):
                _check(leaf, spec, call)
            if type(leaf) is ARRAY and (base := leaf.base) is not None and k >= count:
                owners = owners or _owners(given)
                is_new = type(base) is ARRAY and base.flags.owndata and id(base) not in owners
                if not (is_new and owners and leaf.size):
                    leaves[k] = self._part(leaf, given, values)
        return leaves

    def _part(self, found: Any, given: Sequence[Any], values: Sequence[Any]) -> Any:
        """Return an array that is nobody else's, or a part of one that is lent.

        One without elements is a copy: it shares nothing, and can be written in NumPy.
        """
        if not found.size:
            return found.copy(order="K")
        base = found.base
        for k in self._lent:
            x = values[k]
            if found is given[k]:
                return x
            if base is x or (base is x.base and base is not None):
                return _freed(found) if x.flags.writeable else found
        lent = [values[k] for k in self._lent if np.may_share_memory(found, given[k])]
        is_part = lent and all(x.flags.writeable for x in lent)
        return _freed(found) if is_part else _owned(found, given)

    def _prepared(self, values: Sequence[Any]) -> list[Any]:
        """Return what the function is given."""
        given = [*values]
        for k, (how, x) in enumerate(zip(self._given, values, strict=True)):
            kind = type(x)
            if how in (READ, LENT):
                given[k] = _to_read(x)
            elif kind not in _ON_HOST and how not in (OBJECT, DRAWN):
                given[k] = on_host(x)
            if how in _COPIED and isinstance(given[k], np.ndarray):
                given[k] = given[k].copy(order="K")
        return given


def _to_read(x: Any) -> Any:
    """Return an operand that is only read: an array as a view that cannot be written."""
    kind = type(x)
    if kind is ARRAY:
        found = x.view()
        found.setflags(False)
        return found
    return x if kind in _ON_HOST else on_host(x)


ARRAY = np.ndarray
_ON_HOST = frozenset([np.ndarray, np.float64, np.int64, np.bool_, bool, int, float, complex, str])
_COPIED = frozenset([COPIED, WRITTEN, KEPT])


def _usual(spec: TensorSpec) -> Callable[[Any], bool]:
    """Return what tells at once that a part of a result is as declared; it may be, if not."""
    dtype, shape = spec.dtype, spec.shape
    if not shape:
        kind = python_type(dtype) if spec.weak else dtype.type
        return lambda found: shape is not None and type(found) is kind
    if spec.is_static:
        return lambda found: type(found) is ARRAY and found.dtype is dtype and found.shape == shape
    rank = len(shape) if {*shape} == {UNKNOWN} else -1
    return lambda found: type(found) is ARRAY and found.dtype is dtype and found.ndim == rank


def _check(found: Any, spec: TensorSpec, call: Any) -> None:
    """Raise DtypeError for a part of a result that is not as declared."""
    kind = type(found)
    if spec.weak or kind is str:
        if kind is not (python_type(spec.dtype) if spec.weak else str):
            raise _unforeseen(call, kind.__name__, spec)
        return
    if kind is not np.ndarray and not isinstance(found, np.generic):
        raise _unforeseen(call, kind.__name__, spec)
    try:
        actual: Any = spec_of(found)
    except DtypeError:
        actual = None
    if actual is None or not accepts(spec, actual):
        raise _unforeseen(call, actual or found.dtype, spec)


def _owned(found: Any, given: Sequence[Any]) -> Any:
    """Return an array that is in nobody else's memory: a copy of one that is."""
    is_shared = any(isinstance(x, ARRAY) and np.may_share_memory(x, found) for x in given)
    return found.copy(order="K") if is_shared else found


def _owners(given: Sequence[Any]) -> set[int]:
    """Return the ids of the arrays in whose memory operands are; none if one does not tell."""
    found = set()
    for x in given:
        if isinstance(x, ARRAY):
            base = x if x.base is None else x.base
            if type(base) is not ARRAY:
                return set()
            found.add(id(base))
    return found


def _freed(found: Any) -> Any:
    """Return an array that may be written, as that may of which it is a part, or else a copy."""
    try:
        found.setflags(True)
    except ValueError:  # it does not know whose memory it has
        return found.copy(order="K")
    return found


def _unforeseen_write(call: Any) -> DtypeError:
    return DtypeError(f"{call} writes an array that it did not write in a trial")


def _unforeseen(call: Any, found: Any, expected: Any) -> DtypeError:
    return DtypeError(
        f"{call} gave {found}, and {expected} was expected from a trial with other values: what it "
        "gives depends on the values. Convert its argument (to complex, say), or call it by "
        "ag.numpy_function, which says what it gives"
    )


_plan = lru_cache(maxsize=1024)(_Plan)


def _kernel(xp: Any, *values: Any, **attrs: Any) -> Sequence[Any]:
    return _prepared(xp, **attrs)(*values)


def _prepared(
    xp: Any, *, call: Any, form: str, results: tuple[str, ...], given: str
) -> Callable[..., Sequence[Any]]:
    """Return what makes a call with the values that it is given."""
    plan = _plan(form, results, given)
    function = read_call(call) if isinstance(call, str) else None

    def made(*values: Any) -> Sequence[Any]:
        return plan.run(function or called(call), call, values)

    def made_on_device(*values: Any) -> Sequence[Any]:
        if has_arrays(values):
            return _in_library(xp, values, call, results, given)
        return tuple(xp.asarray(x) if type(x) is np.ndarray else x for x in made(*values))

    return made if xp is np else made_on_device


def _in_library(
    xp: Any, values: Sequence[Any], call: Any, results: tuple[str, ...], given: str
) -> Sequence[Any]:
    """Call the function of the library whose arrays the values are."""
    specs = read_specs(results)
    is_open = any(spec.dtype.kind == "O" for spec in specs)  # what it gives depends on values
    if is_open or not isinstance(call, str) or not set(given).isdisjoint((OBJECT, DRAWN)):
        raise only_on_host(xp, str(call))
    arrays = given_to(values, given)
    try:
        found = read_call(call, xp)(*arrays)
    except AttributeError as error:
        raise only_on_host(xp, call) from error
    written = [x for x, how in zip(arrays, given, strict=True) if how == WRITTEN]
    return [*written, *taken_from(found, specs[len(written) :], call)]


def _text(call: Any) -> tuple[str, bool]:
    """Return the text of a call, and whether it is one of a generator, or of NumPy's own one."""
    text, names = call.attrs["call"], dict[str, Any]()
    if not isinstance(text, str):
        found = called(text)
        names = getattr(getattr(found, "function", None), "__globals__", {})
        text = found.reference.name if names else "None"
    owner = text.partition("(")[0].rpartition(".")[0]
    known = names.get(owner)
    is_operands = is_operand(owner) and call.attrs["given"][int(owner[1:])] == DRAWN
    is_source = isinstance(known, np.random.Generator | np.random.RandomState)
    return text, is_operands or is_source or owner == "numpy.random"


numpy_call = op(
    "numpy_call(*values, call, form, results, given)",
    doc="""Call a function of NumPy with values, in order with what is printed.

    `call` is the call, with operands and literals; `form` the form of what it returns; `results`
    says what the operands that it writes in place, and the parts of its result, are; `given` has a
    letter for each operand: `r` for what is only read, `l` for that of which results may be parts,
    `c` for what is copied, as an object that the call makes keeps it, `w` for what is written in
    place, `k` for what could be written and is not, `o` for an object, `g` for a
    `numpy.random.Generator`.""",
    spec=lambda *values, call, form, results, given: read_specs(tuple(results)),
    kernel=_kernel,
    prepared=_prepared,
    samples=None,
    effect="output",
    family=EFFECTS,
    raises=raises(*OF_CALLS),
    warns=True,
    derivative=draws(_text),
)
