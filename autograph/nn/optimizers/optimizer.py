"""`Optimizer`: what all rules that change variables by gradients share.

An optimiser is plain Python over variables: its state, too, is in variables, which are made when it
first meets the variables that it changes. So a whole training, with as many steps as the data say,
is one graph. Formulas, names and defaults are Keras'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from autograph.nn.arrivals import variables_were_made
from autograph.nn.configured import Configured
from autograph.nn.names import counted, in_snake_case
from autograph.nn.optimizers.clipping import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    leaves,
)
from autograph.operators.calls.init_scope import outside
from autograph.transforms.gradients import value_and_grad
from runtime.errors import ShapeError
from runtime.state.variable import Variable
from runtime.tensor import Tensor
from runtime.trees import difference, flatten, paths

Slots = dict[str, Variable]


class Optimizer(Configured):
    """Changes variables by gradients.

    A rule of one's own defines `update(self, variable, gradient, rate, step, slots)`, which assigns
    to the variable, and `slots`, the names of the variables that it keeps for each one.

    Args:
        learning_rate: a number, which may be assigned later, or a function of the number of steps.
        weight_decay: which part of each variable is taken away at each step, times the rate.
        clipnorm: the largest norm that each gradient may have.
        clipvalue: the largest absolute value that an element may have.
        global_clipnorm: the largest norm that all gradients may have together.
        name: by default that of the class, counted.

    Raises:
        StructureError: gradients are of another structure than variables.
        ValueError: two ways of clipping are asked for, or there is no gradient at all.

    >>> import autograph as ag
    >>> class Descent(ag.nn.optimizers.Optimizer):
    ...     def update(self, variable, gradient, rate, step, slots):
    ...         variable.assign_sub(rate * gradient)
    >>> v = ag.Variable([1.0, 2.0])
    >>> Descent(0.5).apply({"v": np.array([1.0, 0.0])}, {"v": v})
    >>> v
    Variable(array([0.5, 2. ]))
    """

    slots: tuple[str, ...] = ()
    shapes: Mapping[str, Callable[[Variable], tuple[int, ...]]] = MappingProxyType({})
    """The shapes of those of them that are not of the variable's, by that."""
    initial: Mapping[str, float] = MappingProxyType({})
    """What slots hold first, if not 0."""

    def __init__(
        self,
        learning_rate: Any = 0.01,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        name: str | None = None,
    ) -> None:
        if [clipnorm, clipvalue, global_clipnorm].count(None) < 2:
            raise ValueError("give one of clipnorm, clipvalue and global_clipnorm at most")
        self.name = counted(in_snake_case(type(self).__name__)) if name is None else name
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.iterations = _state(np.int64(0), f"{self.name}/iterations")
        self._rate = learning_rate
        if not callable(learning_rate):
            self._rate = _state(np.float64(learning_rate), f"{self.name}/learning_rate")
        self.state: list[Slots] = []
        self._changes: list[Variable] = []

    update: Callable[..., None]

    @property
    def learning_rate(self) -> Any:
        """The rate: a variable, or what a schedule gives for the number of steps so far."""
        if not callable(self._rate):
            return self._rate
        found = self._rate(self.iterations)
        return found if hasattr(found, "numpy") else Tensor(np.asarray(found))

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if callable(rate) or not isinstance(self._rate, Variable):
            self._rate = rate if callable(rate) else _state(np.float64(rate), f"{self.name}/rate")
        else:
            self._rate.assign(rate)

    def apply(self, gradients: Any, variables: Any) -> None:
        """Change variables by their gradients.

        Args:
            gradients: a structure of arrays; None for a variable that is left as it is.
            variables: a structure of the same form, of variables; the same at each call.
        """
        found, known = self._met(gradients, variables)
        if self.clipnorm is not None:
            found = clip_by_norm(found, self.clipnorm)
        if self.clipvalue is not None:
            found = clip_by_value(found, self.clipvalue)
        if self.global_clipnorm is not None:
            found = clip_by_global_norm(found, self.global_clipnorm)
        step = self.iterations.read() + 1
        rate = self._rate(self.iterations) if callable(self._rate) else self._rate.read()
        for variable, gradient, slots in zip(known, found, self.state, strict=True):
            if gradient is not None:
                dtype = variable.dtype
                local = np.asarray(rate, dtype)
                if self.weight_decay is not None:
                    variable.assign_sub(variable.read() * (self.weight_decay * local))
                self.update(variable, gradient, local, np.asarray(step, dtype), slots)
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable.read()))
        self.iterations.assign_add(1)

    def apply_gradients(self, pairs: Iterable[tuple[Any, Variable]]) -> None:
        """Change variables by gradients: pairs of gradient and variable, as Keras takes them."""
        gradients, variables = [], []
        for gradient, variable in pairs:
            gradients.append(gradient)
            variables.append(variable)
        self.apply(gradients, variables)

    def minimize(self, loss: Callable[[], Any], variables: Any) -> Any:
        """Change variables once, so that a function of them becomes smaller; return its value.

        Args:
            loss: a function without arguments, of what the variables hold.
            variables: a structure of variables.

        >>> import autograph as ag
        >>> v = ag.Variable(3.0)
        >>> ag.nn.optimizers.SGD(0.25).minimize(lambda: (v - 1.0) ** 2, v), v
        (np.float64(4.0), Variable(np.float64(2.0)))
        """
        value, gradients = value_and_grad(_of_variables(loss))(variables)
        self.apply(gradients, variables)
        return value

    def build(self, variables: Iterable[Variable]) -> None:
        """Make the state for variables, which the first call of `apply` does, too."""
        self._changes = list(variables)
        self.state = [self._slots_of(x) for x in self._changes]
        variables_were_made()

    @property
    def variables(self) -> list[Variable]:
        """What it keeps: the number of steps, the rate if it is a number, and the state."""
        rate = [self._rate] if isinstance(self._rate, Variable) else []
        return [self.iterations, *rate, *(x for slots in self.state for x in slots.values())]

    @outside
    def _met(self, gradients: Any, variables: Any) -> tuple[list[Any], list[Variable]]:
        """Return gradients and variables as lists; make the state at the first call."""
        known, structure = flatten(variables)
        found, form = leaves(gradients)
        if form != structure:
            where = difference(form, structure, "what is given")
            raise ValueError(f"gradients and variables of {self.name!r} are of two forms: {where}")
        if not known:
            raise ValueError(
                f"{self.name!r} was given no variables. Layers make theirs when they are first "
                "called: call the model once before nn.parameters(model)"
            )
        if not self._changes:
            for path, x in zip(paths(structure, "variables"), known, strict=True):
                if not isinstance(x, Variable):
                    raise TypeError(f"{self.name!r} changes variables, and {path} is {x!r}")
            self.build(known)
        if [*map(id, known)] != [*map(id, self._changes)]:
            raise ValueError(
                f"{self.name!r} keeps a state for the {len(self._changes)} variables that it first "
                f"changed, and was given {len(known)} others; make another optimiser for those"
            )
        if all(g is None for g in found):
            raise ValueError(f"{self.name!r} was given no gradient: the loss follows no variable")
        for path, g, x in zip(paths(structure, "gradients"), found, known, strict=True):
            _check(self.name, path, g, x)
        return list(found), self._changes

    def _slots_of(self, variable: Variable) -> Slots:
        made = {}
        for slot in self.slots:
            shape = self.shapes[slot](variable) if slot in self.shapes else None
            first = np.full_like(variable.held, self.initial.get(slot, 0.0), shape=shape)
            made[slot] = _state(first, f"{self.name}/{variable.name}/{slot}")
        return made


def _check(name: str, path: str, gradient: Any, variable: Variable) -> None:
    shape = None if gradient is None else getattr(gradient, "shape", ())
    if shape is not None and variable.spec.is_static and tuple(shape) != variable.spec.shape:
        raise ShapeError(
            f"{path} of {name!r} has the shape {tuple(shape)}, and is of the variable "
            f"{variable.name!r}, {variable.spec}"
        )


def _state(value: Any, name: str) -> Variable:
    return Variable(value, name=name, trainable=False)


def _of_variables(loss: Callable[[], Any]) -> Callable[[Any], Any]:
    return lambda variables: loss()
