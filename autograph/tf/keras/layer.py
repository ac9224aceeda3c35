"""`Layer`: a layer of `autograph.nn` that takes and gives tensors, as Keras' do.

What is added is what Keras' layers do beyond: tensors as results, `float32` unless told otherwise,
symbolic inputs, masks, `get_weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph import nn
from autograph.nn.variables import walk
from autograph.operators.calls.init_scope import outside
from autograph.tf.composite import is_composite, refusal
from autograph.tf.keras import masks
from autograph.tf.keras.symbolic import is_symbolic, record
from autograph.tf.keras.weights import get_weights, set_weights
from autograph.tf.sparse import to_dense
from autograph.tf.sparse_tensor import SparseTensor
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

    def __call__(self, inputs: Any, *args: Any, **options: Any) -> Any:
        if is_symbolic((inputs, args, options)):
            made = record(self, inputs, *args, **options)
            self.__ends__ = (*self.__ends__, (inputs, made))
            return made
        if self.takes_dense:
            inputs = dense(inputs)
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

    @property
    def takes_dense(self) -> bool:
        """Whether sparse tensors are made dense; layers of one's own are given them as they are."""
        return self.takes != nn.layer.ANYTHING

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
    def trainable(self) -> bool:
        """Whether its variables are trained; who sets it sets that of the layers in it, too."""
        return bool(self.__dict__.get("is_trainable", True))

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.is_trainable = bool(value)
        for _, inner in walk(self):
            if isinstance(inner, Layer) and inner is not self:
                inner.is_trainable = self.is_trainable

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

    __gives__: Any = None  # and neither here

    @property
    def output_shape(self) -> Any:
        """The shape of what it gave last, or will give; None if neither is known."""
        return self.__gives__

    @output_shape.setter
    def output_shape(self, shape: Any) -> None:
        self.__gives__ = shape

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


def dense(data: Any) -> Any:
    """Return data with dense tensors in the places of sparse ones."""
    leaves, structure = trees.flatten_to(data, lambda x: type(x) is SparseTensor)
    if not any(type(x) is SparseTensor for x in leaves):
        return data
    return trees.unflatten(
        structure, [to_dense(x) if type(x) is SparseTensor else x for x in leaves]
    )


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
