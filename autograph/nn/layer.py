"""`Layer`: a function that has variables, which are made when it is first called.

Layers are plain Python, and run as a program of the user's does: eagerly on arrays and tensors,
where a tape may look on, and converted in staged functions. What is made once, their variables, is
made outside of the graph, so that a layer may be called first in a staged loop.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograph.nn import constraints, initializers, regularizers
from autograph.nn.added_losses import Calls, added_losses, calls_now, outermost
from autograph.nn.arrivals import variables_were_made
from autograph.nn.configured import Configured
from autograph.nn.names import counted, in_snake_case
from autograph.nn.variables import parameters, variables
from autograph.operators.calls.converting import do_not_convert
from autograph.operators.calls.init_scope import outside
from runtime.dtypes import as_dtype
from runtime.errors import DtypeError, ShapeError
from runtime.spec import TensorSpec
from runtime.state.variable import Variable
from runtime.subscripts import describe
from runtime.trees import flatten, map_tree

_TRAINING: ContextVar[Any] = ContextVar("training", default=None)

FLOATS = "floats"
"""What a layer takes: floats, into which other numbers are converted."""
INTEGERS = "integers"
ANYTHING = "anything"


class Layer(Configured):
    """A function of arrays with variables of its own.

    A layer of one's own defines `call(self, x)`, or `call(self, x, training=False)`, and, if it has
    variables, `build(self, shape)`, which is called with the shape of the first input and makes
    them by `add_weight`. Layers in its attributes, also in lists and dicts, are parts of it.

    Args:
        name: of the layer, in messages and as the beginning of its variables' names; by default
            that of the class, counted: `dense`, `dense_1`, ...
        dtype: of its variables, in which it computes; by default that of the first input if that is
            a float, else float32.
        trainable: whether its variables are trained.
        activity_regularizer: of what it returns: a function, or a name; divided by the batch.
        rules: of its variables, by their names: `kernel_regularizer`, `bias_constraint` and the
            like, functions or names (`autograph.nn.regularizers`, `autograph.nn.constraints`).

    Raises:
        ShapeError: an input has another shape than the layer takes.
        DtypeError: an input is of no numbers.
        TypeError: a rule is of no variable of the layer.

    >>> import autograph as ag
    >>> class Scale(ag.nn.Layer):
    ...     def build(self, shape):
    ...         self.factor = self.add_weight(shape[-1:], "ones", name="factor")
    ...
    ...     def call(self, x):
    ...         return x * self.factor
    >>> Scale()(np.array([[1.0, 2.0]]))
    array([[1., 2.]])
    """

    takes = FLOATS
    ranks: tuple[int, ...] | None = None
    """The numbers of dimensions that inputs may have."""
    least_rank = 0
    features: int | None = None
    """The size of the last axis of inputs, once it is known."""

    __calls__: Calls | None = None  # a name that no search for variables looks at

    def __init__(
        self,
        name: str | None = None,
        dtype: Any = None,
        trainable: bool = True,
        activity_regularizer: Any = None,
        **rules: Any,
    ) -> None:
        self.name = counted(in_snake_case(type(self).__name__)) if name is None else name
        self.dtype = None if dtype is None else as_dtype(dtype)
        self.trainable = trainable
        self.built = False
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._rules = {option: _rule(self.name, option, x) for option, x in rules.items()}
        self._takes_training = "training" in inspect.signature(self.call).parameters

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "build" in vars(cls):
            cls.build = _told(cls.build)  # type: ignore[method-assign]

    def build(self, shape: Sequence[int | None]) -> None:
        """Make the variables, which the first call does, too.

        Args:
            shape: of the first input, with None for sizes that are not known; of a structure of
                arrays a structure of shapes.
        """

    call: Callable[..., Any]

    def __call__(self, inputs: Any, *args: Any, training: Any = None, **options: Any) -> Any:
        if isinstance(inputs, list | tuple) and not is_structure(inputs):
            inputs = np.asarray(inputs)
        if calls_now() is not None:
            return self._called(inputs, args, training, options)
        with outermost():
            return self._called(inputs, args, training, options)

    def _called(self, inputs: Any, args: Any, training: Any, options: Any) -> Any:
        dtype = self._settle(inputs)
        if dtype is not None:
            inputs = converted(inputs, dtype)
        if training is None:
            result = self._trained_or_not(inputs, args, training_now(), options)
        else:
            with training_is(training):
                result = self._trained_or_not(inputs, args, training, options)
        if self.activity_regularizer is not None:
            for x in flatten(result)[0]:
                self.add_loss(self.activity_regularizer(x) / len(x))
        return result

    def _trained_or_not(self, inputs: Any, args: Any, training: Any, options: Any) -> Any:
        if not self._takes_training or training is None:  # nobody says: what `call` has as default
            return self.call(inputs, *args, **options)
        return self.call(inputs, *args, training=training, **options)

    @outside
    def _settle(self, inputs: Any) -> Any:
        """Check an input, build the layer if it is not; return the dtype to convert it to."""
        self.__calls__ = calls_now()
        spec = None if is_structure(inputs) else describe(inputs)
        if spec is not None:
            self._check(spec)
        if not self.built:
            is_float = spec is not None and spec.dtype.kind == "f" and not spec.weak
            found = spec.dtype if is_float and spec else np.dtype(np.float32)
            self.make_variables(map_tree(lambda x: shape_of(describe(x)), inputs), found)
        must = spec is not None and self.takes == FLOATS and spec.dtype != self.dtype
        return self.dtype if must else None

    def make_variables(self, shape: Any, dtype: Any) -> None:
        """Build the layer where it is not, for a shape, with a dtype if it was given none."""
        if self.built:
            return
        if self.dtype is None and self.takes != INTEGERS:
            self.dtype = dtype
        self.build(shape)
        if not self.built:
            _is_built(self)

    def _check(self, spec: TensorSpec) -> None:
        kinds = {FLOATS: "fiub", INTEGERS: "iu", ANYTHING: spec.dtype.kind}[self.takes]
        if spec.dtype.kind not in kinds:
            self.refuse(
                spec, f"takes {'numbers' if self.takes == FLOATS else 'integers'}", DtypeError
            )
        if spec.shape is None:
            return
        if self.ranks is not None and len(spec.shape) not in self.ranks:
            self.refuse(spec, f"takes inputs of {_dimensions(self.ranks)}")
        if len(spec.shape) < self.least_rank:
            self.refuse(spec, f"takes inputs of {self.least_rank} dimensions or more")
        size = spec.shape[-1] if spec.shape else None
        if self.features is not None and isinstance(size, int) and size != self.features:
            self.refuse(spec, f"takes inputs whose last axis has size {self.features}")

    def refuse(self, found: Any, expected: str, error: type[Exception] = ShapeError) -> None:
        """Raise the error of an input.

        Args:
            found: the input, or its spec.
            expected: what the layer does instead: "takes inputs of 4 dimensions".
            error: its class.
        """
        found = found if isinstance(found, TensorSpec) else describe(found)
        raise error(
            f"the layer {self.name!r} ({type(self).__name__}) {expected}, and was given {found}"
        )

    def size_of(self, shape: Sequence[int | None], axis: int = -1) -> int:
        """Return a size of the first input that must be known for the variables to be made."""
        size = shape[axis]
        if size is None:
            raise ShapeError(
                f"the layer {self.name!r} ({type(self).__name__}) needs to know the size of axis "
                f"{axis} of its input to make its variables, and that is not known before the "
                "graph runs; call it once with an array outside of staged functions"
            )
        return size

    def add_weight(
        self,
        shape: Sequence[int] = (),
        initializer: Any = "glorot_uniform",
        dtype: Any = None,
        trainable: bool = True,
        name: str = "variable",
        regularizer: Any = None,
        constraint: Any = None,
    ) -> Variable:
        """Return a new variable of the layer, to be kept in an attribute.

        Args:
            shape: of the variable.
            initializer: its name, or a function of shape and dtype.
            dtype: by default that of the layer.
            trainable: whether it is trained.
            name: of the variable.
            regularizer, constraint: of what it holds; else those that the layer was given for it.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        dtype = np.dtype(np.float32) if dtype is None else dtype
        value = initializers.get(initializer)(tuple(shape), dtype)
        made = Variable(np.asarray(value, dtype), name=f"{self.name}/{name}", trainable=trainable)
        made.regularizer = regularizers.get(regularizer) or self._rule_of(name, "regularizer")
        made.constraint = constraints.get(constraint) or self._rule_of(name, "constraint")
        return made

    def _rule_of(self, name: str, kind: str) -> Any:
        given = (self._rules.get(option) for option in options_of(name, kind))
        return next((x for x in given if x is not None), None)

    def add_loss(self, loss: Any) -> None:
        """Add a term to the losses of the call that is made.

        Args:
            loss: a number, or an array, of which the sum counts.

        >>> import autograph as ag
        >>> class Small(ag.nn.Layer):
        ...     def call(self, x):
        ...         self.add_loss(0.5 * np.mean(x))
        ...         return x
        >>> layer = Small()
        >>> _ = layer(np.array([2.0, 4.0]))
        >>> layer.losses
        [np.float64(1.5)]
        """
        self._keep_loss(loss)

    @outside
    def _keep_loss(self, loss: Any) -> None:
        if self.__calls__ is None:
            raise RuntimeError(f"{self.name!r} adds a loss outside of a call")
        self.__calls__.losses.append((self, loss))

    @property
    def losses(self) -> list[Any]:
        """What it and layers in it added in the last call, and terms of its variables."""
        trained = self.trainable_variables
        terms = [x.regularizer(x.read()) for x in trained if x.regularizer is not None]
        return [*added_losses(self), *terms]

    @property
    def variables(self) -> list[Variable]:
        """Its variables, and those of layers in it."""
        return list(variables(self).values())

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those that are trained."""
        return list(parameters(self).values())

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Those that are not."""
        trained = {id(x) for x in self.trainable_variables}
        return [x for x in self.variables if id(x) not in trained]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def _rule(layer: str, option: str, given: Any) -> Any:
    kinds = {"regularizer": regularizers.get, "constraint": constraints.get}
    kind = option.rpartition("_")[2]
    if kind not in kinds or option == kind:
        raise TypeError(f"the layer {layer!r} has no argument {option!r}")
    return kinds[kind](given)


def options_of(name: str, kind: str) -> tuple[str, str]:
    """Return the options that say a rule of a variable.

    >>> options_of("recurrent_kernel", "constraint")
    ('recurrent_kernel_constraint', 'recurrent_constraint')
    """
    return f"{name}_{kind}", f"{name.removesuffix('_kernel')}_{kind}"


def _told(build: Any) -> Any:
    """Return a `build` after which the layer knows that it is built, whoever calls it."""

    @functools.wraps(build)
    def told(self: Layer, *args: Any, **options: Any) -> None:
        build(self, *args, **options)
        if type(self).build is told:  # and not that of a class that extends the one of this
            _is_built(self)

    return told


def _is_built(layer: Layer) -> None:
    """Note that the variables of a layer are made; TypeError when a rule is of none of them."""
    layer.built = True
    names = {x.name.rpartition("/")[2] for x in layer.variables}
    for option in layer._rules:
        if not any(option in options_of(name, option.rpartition("_")[2]) for name in names):
            raise TypeError(
                f"{option} of {layer.name!r} ({type(layer).__name__}) is of no variable of it; "
                f"it has {', '.join(sorted(names)) or 'none'}"
            )
    variables_were_made()


def converted(x: Any, dtype: Any) -> Any:
    """Return an input with another dtype; lists become arrays."""
    return x.astype(dtype) if hasattr(x, "astype") else np.asarray(x, dtype)


def shape_of(spec: TensorSpec) -> tuple[int | None, ...]:
    """Return a shape with None for sizes that are not known."""
    return tuple(n if isinstance(n, int) else None for n in spec.shape or ())


def is_structure(inputs: Any) -> bool:
    """Tell whether an input is several arrays, for the layer to take apart."""
    return isinstance(inputs, dict) or (
        isinstance(inputs, list | tuple) and any(hasattr(x, "dtype") for x in inputs)
    )


def _dimensions(ranks: tuple[int, ...]) -> str:
    return f"{' or '.join(map(str, ranks))} dimensions"


@do_not_convert
def training_now() -> Any:
    """Return whether layers train, that are called without `training`; None if nobody says."""
    return _TRAINING.get()


@contextmanager
def training_is(training: Any) -> Iterator[None]:
    """Let layers train or not that are called in a `with` block, where they are not told."""
    token = _TRAINING.set(training)
    try:
        yield
    finally:
        _TRAINING.reset(token)
