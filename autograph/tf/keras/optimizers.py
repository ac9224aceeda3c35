"""`tf.keras.optimizers`: those of `autograph.nn` by their names, and rules of one's own."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any

import numpy as np

from autograph import nn
from autograph.nn import optimizers as plain
from autograph.nn.names import find
from autograph.operators.calls.init_scope import outside
from autograph.tf.absent import missing_from
from autograph.tf.tensors import operate
from runtime.state.variable import Variable


class Optimizer(plain.Optimizer):
    """Changes variables by gradients; see `autograph.nn.optimizers.Optimizer`.

    A rule of one's own defines `build(self, variables)`, which calls that of this class and makes
    what the rule keeps, and `update_step(self, gradient, variable, learning_rate)`.

    >>> from autograph import tf
    >>> class Momentum(tf.keras.optimizers.Optimizer):
    ...     def build(self, variables):
    ...         super().build(variables)
    ...         self.kept = self.add_optimizer_variables(variables, "momentum")
    ...
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         m = self.kept[self._get_variable_index(variable)]
    ...         self.assign(m, 0.5 * m + gradient)
    ...         self.assign_sub(variable, learning_rate * m)
    >>> v, optimizer = tf.Variable([1.0]), Momentum(learning_rate=0.25)
    >>> for _ in range(2):
    ...     _ = optimizer.apply_gradients([(tf.constant([1.0]), v)])
    >>> v.numpy(), len(optimizer.variables)
    (array([0.375], dtype=float32), 3)
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "update_step" in vars(cls) and "update" not in vars(cls):
            cls.update = Optimizer._by_step

    def _by_step(self, variable: Any, gradient: Any, rate: Any, step: Any, slots: Any) -> None:
        self.update_step(gradient, variable, rate)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Change one variable."""
        raise NotImplementedError(f"{type(self).__name__} defines no update_step")

    @property
    def built(self) -> bool:
        """Whether it has met the variables that it changes."""
        return bool(self._changes)

    @property
    def variables(self) -> list[Variable]:
        """What it keeps: the number of steps, the rate if it is a number, and its state."""
        return [*super().variables, *self.__dict__.get("_added", ())]

    @outside
    def add_variable(
        self, shape: Sequence[int], initializer: Any = "zeros", dtype: Any = None, name: Any = None
    ) -> Variable:
        """Return a new variable of the optimiser."""
        values = nn.initializers.get(initializer)(tuple(shape), np.dtype(dtype or "float32"))
        made = Variable(values, name=f"{self.name}/{name or 'variable'}", trainable=False)
        made.gives_tensors, made.operate = True, operate
        self.__dict__.setdefault("_added", []).append(made)
        return made

    def add_variable_from_reference(
        self, reference_variable: Variable, name: Any = None, initializer: Any = "zeros"
    ) -> Variable:
        """Return a new variable of the optimiser, of the shape and dtype of another one."""
        named = f"{reference_variable.name}/{name or 'variable'}"
        shape = tuple(reference_variable.shape)
        return self.add_variable(shape, initializer, reference_variable.dtype, named)

    def add_optimizer_variables(
        self, trainable_variables: Iterable[Variable], name: Any, initializer: Any = "zeros"
    ) -> Any:
        """Return a new variable for each of some others, or a list of them for each name."""
        names = [name] if isinstance(name, str) else list(name)
        is_one = isinstance(initializer, str) or callable(initializer)
        firsts = [initializer] * len(names) if is_one else list(initializer)
        kinds = list(zip(names, firsts, strict=True))
        made = [
            [self.add_variable_from_reference(x, *kind) for kind in kinds]
            for x in trainable_variables
        ]
        lists = tuple(map(list, zip(*made, strict=True))) or tuple([] for _ in names)
        return lists[0] if isinstance(name, str) else lists

    def _get_variable_index(self, variable: Variable) -> int:
        return self._index(variable)

    def assign(self, variable: Variable, value: Any) -> None:
        """Assign to a variable."""
        variable.assign(value)

    def assign_add(self, variable: Variable, value: Any) -> None:
        """Add to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable: Variable, value: Any) -> None:
        """Subtract from a variable."""
        variable.assign_sub(value)

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Assign to its variables arrays in the order of `variables`."""
        for variable, value in zip(self.variables, weights, strict=True):
            variable.assign(value)

    def save_own_variables(self, store: MutableMapping[str, Any]) -> None:
        """Put what its variables hold into a dict, by their numbers."""
        store.update({str(k): x.numpy() for k, x in enumerate(self.variables)})

    def load_own_variables(self, store: MutableMapping[str, Any]) -> None:
        """Assign what `save_own_variables` put into a dict."""
        self.set_weights(store[str(k)] for k in range(len(store)))


def _face(rule: Any) -> type:
    """Return a rule of `autograph.nn` as an optimiser of Keras'."""

    def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
        step = np.asarray(self.iterations + 1, variable.dtype)
        slots = self.state[self._index(variable)]
        rule.update(self, variable, gradient, learning_rate, step, slots)

    doc = f"{rule.__doc__.partition(chr(10) * 2)[0]}\n\n    See `autograph.nn.{rule.__name__}`.\n"
    kept = {"__doc__": doc, "__module__": __name__, "update_step": update_step}
    kept["update"] = rule.update
    return type(rule.__name__, (Optimizer, rule), kept)


CLASSES = {
    name: _face(found)
    for name, found in ((name, getattr(plain, name)) for name in plain.__all__)
    if isinstance(found, type)
    and issubclass(found, plain.Optimizer)
    and found is not plain.Optimizer
}
OTHERS = {name: getattr(plain, name) for name in plain.__all__ if name not in CLASSES}
globals().update(CLASSES | {x: OTHERS[x] for x in OTHERS if x != "Optimizer"})

__all__ = ["Optimizer", *CLASSES, *OTHERS, "get"]  # noqa: PLE0604  (those of autograph.nn stand in a table)
__getattr__ = missing_from("autograph.tf.keras.optimizers", globals())


def get(identifier: Any) -> Any:
    """Return an optimiser by its name (`adam`), or what is given."""
    if isinstance(identifier, plain.Optimizer):
        return identifier
    short = {x.lower(): x for x in CLASSES}
    found = find(identifier, globals(), [*CLASSES], "optimizer", short)
    return found() if isinstance(found, type) else found
