"""Variables: arrays that are assigned anew, in Python and in graphs.

A variable holds an array that nobody writes: to assign is to hold another one. So what was read
stays as it is, and reading copies nothing. While a graph is being built a variable is a parameter
of it, a box as those of arguments that are written; what the box holds at the end is a result that
the caller of the graph puts into the variable.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import default_graph
from runtime.active_tapes import RECORDERS
from runtime.backends import is_foreign, on_host
from runtime.cast import cast
from runtime.dispatch import apply, as_array, lift, value_of, write
from runtime.dtypes import WEAK_DTYPES, as_dtype, conversion, is_lossless
from runtime.errors import DtypeError, ShapeError
from runtime.graph.builder import Builder
from runtime.graph.location import Location, user_location
from runtime.operands import as_dense, beside
from runtime.operator_mode import operate_now
from runtime.ops.effects import STORES, keep
from runtime.ops.indexing import update
from runtime.ops.movement import copy
from runtime.spec import accepts, make_spec, spec_of
from runtime.state.assignment import assignable, declared, fresh, told
from runtime.state.boxes import Boxes
from runtime.state.operators import operators
from runtime.subscripts import concrete, describe, set_item
from runtime.tensor import (
    Place,
    Readable,
    Symbol,
    Tensor,
    TensorLike,
    is_staged,
    root_of,
    value_now,
    values_now,
)
from runtime.trees import map_tree

READ_ONLY = (
    "this is what a variable held when it was read, which does not change. Assign to the variable "
    "(v.assign(...), v[i] = ...), or take a copy: v.value()"
)


class Variable(Readable):  # Long: the methods that users have, each with its sentences.
    """An array that keeps its dtype and shape, and is assigned anew: the state of a program.

    Operators and NumPy's functions read it, as they read an array; in a staged function they read
    what it holds when the graph runs. What is read does not change with the variable.

    Args:
        value: what it holds first: an array or a number (a `Tensor`: then it gives tensors), or a
            function without arguments that returns one.
        dtype: of its elements; by default that of the value.
        name: what it is called in graphs and messages.
        trainable: whether an optimiser changes it; nothing here asks, nor for the attributes
            `constraint` (what brings back what it holds then) and `regularizer` (a term of losses).
        shape: for a variable whose sizes may change, with None where they do.

    Raises:
        DtypeError: what is assigned cannot be held without loss.
        ShapeError: what is assigned has another shape.

    >>> total = Variable(np.zeros(2), name="total")
    >>> total.assign_add([1.0, 2.0])
    array([1., 2.])
    >>> total[0] = 7.0
    >>> np.sum(total), total
    (np.float64(9.0), Variable(array([7., 2.]), name='total'))
    """

    __slots__ = (
        "__weakref__",
        "_is_lent",
        "_is_own",
        "_is_traced",
        "_value",
        "constraint",
        "created",
        "gives_tensors",
        "name",
        "operate",
        "reference",
        "regularizer",
        "spec",
        "trainable",
    )

    def __init__(
        self,
        value: Any,
        dtype: Any = None,
        name: str | None = None,
        trainable: bool = True,
        shape: Any = None,
    ) -> None:
        builder = default_graph.current()
        Readable.is_used = True
        self.name = "variable" if name is None else name
        self.reference = STORES.add(self, self.name)
        self.trainable = trainable
        self.constraint: Callable[[Any], Any] | None = None
        self.regularizer: Callable[[Any], Any] | None = None
        self.created: Location | None = None if builder is None else user_location()
        self._is_traced = self._is_lent = False
        if builder is not None:
            _note_created(builder, self)
        value = value() if callable(value) else value
        value = lift(value_now(value))
        self.gives_tensors = type(value) is Tensor
        self.operate = value.operate if type(value) is Tensor else operate_now()
        if is_staged(value):
            self._begin_staged(value, dtype, shape)
        else:
            array = np.asarray(concrete(value)) if _is_python(value) else as_array(concrete(value))
            wanted = as_dtype(array.dtype if dtype is None else dtype)
            self.spec = declared(make_spec(wanted, tuple(array.shape)), shape)
            self._hold(fresh(array, wanted))

    def _begin_staged(self, value: Symbol, dtype: Any, shape: Any) -> None:
        """Hold a staged value first: the graph that is being built gives it when it has run."""
        found = value.spec
        self.spec = declared(
            make_spec(found.dtype if dtype is None else as_dtype(dtype), found.shape), shape
        )
        builder = value.builder_now()
        fresh = value if found.shape == () else apply(copy, (value,))
        first = cast(builder, fresh, self.spec)
        builder.context(Boxes).add(self, Symbol(builder, first))
        builder.emit(keep, (first,), {"variable": self.reference})
        self._is_traced = True

    @property
    def has_value(self) -> bool:
        """Whether it holds a value: not yet, if a graph that did not run gives the first one."""
        try:
            object.__getattribute__(self, "_value")
        except AttributeError:
            return False
        return True

    def read(self) -> Any:
        """Return what it holds now: an array that nobody may write, a `Tensor`, or a symbol."""
        builder = default_graph.current()
        if builder is not None:
            symbol = Symbol(builder, value_of(self.box(builder)))
            symbol.unwritable = READ_ONLY
            self.tell(symbol)
            return symbol
        self.settle()
        self._is_own = False
        if self.gives_tensors or RECORDERS.active:
            tensor = Tensor(self._value, self.operate)
            return tensor if self.tell(tensor) or self.gives_tensors else self._value
        return self._value

    def tell(self, value: Any) -> bool:
        """Tell recorders what was read; return whether it matters to one of them."""
        told = [recorder.read(self, value) for recorder in RECORDERS.active]
        return any(told)

    def value(self) -> Any:
        """Return a copy of what it holds now.

        >>> Variable([1, 2]).value()
        array([1, 2])
        """
        return self.read().copy()

    def numpy(self) -> Any:
        """Return a NumPy copy of what it holds now; StagedValueError while a graph is built."""
        found = np.array(self.__array__())
        return found if found.ndim else found[()]

    def assign(self, value: Any) -> Any:
        """Hold another value, of the same dtype and shape; returns what it holds now.

        Numbers of Python and dtypes that lose nothing are converted.
        """
        value = lift(value_now(value))
        self.check(value)
        is_array = is_staged(value) and value.spec.shape != ()
        self._set(apply(copy, (value,)) if is_array else value)
        return self.read()

    def assign_add(self, value: Any) -> Any:
        """Add to what it holds; returns what it holds now."""
        return self.change(operator.add, value)

    def assign_sub(self, value: Any) -> Any:
        """Subtract from what it holds; returns what it holds now."""
        return self.change(operator.sub, value)

    def change(self, function: Callable[[Any, Any], Any], value: Any) -> Any:
        """Hold what a function of what it holds and of a value gives; returns that."""
        given = self._placed(np.asarray(value)) if _is_row(value) else value_now(value)
        found = function(self.read(), given)
        self.check(found, exact=False)
        self._set(found)
        return self.read()

    def _set(self, value: Any) -> None:
        """Hold a value that was checked and, when it is staged, is nobody else's."""
        builder = default_graph.current()
        if builder is None:
            array = concrete(value)
            array = np.asarray(array) if _is_python(array) else array
            self._hold(fresh(self._placed(array), self.spec.dtype))
        else:
            box = self.box(builder)
            if self.spec.is_static and not describe(value).is_static:
                value = apply(update, (box, value), key="...")
            value = told(builder, self, value)
            write(box, Symbol(builder, cast(builder, value, self.spec)))

    def check(self, value: Any, exact: bool = True) -> None:
        """Raise the error of a value that the variable cannot hold.

        Args:
            value: what is to be assigned.
            exact: whether only Python's numbers may lose something, as NumPy's `same_kind` lets.
        """
        found = spec_of(as_dense(value)) if _is_row(value) else describe(value)
        weak = found.weak or _is_row(value)
        fits = np.can_cast(found.dtype, self.spec.dtype, "same_kind")
        if not (is_lossless(found.dtype, self.spec.dtype) or (fits and (weak or not exact))):
            raise DtypeError(
                f"the variable {self.name!r} is {self.spec}, and was assigned {found}: a variable "
                f"keeps its dtype. Convert the value: {conversion(self.spec.dtype)}"
            )
        if not accepts(self.spec, make_spec(self.spec.dtype, found.shape)) and found.is_static:
            raise ShapeError(
                f"the variable {self.name!r} is {self.spec}, and was assigned {found}: a variable "
                "keeps its shape, unless it is made with shape=[...] that has None for what changes"
            )

    @property
    def held(self) -> Any:
        """The array itself that it holds, which nobody may write."""
        return self._value

    def box(self, builder: Builder) -> Symbol:
        """Return the symbol that holds its value in the graph that is being built."""
        boxes = builder.context(Boxes)
        if id(self) not in boxes.used:
            root = builder.root
            symbol = Symbol(root, root.param(self.spec, self.name))
            symbol.is_param = True
            boxes.add(self, symbol)
            self._is_traced = True
        return boxes.used[id(self)].symbol

    def store(self, value: Any) -> None:
        """Hold a result of a graph, which nobody else has."""
        value = self._placed(value)
        is_array = (isinstance(value, np.ndarray) or is_foreign(value)) and value.ndim
        self._hold(value if is_array else fresh(value, self.spec.dtype))

    def lend(self, value: Any) -> None:
        """Hold what a graph that is still running has assigned, and may write once more."""
        self._value = value
        self._is_own, self._is_lent = False, True

    def settle(self) -> None:
        """Hold an array of its own in the place of one that a graph has lent."""
        if self._is_lent:
            self.store(self._value.copy())

    def _placed(self, value: Any) -> Any:
        """Return a value where the variable lives: it stays in the library that it was made of."""
        return beside(self._value, value) if self.has_value else value

    def _hold(self, array: Any) -> None:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        self._value = array
        self._is_own, self._is_lent = not self._is_traced, False

    def __getattr__(self, name: str) -> Any:
        if name == "_value":
            place = f" It was created here:\n{self.created.describe()}" if self.created else ""
            raise ValueError(
                f"the variable {self.name!r} has no value yet: the staged call that created it and "
                f"computes its first value has not run to its end. Call the function once.{place}"
            )
        if name.startswith("_") or not hasattr(TensorLike, name):
            raise AttributeError(f"'Variable' object has no attribute {name!r}")
        return getattr(self.read(), name)

    def __getitem__(self, index: Any) -> Any:
        found = self.read()[values_now(index)]
        return assignable(found, self, index) if self.gives_tensors else found

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = values_now(index), values_now(value)
        builder = default_graph.current()
        if builder is not None:
            set_item(self.box(builder), index, value)
            return
        array = self._value
        if not self._is_own or isinstance(array, np.generic):
            array = np.array(array) if isinstance(array, np.generic) else array.copy()
        elif isinstance(array, np.ndarray):
            array.flags.writeable = True
        try:
            array[concrete(index)] = beside(array, concrete(value))
        finally:
            self._hold(array if array.ndim else array[()])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(on_host(self.read()), dtype, copy=copy or None)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        outs = options.pop("out", None)
        found = getattr(ufunc, method)(*map(value_now, inputs), **map_tree(value_now, options))
        if outs is None:
            return found
        for out, one in zip(outs, found if ufunc.nout > 1 else (found,), strict=True):
            out.assign(one) if type(out) is Variable else np.copyto(out, one)
        return outs if ufunc.nout > 1 else outs[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = map_tree(value_now, (tuple(args), kwargs))
        return function(*args, **kwargs)

    def __format__(self, form: str) -> str:
        return format(self.read(), form) if form else str(self)

    def __hash__(self) -> int:
        raise TypeError(
            f"unhashable type: the variable {self.name!r} is compared by its elements, which "
            "change. As a key use its name, or id(v)"
        )

    def __copy__(self) -> Variable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: Any) -> Variable:
        made = _remade(*self.__reduce__()[1])
        made.constraint, made.regularizer = self.constraint, self.regularizer
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        shape = None if self.spec.is_static else self.spec.shape
        value = Tensor(self._value) if self.gives_tensors else self._value
        return _remade, (value, self.name, self.trainable, shape)

    def __repr__(self) -> str:
        held = repr(self._value) if self.has_value else f"{self.spec}, no value yet"
        return f"Variable({held}{self.called})"

    @property
    def called(self) -> str:
        """How its text says its name."""
        return "" if self.name == "variable" else f", name={self.name!r}"


def is_of_variable(symbol: Symbol) -> bool:
    """Tell whether an array may be what a variable holds, or a view of it."""
    root = root_of(symbol)
    if symbol.spec.shape == ():
        return False
    owners = (place.owner for place in root.places if isinstance(place, Place))
    return any(owner is not None and owner.unwritable is READ_ONLY for owner in owners)


def _remade(value: Any, name: str, trainable: bool, shape: Any) -> Variable:
    return Variable(value, name=name, trainable=trainable, shape=shape)


def _note_created(builder: Builder, variable: Variable) -> None:
    if builder is not builder.root:
        raise ValueError(
            f"the variable {variable.name!r} is created in a staged branch or loop, where it is "
            "known only when the graph runs whether it is. Create it before, outside of the staged "
            "condition"
        )
    builder.context(Boxes).created.append(variable)


def _is_python(value: Any) -> bool:
    return type(value) in WEAK_DTYPES or _is_row(value)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)


for _method in operators():
    setattr(Variable, _method.__name__, _method)
