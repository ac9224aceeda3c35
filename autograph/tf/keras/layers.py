"""`tf.keras.layers`: the layers of `autograph.nn`, that take and give tensors.

Each layer of `autograph.nn` is here under its name. What is added is what Keras' layers do beyond:
tensors as results, `float32` unless told otherwise, symbolic inputs, `get_weights`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph import nn
from autograph.nn.variables import walk
from autograph.operators.calls.converting import do_not_convert
from autograph.operators.calls.init_scope import outside
from autograph.tf.absent import missing_from
from autograph.tf.composite import is_composite, refusal
from autograph.tf.keras import masks
from autograph.tf.keras.symbolic import Input, is_symbolic, record  # noqa: F401  (given on)
from autograph.tf.keras.weights import get_weights, set_weights
from autograph.tf.tensors import convert_to_tensor, operate
from runtime import trees
from runtime.state.variable import Variable
from runtime.subscripts import describe


class Layer(nn.Layer):
    """A function of tensors with variables of its own; see `autograph.nn.Layer`.

    A layer of one's own defines `call(self, inputs)`, or `call(self, inputs, training=False)`, and,
    if it has variables, `build(self, input_shape)`. If its `call` takes `mask`, it is given that of
    its input; with `supports_masking` what it returns has the same, or the one that `compute_mask`
    gives.

    Args:
        trainable: whether its variables are trained.
        name: by default that of the class, counted.
        dtype: of its variables, `float32` by default; floats are converted to it.
        input_shape: the shape of one sample, for a `Sequential` to be built at once.
        input_dim: the same for samples of one dimension.
        options: of the layer.

    >>> from autograph import tf
    >>> layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    >>> layer(tf.constant([[1.0, 2.0]])).numpy()
    array([[3., 3.]], dtype=float32)
    """

    takes = nn.layer.ANYTHING
    supports_masking: bool | None = False
    has_input_dim = False
    """Whether `input_dim` is an argument of the class."""

    def __init__(
        self,
        *args: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        input_shape: Sequence[int | None] | None = None,
        input_dim: int | None = None,
        **options: Any,
    ) -> None:
        dtype = "float32" if dtype is None else dtype
        options.update(trainable=trainable, name=name, dtype=dtype)
        if self.has_input_dim and input_dim is not None:
            options["input_dim"], input_dim = input_dim, None
        super().__init__(*args, **options)
        given = None if input_dim is None else (input_dim,)
        self.sample_shape = given if input_shape is None else tuple(input_shape)
        self.output_shape: Any = None

    def __call__(self, inputs: Any, *args: Any, **options: Any) -> Any:
        if is_symbolic((inputs, args, options)):
            made = record(self, inputs, *args, **options)
            self.__ends__ = (*self.__ends__, (inputs, made))
            return made
        if self.takes != nn.layer.ANYTHING and is_composite(inputs):
            raise refusal(f"the layer {self.name!r} ({type(self).__name__})", inputs)
        mask = masks.masks_of(inputs)
        options = masks.with_masks(self, mask, args, options)
        inputs = taken(inputs, self.dtype)
        if self.takes == nn.layer.INTEGERS and inputs.dtype.kind == "f":
            inputs = inputs.astype("int32")
        result = super().__call__(inputs, *args, **options)
        self._note(result)
        if masks.passes(self, mask, type(self).compute_mask is not Layer.compute_mask):
            masks.keep_masks(result, self.compute_mask(inputs, mask))
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Return the mask of what it gives: that of its input."""
        return mask

    @outside
    def _note(self, result: Any) -> None:
        """Keep the shape of what it gives, for `summary`."""
        self.output_shape = trees.map_tree(sample_shape, result)

    def add_weight(self, *args: Any, **options: Any) -> Variable:
        """Return a new variable of the layer; its name may come first, as it once did."""
        if args and isinstance(args[0], str):
            options["name"], args = args[0], args[1:]
        options["shape"] = tuple(options.get("shape") or ())
        if args:
            options["shape"] = tuple(args[0])
        names = ("initializer", "dtype", "trainable", "name", "regularizer", "constraint")
        options.update(zip(names, args[1:], strict=False))
        options = {key: x for key, x in options.items() if key in ("shape", *names)}
        given = options.get("initializer") or "glorot_uniform"
        if callable(given):  # tf.random.normal has its dtype not in the second place
            options["initializer"] = lambda shape, dtype: given(shape, dtype=dtype)
        else:
            options["initializer"] = given
        made = super().add_weight(**options)
        made.gives_tensors, made.operate = True, operate
        return made

    @property
    def weights(self) -> list[Variable]:
        """Its variables, and those of layers in it."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Variable]:
        """Those that are trained."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """Those that are not."""
        return self.non_trainable_variables

    @property
    def input(self) -> Any:
        """The symbolic tensors that it was called on."""
        return self._ends("input")[0]

    @property
    def output(self) -> Any:
        """The symbolic tensors that it gave for those."""
        return self._ends("output")[1]

    __ends__: tuple[tuple[Any, Any], ...] = ()  # a name that no search for variables looks at

    def _ends(self, which: str) -> tuple[Any, Any]:
        if len(self.__ends__) != 1:
            raise AttributeError(
                f"the layer {self.name!r} has no {which}: it was called on symbolic tensors "
                f"{len(self.__ends__)} times, and not once"
            )
        return self.__ends__[0]

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The layers in it, also in lists and dicts, and in those."""
        return tuple(x for _, x in walk(self) if isinstance(x, Layer) and x is not self)

    def get_weights(self) -> list[Any]:
        """Return what its variables hold, as arrays."""
        return get_weights(self)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign to its variables arrays in the order of `get_weights`."""
        set_weights(self, weights)

    def count_params(self) -> int:
        """Return how many numbers its variables hold."""
        return sum(int(np.prod(x.shape)) for x in self.weights)


def taken(inputs: Any, dtype: Any) -> Any:
    """Return what a layer is given as tensors, floats among them of its dtype."""
    if isinstance(inputs, list) and not nn.layer.is_structure(inputs):
        inputs = np.asarray(inputs)
    return trees.map_tree(lambda x: _tensor(x, dtype), inputs)


def _tensor(x: Any, dtype: Any) -> Any:
    if x is None:
        return None
    found = convert_to_tensor(x)
    kind = describe(found).dtype
    is_other = kind.kind == "f" and dtype is not None and kind != dtype
    return found.astype(dtype) if is_other else found


def sample_shape(x: Any) -> tuple[Any, ...]:
    """Return the shape of a tensor with None for its first size and those not known."""
    shape = nn.layer.shape_of(describe(x))
    return (None, *shape[1:]) if shape else ()


class Lambda(Layer):
    """A function as a layer.

    Args:
        function: of a tensor.
        options: of `Layer`.

    >>> from autograph import tf
    >>> tf.keras.layers.Lambda(lambda x: x * 2)(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__(**options)
        self.function = function

    def call(self, inputs: Any) -> Any:
        return self.function(inputs)


class InputLayer(Layer):
    """What says the shape of a sample at the beginning of a `Sequential`.

    Args:
        shape: of a sample.
        options: of `Layer`; `input_shape` is another name of the shape.
    """

    def __init__(self, shape: Sequence[int | None] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.sample_shape = self.sample_shape if shape is None else tuple(shape)

    def call(self, inputs: Any) -> Any:
        return inputs


MASKED = {
    *("Activation", "Add", "AdditiveAttention", "Attention", "Average", "BatchNormalization"),
    *("Concatenate", "Dense", "Dot", "Dropout", "ELU", "GaussianDropout", "GaussianNoise"),
    *("LayerNormalization", "LeakyReLU", "Maximum", "Minimum", "Multiply", "MultiHeadAttention"),
    *("Normalization", "PReLU", "ReLU", "Rescaling", "Softmax", "SpatialDropout1D", "Subtract"),
    "TimeDistributed",
}
"""The layers that pass masks on."""


def _face(plain: Any) -> type:
    """Return a layer of `autograph.nn` as one of Keras': of tensors."""
    doc = f"{plain.__doc__.partition(chr(10) * 2)[0]}\n\n    See `autograph.nn.{plain.__name__}`.\n"
    kept = {"takes": plain.takes, "__doc__": doc, "__module__": __name__}
    kept["supports_masking"] = plain.__name__ in MASKED
    kept["has_input_dim"] = "input_dim" in inspect.signature(plain).parameters
    if hasattr(plain, "compute_mask"):
        kept["compute_mask"] = plain.compute_mask
    return type(plain.__name__, (Layer, plain), kept)


FACES = {
    name: _face(found)
    for name, found in ((name, getattr(nn, name)) for name in nn.__all__)
    if isinstance(found, type)
    and issubclass(found, nn.Layer)
    and found not in (nn.Layer, nn.Sequential)
}
globals().update(FACES)


def _merged(kind: str) -> Callable[..., Any]:
    @do_not_convert
    def merge(inputs: Sequence[Any], *args: Any, **options: Any) -> Any:
        return FACES[kind](*args, **options)(inputs)

    merge.__doc__ = f"Return what a layer `{kind}` gives for a list of tensors."
    merge.__name__ = merge.__qualname__ = kind.lower()
    made: Callable[..., Any] = merge
    return made


MERGES = {
    name.lower(): _merged(name)
    for name in (
        "Add",
        "Average",
        "Concatenate",
        "Dot",
        "Maximum",
        "Minimum",
        "Multiply",
        "Subtract",
    )
}
globals().update(MERGES)

__all__ = [  # noqa: PLE0604  (those of autograph.nn stand in a table)
    *("Input", "InputLayer", "Lambda", "Layer"),
    *MERGES,
    *FACES,
]
__getattr__ = missing_from("autograph.tf.keras.layers", globals())
