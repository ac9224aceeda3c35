"""Whether a kernel is one: types, definitions before uses, places, and what it may write.

Comes in: a kernel, or a block of one. Goes out: nothing, or an InvalidKernelError that quotes the
instruction. Types of operands and results are those of `table`; what no signature can say stands
here. What a valid kernel does is said by `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from runtime.kernels.instructions import TABLE, Row
from runtime.kernels.kernel import (
    BOOL,
    INT,
    ArrayType,
    Block,
    Instruction,
    Kernel,
    Literal,
    Operand,
    Printer,
    Type,
    Variable,
    fits,
    indices_of,
    instructions,
    kind_of,
    part_of,
    type_name,
)
from runtime.kernels.maps import MapKernel
from runtime.kernels.scalar.element_access import is_leaving, resizes_own, root

_DTYPES = frozenset(map(np.dtype, [*"?bhiqBHIQfdFD"])) | {
    BOOL,
    INT,
}


class InvalidKernelError(Exception):
    """A kernel breaks a rule of its language; says which one, and where."""


def verify(kernel: Kernel | MapKernel) -> None:
    """Raise an InvalidKernelError unless a kernel is valid."""
    is_map = isinstance(kernel, MapKernel)
    verifier, body = _Verifier(is_map), kernel.body
    _need(len(body.params) == len(kernel.inputs), "as many parameters as inputs")
    for x, port in zip(body.params, kernel.inputs, strict=True):
        is_element = is_map and isinstance(port.type, ArrayType) and not port.whole
        own = port.type.dtype if is_element and isinstance(port.type, ArrayType) else port.type
        is_drawn = bool(port.drawn) and x.type == np.float64
        _need(is_drawn or x.type == own, f"a parameter of {port}, not of {type_name(x.type)}")
        if port.written or port.in_place:
            verifier.writable.add(x)
    verifier.block(body)
    _need(resizes_own(body, set()), "to resize only arrays of its own")
    _need(len(body.results) <= len(kernel.outputs), "as many results as outputs")
    for result, port in zip(body.results, kernel.outputs, strict=False):
        own = port.type.dtype if is_map and isinstance(port.type, ArrayType) else port.type
        _need(fits(result.type, own), f"a result of {port}, not of {type_name(result.type)}")


def verify_block(block: Block, is_map: bool = False) -> None:
    """Raise an InvalidKernelError unless a block is valid, given what it takes from outside.

    Args:
        block: of some kernel.
        is_map: whether the kernel is one over arrays.
    """
    steps = [*instructions(block)]
    blocks = [block, *(each for x in steps for each in x.blocks)]
    own = {y for x in steps for y in x.results}.union(*(each.params for each in blocks))
    used = chain(*(x.args for x in steps), *(each.results for each in blocks))
    verifier = _Verifier(is_map)
    verifier.visible.update(y for y in used if isinstance(y, Variable) and y not in own)
    verifier.writable.update((*verifier.visible, *block.params))
    verifier.block(block)


def _need(test: bool, wanted: str, x: Instruction | None = None, *types: Type) -> None:
    if not test:
        where = "" if x is None else f" in `{next(Printer().instruction(x))}`"
        raise InvalidKernelError(f"a kernel needs {wanted.format(*map(type_name, types))}{where}")


class _Verifier:
    """Goes through a kernel in order.

    Attributes:
        visible: what has a value here.
        met: what got a value anywhere so far.
        writable: the arrays that may be written.
        functions: the calls in whose functions it is.
    """

    def __init__(self, is_map: bool) -> None:
        self.is_map = is_map
        self.visible: set[Variable] = set()
        self.met: set[Variable] = set()
        self.writable: set[Operand] = set()
        self.functions: list[Instruction] = []

    def block(self, block: Block) -> None:
        """Check a block; what it defines is not visible after it."""
        outside = self.visible.copy()
        self.define(block.params)
        for x in block.instructions:
            self.instruction(x)
        self.see(block.results)
        self.visible = outside

    def inside(self, block: Block) -> None:
        """Check a block of an instruction."""
        self.block(block)
        _need(not is_leaving(block), "blocks that keep their own arrays")

    def define(self, variables: Iterable[Variable], x: Instruction | None = None) -> None:
        """Have variables have values, for the first time."""
        for variable in variables:
            _need(variable not in self.met, "each variable to have one definition", x)
            own = variable.type
            dtype = own.dtype if isinstance(own, ArrayType) else own
            _need(dtype in _DTYPES, f"another dtype than {dtype}", x)
            self.met.add(variable)
            self.visible.add(variable)

    def see(self, operands: Iterable[Operand], x: Instruction | None = None) -> None:
        """Check that operands have values here."""
        for y in operands:
            if isinstance(y, Literal):
                _need(_holds(y), f"{y.value!r} to be a number of {{}}", x, y.type)
            else:
                _need(y in self.visible, "definitions before uses", x)

    def instruction(self, x: Instruction) -> None:
        """Check an instruction, and define its results."""
        _need(x.op in TABLE, f"another name than {x.op!r}", x)
        row = TABLE[x.op]
        _need(self.is_map or not row.maps, "instructions of its own language", x)
        _need(all(name in x.attrs for name in row.attrs), f"attributes {row.attrs}", x)
        _need(len(x.blocks) == row.blocks, f"{row.blocks} blocks", x)
        self.see(x.args, x)
        _check_types(x, row)
        rule = _RULES.get(x.op)
        if rule is not None:
            rule(self, x)
        self.define(x.results, x)

    # Rules of single instructions.

    def store(self, x: Instruction) -> None:
        """An array is written that was given to be written; at places in range."""
        _need(x.args[0] in self.writable, "an array that it may write", x)
        _check_places(x)

    def array(self, x: Instruction) -> None:
        """An array has a size for each axis, also those that are known; it may be written."""
        (result,), given = x.results, x.args[x.op == "resized" :]
        assert isinstance(result.type, ArrayType)
        _need(len(given) == len(result.type.shape), "a size for each axis", x)
        for y, size in zip(given, result.type.shape, strict=True):
            _need(y.type == INT, "sizes that are i64", x)
            _need(size is None or (isinstance(y, Literal) and y.value == size), "its sizes", x)
        self.writable.add(result)

    def resized(self, x: Instruction) -> None:
        """The elements stay what they are."""
        old, new = x.args[0].type, x.results[0].type
        is_same = isinstance(old, ArrayType) and isinstance(new, ArrayType)
        _need(is_same and old.dtype == new.dtype, "one dtype", x)  # type: ignore[union-attr]
        self.array(x)

    def inner(self, x: Instruction) -> None:
        """Operands are arrays with their places, the last is written; then come the counts."""
        given, array = list(x.args), x.args[0]
        for _ in range(1 + max(k for k, _, _ in x.attrs["steps"])):
            array, kind = given[0], given[0].type
            _need(isinstance(kind, ArrayType), "an array", x)
            del given[: 1 + (len(kind.shape) if isinstance(kind, ArrayType) else 0)]
        _need(array in self.writable, "an array that it may write", x)
        _need(bool(given) and all(y.type == INT for y in given), "counts that are i64", x)
        _need(hasattr(np, x.attrs["ufunc"]), "a ufunc of NumPy's", x)

    def if_(self, x: Instruction) -> None:
        """Both arms yield values of the types of the results."""
        for arm in x.blocks:
            _need(not arm.params, "arms without parameters", x)
            self.inside(arm)
            _check_state(x, arm.results, x.results)
        arms = zip(*(arm.results for arm in x.blocks), strict=True)
        self.keep_writable(x, arms)

    def while_(self, x: Instruction) -> None:
        """The first block yields a test (two of kernels over arrays), the second the next state."""
        test, body = x.blocks
        for block in x.blocks:
            _check_state(x, x.args, block.params)
            self.enter(x.args, block.params)
            self.inside(block)
        most = 2 if self.is_map else 1
        _need(1 <= len(test.results) <= most, "a test", x)
        _need(all(y.type == BOOL for y in test.results), "a test that is true or false", x)
        _check_state(x, body.results, body.params)
        self.leave(x, x.args, body.params, body.results)
        _need(("least" if self.is_map else "counters") in x.attrs, "its attributes", x)
        self.check_counters(x, body.params)

    def for_(self, x: Instruction) -> None:
        """The block takes the number of the round and the state, and yields the next one."""
        (body,) = x.blocks
        _need(bool(body.params) and body.params[0].type == INT, "the number of the round", x)
        state = body.params[1:]
        _check_state(x, x.args[1:], state)
        self.enter(x.args[1:], state)
        self.inside(body)
        _check_state(x, body.results, state)
        self.leave(x, x.args[1:], state, body.results)
        self.check_counters(x, state)

    def call(self, x: Instruction) -> None:
        """The function sees its parameters alone; what it writes, all calls let it write."""
        (body,), outside = x.blocks, self.visible
        _check_state(x, x.args, body.params)
        params = dict(zip(body.params, x.args, strict=True))
        self.writable.update(y for y, own in params.items() if own in self.writable)
        self.visible, self.functions = set(), [*self.functions, x]
        self.inside(body)
        self.visible = outside
        del self.functions[-1]
        _check_state(x, body.results, x.results)
        for place, result in zip(x.attrs["kept"], body.results, strict=True):
            is_own = place is not None and root(result, body) is body.params[place]
            is_number = place is None and not isinstance(result.type, ArrayType)
            _need(is_own or is_number, "arrays that are parameters", x)
        self.keep_arguments(x)

    def call_again(self, x: Instruction) -> None:
        """It stands in the function that it calls."""
        names = [y.attrs["function"] for y in self.functions]
        _need(x.attrs["function"] in names, "a function around it", x)
        whole = self.functions[names.index(x.attrs["function"])]
        (body,) = whole.blocks
        _check_state(x, x.args, body.params)
        _check_state(x, x.results, whole.results)
        _need(x.attrs["kept"] == whole.attrs["kept"], "the results of its function", x)
        for param, own in zip(body.params, x.args, strict=True):
            is_read = param not in self.writable or not isinstance(param.type, ArrayType)
            _need(is_read or own in self.writable, "an array that the function may write", x)
        self.keep_arguments(x)

    def keep_arguments(self, x: Instruction) -> None:
        """Have a result be writable where the argument is that it is."""
        own = [None if k is None else x.args[k] for k in x.attrs["kept"]]
        self.writable.update(
            y for y, arg in zip(x.results, own, strict=True) if arg in self.writable
        )

    def check_counters(self, x: Instruction, state: Sequence[Variable]) -> None:
        """Counters are integers of the state."""
        for k in x.attrs.get("counters", ()):
            _need(0 <= k < len(state) and state[k].type == INT, "counters that are i64", x)

    def enter(self, args: Sequence[Operand], params: Sequence[Variable]) -> None:
        """Have parts of a state be writable where what they begin with is."""
        pairs = zip(args, params, strict=True)
        self.writable.update(param for arg, param in pairs if arg in self.writable)

    def leave(
        self,
        x: Instruction,
        args: Sequence[Operand],
        state: Sequence[Variable],
        results: Sequence[Operand],
    ) -> None:
        """Check what a round yields where an array may be written, and what the loop gives."""
        _check_state(x, state, x.results)
        for param, result in zip(state, results, strict=True):
            is_kept = param not in self.writable or not isinstance(param.type, ArrayType)
            _need(is_kept or result in self.writable, "rounds that keep an array writable", x)
        self.keep_writable(x, zip(args, results, strict=True))

    def keep_writable(self, x: Instruction, ways: Iterable[Iterable[Operand]]) -> None:
        """Have a result be writable where it is in all ways."""
        for result, own in zip(x.results, ways, strict=False):
            if all(y in self.writable for y in own):
                self.writable.add(result)


def _holds(x: Literal) -> bool:
    """Tell whether a dtype holds a number that is written out."""
    if x.type.kind == "c":
        parts = (Literal(part_of(x.type), y) for y in (x.value.real, x.value.imag))
        return type(x.value) is complex and all(map(_holds, parts))
    if x.type.kind == "f":
        exact = x.type.itemsize == 8 or x.value != x.value
        return type(x.value) is float and (exact or float(np.float32(x.value)) == x.value)
    if x.type.kind == "b":
        return type(x.value) is bool
    info = np.iinfo(x.type)
    return type(x.value) is int and info.min <= x.value <= info.max


def _check_types(x: Instruction, row: Row) -> None:
    """Check operands and results against the signature of a row."""
    own: dict[str, Type] = {"bool": BOOL, "i64": INT}
    sides = (row.operands, x.args, "operands"), (row.results, x.results, "results")
    for names, values, side in sides:
        fixed = tuple(name for name in names if name != "...")
        enough = len(values) >= len(fixed) if "..." in names else len(values) == len(fixed)
        _need(enough, f"{len(fixed)} {side}", x)
        for name, value in zip(fixed, values, strict=False):
            _check_type(x, row, name, value.type, own)


def _check_type(x: Instruction, row: Row, name: str, found: Type, own: dict[str, Type]) -> None:
    """Check one type; `own` has what the names of the signature stand for."""
    if name == "A":
        _need(isinstance(found, ArrayType), "an array", x)
        own["E"] = found.dtype if isinstance(found, ArrayType) else found
        return
    _need(not isinstance(found, ArrayType), "numbers", x)
    wanted = own.setdefault(name, found)
    _need(found == wanted, "{} where it has {}", x, wanted, found)
    if name == "T" and not isinstance(found, ArrayType):
        _need(found.kind in row.kinds, f"numbers of kinds {row.kinds}", x)


def _check_state(x: Instruction, found: Sequence[Operand], wanted: Sequence[Variable]) -> None:
    """Check that values may be those of other variables, one by one."""
    _need(len(found) == len(wanted), f"{len(wanted)} values", x)
    for y, variable in zip(found, wanted, strict=True):
        _need(fits(y.type, variable.type), f"{type_name(variable.type)}", x)


def _check_pair(x: Instruction) -> None:
    """Check that a number is a complex one of its parts."""
    part, pair = map(kind_of, (x.args[0], x.results[0])[:: 1 if x.op == "complex" else -1])
    _need(pair.kind == "c" and part_of(pair) == part, f"the parts of {pair}", x)


def _check_places(x: Instruction) -> None:
    """Check that there is an index for each axis, and that known ones are in range."""
    kind, places = x.args[0].type, indices_of(x)
    assert isinstance(kind, ArrayType)
    _need(len(places) == len(kind.shape), f"{len(kind.shape)} indices", x)
    for y, size in zip(places, kind.shape, strict=True):
        _need(y.type == INT, "indices that are i64", x)
        if isinstance(y, Literal):
            _need(y.value >= 0 and (size is None or y.value < size), "indices in range", x)


def _check_loop(x: Instruction) -> None:
    """The types of an inner loop are those of the operands and the result."""
    kinds = (y.type.char for y in (*x.args, *x.results) if not isinstance(y.type, ArrayType))
    *given, result = kinds
    own = "".join(given * (2 if x.op == "reduce" else 1)) + "->" + result
    _need(x.attrs["types"] == own, f"the inner loop {own}", x)
    _need(hasattr(np, x.attrs["ufunc"]), "a ufunc of NumPy's", x)


def _check_size(x: Instruction) -> None:
    """The axis is one of the array."""
    kind = x.args[0].type
    _need(isinstance(kind, ArrayType) and 0 <= x.attrs["axis"] < len(kind.shape), "an axis", x)


def _check_beyond(x: Instruction) -> None:
    """The limit is a known number that is not negative."""
    limit = x.args[1]
    _need(isinstance(limit, Literal) and limit.value >= 0, "a known limit", x)


def _check_bits(x: Instruction) -> None:
    """Bits of a number are those of another one of its size."""
    sizes = {y.type.itemsize for y in chain(x.args, x.results) if not isinstance(y.type, ArrayType)}
    _need(len(sizes) == 1, "numbers of one size", x)


_RULES: dict[str, Callable[[_Verifier, Instruction], None]] = {
    "if": _Verifier.if_,
    "while": _Verifier.while_,
    "for": _Verifier.for_,
    "call": _Verifier.call,
    "call_again": _Verifier.call_again,
    **dict.fromkeys(("store", "store_if"), _Verifier.store),
    "array": _Verifier.array,
    "resized": _Verifier.resized,
    "inner": _Verifier.inner,
    **dict.fromkeys(("load", "load_if"), lambda _, x: _check_places(x)),
    "size": lambda _, x: _check_size(x),
    **dict.fromkeys(("loop", "reduce"), lambda _, x: _check_loop(x)),
    "beyond": lambda _, x: _check_beyond(x),
    "bits": lambda _, x: _check_bits(x),
    **dict.fromkeys(("complex", "real", "imag"), lambda _, x: _check_pair(x)),
}
