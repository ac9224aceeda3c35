"""`tf.keras.Model` and `tf.keras.Sequential`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.nn.layer import INTEGERS
from autograph.nn.variables import walk
from autograph.operators.calls.converting import do_not_convert
from autograph.operators.calls.init_scope import outside
from autograph.operators.mutation.reachable_objects import is_open
from autograph.tf import saved_model, shaping
from autograph.tf.keras import configs, functional, saving, summary_table, weights
from autograph.tf.keras.compiled import Compiled
from autograph.tf.keras.gathering import Metric
from autograph.tf.keras.layer import InputLayer, Layer, sample_shape
from autograph.tf.keras.symbolic import Input, KerasTensor, calls_between
from autograph.tf.keras.training import Trainer
from runtime import trees
from runtime.state.variable import Variable
from runtime.subscripts import describe


class Model(Trainer, Layer):
    """Layers together, which can be trained: a class with a method `call`, or inputs and outputs.

    Args:
        inputs: what `tf.keras.Input` gave, or a list or dict of them; not for a class of one's own.
        outputs: what layers gave for those.
        name: of the model; by default that of its class, counted.
        options: of `tf.keras.layers.Layer`.

    >>> from autograph import tf
    >>> x = tf.keras.Input((3,))
    >>> y = tf.keras.layers.Dense(2)(x)
    >>> tf.keras.Model(x, y)(tf.ones((5, 3))).shape
    TensorShape([5, 2])
    """

    supports_masking = None  # what its layers give has their masks
    __built_with__: Any = None  # what a batch is that it was first called with

    def __init__(
        self, inputs: Any = None, outputs: Any = None, name: str | None = None, **options: Any
    ) -> None:
        super().__init__(name=name, **options)
        self._parts: list[Any] = []  # first, for the order of the variables
        self.inputs, self.outputs = inputs, outputs
        if (inputs is None) != (outputs is None):
            raise TypeError(f"the model {self.name!r} needs both inputs and outputs, or neither")
        if inputs is not None:
            self._connect()

    def _connect(self) -> None:
        given, made = trees.flatten(self.inputs)[0], trees.flatten(self.outputs)[0]
        for x in (*given, *made):
            if type(x) is not KerasTensor:
                raise TypeError(
                    f"inputs and outputs of the model {self.name!r} are what tf.keras.Input and "
                    f"layers give, and {x!r} is not"
                )
        self._program = calls_between(given, made)
        self._parts = list(dict.fromkeys(x.layer for x in self._program))
        self._listed = functional.listed(given, self._program)
        self.input_names = [x.name for x in given]
        self.output_names = [x.name for x in made]
        self.output_shape = trees.map_tree(lambda x: x.shape, _only(self.outputs))
        self.built = True

    @property
    def takes_dense(self) -> bool:
        """Whether sparse tensors are made dense: where the inputs are told."""
        return self.inputs is not None

    def call(self, inputs: Any) -> Any:
        """Return the outputs for inputs of the same structure, or in the same order."""
        if self.inputs is None:
            raise NotImplementedError(f"the class of {self.name!r} needs a method call(self, x)")
        found = {key: fit(x) if fit else x for key, x, fit in self._known(inputs)}
        for call in self._program:
            args, options = replaced(call.arguments, found)
            result = call.layer(*args, **options)
            keep(found, call, result)
        return replaced(self.outputs, found)

    @outside
    def _known(self, inputs: Any) -> list[tuple[Any, Any, Any]]:
        """Return the places of symbolic tensors, what is given for them, and what adjusts that."""
        given = trees.flatten(self.inputs)[0]
        if isinstance(inputs, dict) and not isinstance(self.inputs, dict):
            inputs = [inputs[name] for name in self.input_names]
        leaves = trees.flatten(inputs)[0]
        if len(leaves) != len(given):
            raise ValueError(
                f"the model {self.name!r} has {len(given)} inputs "
                f"({', '.join(self.input_names)}), and was given {len(leaves)}"
            )
        pairs = zip(given, leaves, strict=True)
        return [(place(x), leaf, self._adjustment(x, leaf)) for x, leaf in pairs]

    def _adjustment(self, expected: KerasTensor, found: Any) -> Callable[[Any], Any] | None:
        """Return what gives an input its rank, where a last axis of size 1 is too much or lacks."""
        shape = describe(found).shape
        if shape is None:
            return None
        wanted, count = expected.shape, len(shape) - len(expected.shape)
        pairs = zip(wanted, shape, strict=False)
        differ = (isinstance(n, int) and isinstance(m, int) and n != m for n, m in pairs)
        ends = {0: 1, 1: shape[-1:] and shape[-1], -1: wanted[-1:] and wanted[-1]}
        if ends.get(count) != 1 or any(differ):
            self.refuse(found, f"takes inputs {expected.name!r} of shape {expected.shape}")
        return {0: None, 1: _squeezed, -1: _extended}[count]

    @property
    def layers(self) -> list[Any]:
        """The layers of the model; those of a model of inputs and outputs begin with its inputs."""
        if self.inputs is not None:
            return [*self._listed]
        return _layers_in(vars(self).values())

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return a layer by its name, or by its place; ValueError when there is none."""
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"the model {self.name!r} has no layer {name!r}; it has "
            f"{', '.join(x.name for x in self.layers)}"
        )

    @property
    def variables(self) -> list[Variable]:
        """The variables of its layers: without those of metrics and of the optimiser."""
        found = walk(self, enters=lambda x: is_open(x) and not isinstance(x, Compiled | Metric))
        return [x for _, x in found if isinstance(x, Variable)]

    def build(self, input_shape: Any = None) -> None:
        """Make the variables of all layers, which the first call does, too.

        Args:
            input_shape: of a batch, with None for its size; may be left out where layers say it.

        Raises:
            ValueError: it is left out, and the variables are not made yet.
        """
        if input_shape is not None:
            self(Input(batch_shape=input_shape))
        elif not self.built:
            raise ValueError(
                f"the model {self.name!r} does not know its inputs: write build((None, ...)) with "
                "the shape of a batch, or give the first layer its input_shape"
            )

    @outside
    def _settle(self, inputs: Any) -> Any:
        if self.__built_with__ is None:
            self.__built_with__ = trees.map_tree(_batch, inputs)
        self.built = self.built or type(self).build is Model.build  # layers are built by the call
        return super()._settle(inputs)

    def summary(self, line_length: int | None = None, print_fn: Any = None, **others: Any) -> None:
        """Print a table of the layers, with their shapes and the numbers of their variables."""
        for line in summary_table.lines(self, line_length or 65):
            (print_fn or print)(line)

    def save_weights(self, filepath: Any, overwrite: bool = True) -> None:
        """Write what the variables hold into a file: of HDF5, as Keras has it, or of NumPy's.

        Args:
            filepath: its name; if it ends with `.h5`, and h5py is installed, Keras reads the file,
                too. Other ones end with `.npz`, which is added where it is missing.
            overwrite: whether a file of the name is replaced; else FileExistsError.
        """
        weights.save(self, filepath, overwrite)

    def load_weights(self, filepath: Any) -> None:
        """Assign what `save_weights` wrote, here or in Keras 3: to all variables, or to none.

        Raises:
            ValueError: the model has no variables yet.
            KeyError, ShapeError: the file is of another model.
        """
        weights.load(self, filepath)

    def save(self, filepath: Any, overwrite: bool = True, **others: Any) -> None:
        """Write the model into a file, which `tf.keras.models.load_model` reads.

        Args:
            filepath: its name, which ends with `.keras`.
            overwrite: whether a file of the name is replaced; else FileExistsError.
            others: TensorFlow's, which are refused.
        """
        saving.save_model(self, filepath, overwrite, **others)

    def export(self, filepath: Any, **others: Any) -> None:
        """Write what the model does to a batch into a folder, as `tf.saved_model.load` reads it.

        What is loaded has it as the function `serve`; it needs none of the code of the model.

        Args:
            filepath: the folder, which is made.
            others: Keras', which are refused, but for `verbose` and `format="tf_saved_model"`.

        Raises:
            ValueError: the model was not called or built yet.
        """
        wanted = {"format": ("tf_saved_model",), "verbose": (None, True, False, 0, 1)}
        odd = [name for name, x in others.items() if x not in wanted.get(name, ())]
        if odd:
            raise TypeError(f"export has no argument {odd[0]}={others[odd[0]]!r} here")
        saved_model.export(self, filepath)

    def to_json(self) -> str:
        """Return what the model is made of, as a text, without what its variables hold."""
        return json.dumps(saving.described(self))

    def get_config(self) -> dict[str, Any]:
        """Return what it is made of: of inputs and outputs, the layers and their calls."""
        return super().get_config() if self.inputs is None else functional.config(self)

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Return a model that is made of what `get_config` gave, or `get_config` of another one.

        Args:
            config: what it gave.
            custom_objects: without an effect: layers are there as they are.
        """
        if "calls" not in config:
            return super().from_config(config)
        inputs, outputs = functional.ends(config)
        return cls(inputs, outputs, name=config["name"])

    @property
    def input(self) -> Any:
        """The symbolic tensor, or tensors, that it is a program of."""
        return super().input if self.inputs is None else _only(self.inputs)

    @property
    def output(self) -> Any:
        """The symbolic tensor, or tensors, that it gives for those."""
        return super().output if self.outputs is None else _only(self.outputs)

    @property
    def input_shape(self) -> Any:
        """The shape of its input, or the shapes of its inputs, with None for unknown sizes."""
        return trees.map_tree(lambda x: x.shape, self.input)


def _batch(x: Any) -> tuple[str, tuple[Any, ...], Any]:
    """Return the shape of a batch of any size, and its dtype."""
    return ("batch", sample_shape(x), describe(x).dtype)


def _only(tensors: Any) -> Any:
    return tensors[0] if isinstance(tensors, list) and len(tensors) == 1 else tensors


def _layers_in(values: Any) -> list[Any]:
    """Return the layers among attributes, also in lists and dicts."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Layer):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += _layers_in(value)
        elif isinstance(value, dict):
            found += _layers_in(value.values())
    return list(dict.fromkeys(found))


@do_not_convert
def place(tensor: KerasTensor) -> Any:
    """Return what a symbolic tensor is found by: the call that gives it, and its place there."""
    return id(tensor) if tensor.call is None else (id(tensor.call), tensor.place)


@do_not_convert
def keep(found: dict[Any, Any], call: Any, result: Any) -> None:
    """Keep the results of a call."""
    for k, leaf in enumerate(trees.flatten(result)[0]):
        found[id(call), k] = leaf


@do_not_convert
def replaced(structure: Any, found: dict[Any, Any]) -> Any:
    """Return a structure with tensors in the places of symbolic ones."""
    return trees.map_tree(lambda x: found[place(x)] if type(x) is KerasTensor else x, structure)


class Sequential(Model):
    """Layers one after the other.

    Args:
        layers: the layers; the first may be a `tf.keras.Input`.
        name: by default `sequential`, counted.

    >>> from autograph import tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
    >>> model(tf.ones((2, 3))).shape
    TensorShape([2, 1])
    """

    def __init__(
        self, layers: Sequence[Any] | None = None, name: str | None = None, **options: Any
    ) -> None:
        super().__init__(name=name, **options)
        self._stack = self._parts
        self._batch_shape: tuple[Any, ...] | None = None
        for layer in layers or ():
            self._put(layer)
        self._build_at_once()

    def add(self, layer: Any) -> None:
        """Put a layer at the end."""
        self._put(layer)
        self._build_at_once()

    def pop(self) -> None:
        """Take the last layer away."""
        self._stack.pop()

    def _put(self, layer: Any) -> None:
        if type(layer) is KerasTensor:
            self._batch_shape, self._input_dtype = layer.shape, layer.dtype
            return
        if not callable(layer):
            raise TypeError(
                f"the layers of {self.name!r} are layers or functions, and {layer!r} is none"
            )
        if not self._stack and self._batch_shape is None and isinstance(layer, Layer):
            is_of_numbers = layer.takes == INTEGERS
            if is_of_numbers and layer.sample_shape is None:
                layer.sample_shape = (layer.get_config().get("input_length"),)
            sample = layer.sample_shape
            self._batch_shape = None if sample is None else (None, *sample)
            self._input_dtype = np.dtype("int32" if is_of_numbers else "float32")
        if type(layer) is not InputLayer:
            self._stack.append(layer)

    @do_not_convert
    def _build_at_once(self) -> None:
        if self._batch_shape is not None and self._stack:
            x: Any = Input(batch_shape=self._batch_shape, dtype=self._input_dtype)
            self.__built_with__ = ("batch", x.shape, x.dtype)
            self.inputs = [x]
            for layer in self._stack:
                x = layer(x)
            self.outputs, self.output_shape = [x], x.shape
            self.built = True

    @property
    def layers(self) -> list[Any]:
        """The layers."""
        return list(self._stack)

    def get_config(self) -> dict[str, Any]:
        """Return its layers and its name."""
        return {"layers": self.layers, "name": self.name}

    def call(self, inputs: Any) -> Any:
        for layer in self._stack:
            inputs = layer(inputs)
        return inputs


configs.CLASSES.update(Model=Model, Sequential=Sequential)


def _squeezed(x: Any) -> Any:
    return shaping.squeeze(x, -1)


def _extended(x: Any) -> Any:
    return shaping.expand_dims(x, -1)
