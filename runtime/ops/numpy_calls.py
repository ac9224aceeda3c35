"""A call of NumPy in the graph: the op that names the function, and the text of its calls.

    call     = path "(" arguments ")"              a call of Python's: numpy.linalg.eig(_0)
    path     = "numpy" ("." name)+                 a public function, or a method of a public class
    argument = operand | literal | path | "slice(" ... ")" | "dtype('<f8')" | "nan" | "inf"
    operand  = "_" number                          an array or number of the graph

Comes in: such a text, or a `Called` where an argument has no text. Goes out: what NumPy gives for
the arrays of a run, checked against what was declared: values may decide about shapes and dtypes,
and what was not foreseen is an error, never another answer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.errors import DtypeError, GraphFormatError
from runtime.graph.opdef import op
from runtime.graph.traits import OF_HOST, raises
from runtime.ops.calls import read_specs
from runtime.ops.effects import called, on_host
from runtime.ops.families import EFFECTS
from runtime.spec import TensorSpec, accepts, spec_of

FILES = frozenset(
    [
        "DataSource", "dump", "dumps", "fromfile", "fromregex", "genfromtxt", "load", "loadtxt",
        "memmap", "open_memmap", "read_array", "save", "savetxt", "savez", "savez_compressed",
        "setflags", "setstate", "test", "tofile", "write_array",
    ]
)  # fmt: skip
"""What reads or writes files, or changes more than its arguments: no graph does that by name."""

NAMES: dict[str, Any] = {
    "nan": float("nan"), "inf": float("inf"), "complex": complex, "slice": slice, "bool": bool,
    "int": int, "float": float, "str": str, "object": object, "dtype": np.dtype,
}  # fmt: skip
"""What the arguments of a call may name besides NumPy's own functions and types."""

_NODES = (
    ast.Expression, ast.Call, ast.keyword, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Name,
    ast.Attribute, ast.UnaryOp, ast.USub, ast.Load,
)  # fmt: skip


def resolve(path: str) -> Any:
    """Return what a path names; GraphFormatError when a graph may not call it.

    >>> resolve("numpy.linalg.eigvals") is np.linalg.eigvals
    True
    """
    root, *names = path.split(".")
    if root != "numpy" or any(name.startswith("_") and name != "__getitem__" for name in names):
        raise GraphFormatError(f"a graph calls public functions of NumPy, not {path}")
    if FILES.intersection(names):
        raise GraphFormatError(f"a graph does not call {path}: it changes more than its arguments")
    found: Any = np
    for name in names:
        found = getattr(found, name)
    return found


@lru_cache(maxsize=1024)
def read_call(text: str) -> Callable[..., Any]:
    """Return the function of the operands that a call is; GraphFormatError when it is none."""
    return compile_call(text, {})


def compile_call(text: str, objects: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of the operands that a call is.

    Args:
        text: the call.
        objects: what it may name besides, for a call that is not portable.
    """
    tree = ast.parse(text, mode="eval")
    count, paths = 0, dict(objects)
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else "numpy"
        is_operand = name.startswith("_") and name[1:].isdigit()
        is_known = is_operand or name == "numpy" or name in NAMES or name in objects
        if not isinstance(node, _NODES) or not is_known:
            raise GraphFormatError(f"{text} is no call of NumPy with literals and operands")
        if is_operand:
            count = max(count, int(name[1:]) + 1)
    body = _Paths(paths).visit(tree.body)
    operands = [ast.arg(f"_{k}") for k in range(count)]
    arguments = ast.arguments([], operands, ast.arg("rest"), [], [], None, [])
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, body)))
    names = {**NAMES, **paths}
    return eval(compile(whole, "<numpy call>", "eval"), names)  # type: ignore[no-any-return]


class _Paths(ast.NodeTransformer):
    """Puts names in the place of the paths of a call.

    Args:
        found: filled with what the names stand for.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def visit_Attribute(self, node: ast.Attribute) -> ast.Name:
        """Return the name of what a path names."""
        path = ast.unparse(node)
        name = path.replace(".", "_")
        self._found[name] = resolve(path)
        return ast.Name(name, ast.Load())


def form_of(value: Any, given: Sequence[Any], leaves: list[Any]) -> str:
    """Return the form of a result: its containers and constants, with its arrays left out.

    Args:
        value: what NumPy returned.
        given: the operands; `_0` in a form says that a part of the result is that object.
        leaves: filled with the arrays and numbers, which are `*`, or `@` for those without axes.

    >>> form_of((np.ones(2), None, "C"), [], [])
    "(*, None, 'C')"
    """
    for number, operand in enumerate(given):
        if value is operand and isinstance(value, np.ndarray):
            return f"_{number}"
    if type(value) in _LEAVES or isinstance(value, np.generic):
        leaves.append(value)
        return "@" if isinstance(value, np.ndarray) and not value.ndim else "*"
    if isinstance(value, tuple | list):
        items = [form_of(item, given, leaves) for item in value]
        name = "" if type(value) in (tuple, list) else type(value).__name__
        return (
            f"{name}[{', '.join(items)}]" if type(value) is list else f"{name}({', '.join(items)})"
        )
    return repr(value)


_LEAVES = (np.ndarray, bool, int, float, complex)


def _protected(value: Any, is_written: bool) -> Any:
    """Return an operand for NumPy: a copy of what it writes, and no other array can be written."""
    if not isinstance(value, np.ndarray):
        return value
    if is_written:
        return value.copy(order="K")
    view = value.view()
    view.flags.writeable = False
    return view


def _declared(found: Any, spec: TensorSpec, text: str, given: Sequence[Any]) -> Any:
    actual = spec_of(found)
    if not accepts(spec, actual):
        raise DtypeError(
            f"{text} gave {actual}, and {spec} was expected from a trial with other values: what "
            "it gives depends on the values. Convert its argument (to complex, say), or call it "
            "by ag.numpy_function, which says what it gives"
        )
    if not isinstance(found, np.ndarray):
        return found
    is_shared = any(isinstance(x, np.ndarray) and np.may_share_memory(x, found) for x in given)
    return found.copy(order="K") if is_shared else found


def _kernel(
    xp: Any, *values: Any, call: Any, form: str, results: tuple[str, ...], writes: tuple[int, ...]
) -> tuple[Any, ...]:
    function = read_call(call) if isinstance(call, str) else called(call)
    given = [_protected(on_host(x), k in writes) for k, x in enumerate(values)]
    leaves: list[Any] = []
    text = call if isinstance(call, str) else "a call of NumPy"
    try:
        found = function(*given)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise DtypeError(f"{text} writes an array that it did not write in a trial") from error
    made = form_of(found, given, leaves)
    if made != form:
        raise DtypeError(
            f"{text} gave {made}, and {form} was expected from a trial with other values: what it "
            "gives depends on the values. Call it by ag.numpy_function, which says what it gives"
        )
    everything = [*(given[k] for k in writes), *leaves]
    rest = [x for k, x in enumerate(given) if k not in writes]
    rows = zip(everything, read_specs(tuple(results)), strict=True)
    checked = (_declared(x, spec, text, rest) for x, spec in rows)
    return tuple(xp.asarray(x) if isinstance(x, np.ndarray) else x for x in checked)


numpy_call = op(
    "numpy_call(*values, call, form, results, writes=())",
    doc="""Call a function of NumPy with values, in order with what is printed.

    `call` is the call, with operands and literals; `form` the form of what it returns; `results`
    says what the operands `writes`, which it writes in place, and the parts of its result are.""",
    spec=lambda *values, call, form, results, writes: read_specs(tuple(results)),
    kernel=_kernel,
    samples=None,
    effect="output",
    family=EFFECTS,
    raises=raises("Exception"),
    warns=True,
    derivative=OF_HOST,
)
