"""Symbolic inputs: `Input`, and what layers give when they are called on it.

A layer that is called on a `KerasTensor` is traced once for its shape, and the call is kept. What
was kept between inputs and outputs is a program, which `Model(inputs, outputs)` runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import autograph.operators as operators
from autograph.nn.configured import Configured
from autograph.nn.names import counted
from autograph.operators.calls.converting import do_not_convert
from autograph.tf.functions import function
from autograph.tf.keras import masks
from runtime import trees
from runtime.dtypes import as_dtype
from runtime.spec import TensorSpec


class Call(NamedTuple):
    """A call of a layer, or of a function, on symbolic inputs.

    Attributes:
        layer: what is called.
        arguments: positional ones and those by name, with symbolic tensors among them.
    """

    layer: Callable[..., Any]
    arguments: tuple[tuple[Any, ...], dict[str, Any]]


class KerasTensor:
    """What stands for a tensor while a model is put together: it has a shape and a dtype.

    Args:
        shape: with None for sizes that are not known.
        dtype: of the elements.
        name: of it.
        call: the call that gives it; None for an input.
        place: which of the call's results it is.
        mask: what stands for its mask, if it has one.
    """

    def __init__(
        self,
        shape: Sequence[int | None],
        dtype: Any,
        name: str,
        call: Call | None = None,
        place: int = 0,
        mask: KerasTensor | None = None,
    ) -> None:
        self.shape, self.dtype, self.name = tuple(shape), as_dtype(dtype), name
        self.call, self.place, self._keras_mask = call, place, mask

    def __getitem__(self, key: Any) -> Any:
        return record(Item(key), self)

    def __neg__(self) -> Any:
        return record(operator.neg, self)

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} stands for a tensor, which is neither true nor false yet")

    def __iter__(self) -> Any:
        raise TypeError(f"{self!r} stands for a tensor, over which no loop can go yet")

    def __array__(self, *others: Any, **options: Any) -> Any:
        raise TypeError(
            f"{self!r} stands for a tensor: only layers and operators can be applied to it; write "
            "tf.keras.layers.Lambda(function)(x) for other functions"
        )

    def __repr__(self) -> str:
        return f"<KerasTensor: shape={self.shape} dtype={self.dtype.name} ({self.name!r})>"


class Place(NamedTuple):
    """Which result of which call a symbolic tensor is, by their numbers; -1 is that of inputs."""

    call: int
    place: int


class Item(Configured):
    """Takes an item, with a key that is known."""

    def __init__(self, key: Any) -> None:
        self.key = key

    def __call__(self, x: Any) -> Any:
        return x[self.key]


def _operator(name: str, swaps: bool) -> None:
    plain = getattr(operator, name)

    def applied(self: KerasTensor, other: Any) -> Any:
        return record(plain, *((other, self) if swaps else (self, other)))

    setattr(KerasTensor, f"__{'r' if swaps else ''}{name}__", applied)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _operator(_name, swaps=False)
    _operator(_name, swaps=True)


def Input(  # noqa: N802  (a class there)
    shape: Sequence[int | None] | None = None,
    batch_size: int | None = None,
    dtype: Any = "float32",
    name: str | None = None,
    batch_shape: Sequence[int | None] | None = None,
    sparse: bool = False,
    **others: Any,
) -> KerasTensor:
    """Return what stands for an input of a model.

    Args:
        shape: of one sample.
        batch_size: how many samples there are, if it is always the same.
        dtype: of the elements.
        name: of the input.
        batch_shape: the shape with the size of a batch, instead of both.
        sparse: without an effect: models take sparse tensors for any input, and make them dense.
        others: TensorFlow's, which are refused.

    >>> Input((28, 28), name="image")
    <KerasTensor: shape=(None, 28, 28) dtype=float32 ('image')>
    """
    if others:
        raise TypeError(f"Input has no argument {next(iter(others))!r} here; give shape and dtype")
    if batch_shape is None and shape is None:
        raise TypeError("Input needs the shape of a sample: Input(shape=(28, 28))")
    if isinstance(shape, int):
        raise TypeError(f"the shape of an Input is a tuple: Input(shape=({shape},))")
    whole = (batch_size, *(shape or ())) if batch_shape is None else tuple(batch_shape)
    return KerasTensor(whole, dtype or "float32", counted("input") if name is None else name)


@do_not_convert
def is_symbolic(arguments: Any) -> bool:
    """Tell whether a symbolic tensor is among arguments."""
    return any(type(x) is KerasTensor for x in trees.flatten(arguments)[0])


@do_not_convert
def record(layer: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Keep a call; return what stands for its results, with the shapes that a trace gives."""
    call = Call(layer, (args, options))
    leaves, structure = trees.flatten(call.arguments)
    given = [k for k, x in enumerate(leaves) if type(x) is KerasTensor]
    masked = [k for k in given if leaves[k]._keras_mask is not None]

    @do_not_convert
    def of_inputs(inputs: Any, of_masks: Any) -> Any:
        filled = list(leaves)
        for k, x in zip(given, inputs, strict=True):
            filled[k] = x
        for k, mask in zip(masked, of_masks, strict=True):
            masks.keep_masks(filled[k], mask)
        positional, named = trees.unflatten(structure, filled)
        result = operators.call(layer, *positional, **named)
        carried = map(masks.mask_of, trees.flatten(result)[0])
        return result, {k: mask for k, mask in enumerate(carried) if mask is not None}

    vars(of_inputs)["__autograph_traced_once__"] = True
    specs = [_spec(leaves[k]) for k in given], [_spec(leaves[k]._keras_mask) for k in masked]
    found, carried = function(of_inputs).get_concrete_function(*specs).structured_outputs
    name = getattr(layer, "name", getattr(layer, "__name__", "item"))
    results, form = trees.flatten(found)
    made = []
    for k, spec in enumerate(results):
        mask = _standing_for(carried[k], f"{name}_mask") if k in carried else None
        made.append(_standing_for(spec, name, call, k, mask))
    return trees.unflatten(form, made)


def _spec(tensor: KerasTensor) -> TensorSpec:
    return TensorSpec(tensor.shape, tensor.dtype)


def _standing_for(spec: TensorSpec, *options: Any) -> KerasTensor:
    """Return what stands for a tensor of a spec."""
    sizes = [n if isinstance(n, int) else None for n in spec.shape or ()]
    return KerasTensor(sizes, spec.dtype, *options)


@do_not_convert
def calls_between(inputs: Sequence[KerasTensor], outputs: Sequence[KerasTensor]) -> list[Call]:
    """Return the calls that make outputs of inputs, in the order of Keras' models.

    Those come first that are furthest from an output; of several, the one that stands first among
    what the outputs are made of.

    Raises:
        ValueError: an output depends on another input.
    """
    known = {id(x) for x in inputs}
    done: dict[int, Call] = {}
    todo: list[tuple[KerasTensor, bool]] = [(x, False) for x in reversed(outputs)]
    while todo:
        tensor, is_ready = todo.pop()
        call = tensor.call
        if id(tensor) in known or (call is not None and id(call) in done):
            continue
        if call is None:
            raise ValueError(
                f"the outputs of the model depend on {tensor!r}, which is none of its inputs; add "
                "it to them"
            )
        if is_ready:
            done[id(call)] = call
            continue
        todo.append((tensor, True))
        todo += [(x, False) for x in reversed(_symbols(call))]
    distances = _distances(list(done.values()))
    return sorted(done.values(), key=lambda x: -distances[id(x)])


def _symbols(call: Call) -> list[KerasTensor]:
    return [x for x in trees.flatten(call.arguments)[0] if type(x) is KerasTensor]


def _distances(calls: list[Call]) -> dict[int, int]:
    """Return how many calls there are at most from each to an output; they are given in order.

    All calls of one layer count as the furthest of those that follow in the order.
    """
    of_calls = {id(x): 0 for x in calls}
    of_layers: dict[int, int] = {}
    for call in reversed(calls):
        furthest = max(of_calls[id(call)], of_layers.get(id(call.layer), 0))
        of_calls[id(call)] = of_layers[id(call.layer)] = furthest
        for x in _symbols(call):
            if id(x.call) in of_calls:
                of_calls[id(x.call)] = max(of_calls[id(x.call)], furthest + 1)
    return of_calls
