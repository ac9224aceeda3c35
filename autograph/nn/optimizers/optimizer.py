"""`Optimizer`: what all rules that change variables by gradients share.

An optimiser is plain Python over variables: its state, too, is in variables, which are made when it
first meets the variables that it changes. So a whole training, with as many steps as the data say,
is one graph. Formulas, names and defaults are Keras'.
"""

from __future__ import annotations

import re
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
        use_ema: whether means of the variables over all steps are kept, too.
        ema_momentum: which part of them stays at a step.
        ema_overwrite_frequency: after how many steps variables become their means; None for never.
        loss_scale_factor: by what `scale_loss` multiplies; gradients are divided by it.
        gradient_accumulation_steps: how many calls make one step, by the mean of their gradients.
        name: by default that of the class, counted.

    Raises:
        ValueError: two ways of clipping are asked for, gradients are of another form than
            variables, there is no gradient at all, or a variable that is not known.

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
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        if [clipnorm, clipvalue, global_clipnorm].count(None) < 2:
            raise ValueError("give one of clipnorm, clipvalue and global_clipnorm at most")
        self.name = counted(in_snake_case(type(self).__name__)) if name is None else name
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum = use_ema, _part(ema_momentum, "ema_momentum")
        self.ema_overwrite_frequency = _count(ema_overwrite_frequency, 1, "ema_overwrite_frequency")
        self.loss_scale_factor = loss_scale_factor
        self.gradient_accumulation_steps = _count(
            gradient_accumulation_steps, 2, "gradient_accumulation_steps"
        )
        self._calls = _state(np.int64(0), f"{self.name}/iterations")
        self._rate = learning_rate
        if not callable(learning_rate):
            self._rate = _state(np.float64(learning_rate), f"{self.name}/learning_rate")
        self.state: list[Slots] = []
        self._changes: list[Variable] = []
        self._not_decayed: tuple[list[Variable], list[str]] = ([], [])

    update: Callable[..., None]

    @property
    def iterations(self) -> Any:
        """How many steps there were."""
        every, calls = self.gradient_accumulation_steps, self._calls
        return calls if every is None else np.floor_divide(calls.read(), every)

    @property
    def learning_rate(self) -> Any:
        """The rate: a variable, or what a schedule gives for the number of steps so far."""
        if not callable(self._rate):
            return self._rate
        found = self._rate(self._calls)
        return found if hasattr(found, "numpy") else Tensor(np.asarray(found))

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if callable(rate) or not isinstance(self._rate, Variable):
            self._rate = rate if callable(rate) else _state(np.float64(rate), f"{self.name}/rate")
        else:
            self._rate.assign(rate)

    def apply(self, gradients: Any, variables: Any = None) -> None:
        """Change variables by their gradients.

        Args:
            gradients: a structure of arrays; None for a variable that is left as it is.
            variables: a structure of the same form, of variables: those of the first call, or some
                of them; by default all.
        """
        found, known, kept = self._met(gradients, self._changes if variables is None else variables)
        if self.loss_scale_factor is not None:
            found = [g if g is None else g / self.loss_scale_factor for g in found]
        every = self.gradient_accumulation_steps
        if every is None:
            self._change(found, known, kept)
        else:
            sums = [slots["gradient_accumulator"] for slots in kept]
            for g, total in zip(found, sums, strict=True):
                if g is not None:
                    total.assign_add(g)
            if (self._calls.read() + 1) % every == 0:
                pairs = zip(found, sums, strict=True)
                means = [g if g is None else total.read() / every for g, total in pairs]
                self._change(means, known, kept)
                for total in sums:
                    total.assign(np.zeros_like(total.read()))
        if self.use_ema:
            self._average()
        self._calls.assign_add(1)

    def _change(self, found: Any, known: list[Variable], kept: list[Slots]) -> None:
        """Change variables once."""
        if self.clipnorm is not None:
            found = clip_by_norm(found, self.clipnorm)
        if self.clipvalue is not None:
            found = clip_by_value(found, self.clipvalue)
        if self.global_clipnorm is not None:
            found = clip_by_global_norm(found, self.global_clipnorm)
        step = self.iterations + 1
        rate = self._rate(self._calls) if callable(self._rate) else self._rate.read()
        for variable, gradient, slots in zip(known, found, kept, strict=True):
            if gradient is not None:
                dtype = variable.dtype
                local = np.asarray(rate, dtype)
                if self.weight_decay is not None and self._decays(variable):
                    variable.assign_sub(variable.read() * (self.weight_decay * local))
                self.update(variable, gradient, local, np.asarray(step, dtype), slots)
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable.read()))

    def _average(self) -> None:
        """Take one step more into the means of variables."""
        steps, every = self.iterations + 0, self.ema_overwrite_frequency
        for x, slots in zip(self._changes, self.state, strict=True):
            mean = slots["average"]
            part = np.where(steps == 0, 0.0, self.ema_momentum).astype(x.dtype)
            mean.assign(part * mean + (1 - part) * x)
        if every is not None and (steps + 1) % every == 0:
            self.finalize_variable_values(self._changes)

    def finalize_variable_values(self, variables: Iterable[Variable]) -> None:
        """Assign to variables their means, if `use_ema` keeps them, as the end of `fit` does."""
        if self.use_ema:
            for x in variables:
                x.assign(self.state[self._index(x)]["average"].read())

    def exclude_from_weight_decay(
        self, var_list: Iterable[Variable] = (), var_names: Iterable[str] = ()
    ) -> None:
        """Let weights not decay: variables, and those in whose names a pattern is found."""
        self._not_decayed = list(var_list or ()), list(var_names or ())

    def _decays(self, variable: Variable) -> bool:
        listed, patterns = self._not_decayed
        is_named = any(re.search(x, variable.name) for x in patterns)
        return not is_named and not any(x is variable for x in listed)

    def scale_loss(self, loss: Any) -> Any:
        """Return a loss times `loss_scale_factor`, by whose gradients `apply` goes."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def apply_gradients(self, pairs: Iterable[tuple[Any, Variable]]) -> Any:
        """Change variables by pairs of gradient and variable; return how often it was done."""
        found = list(pairs)
        self.apply([gradient for gradient, _ in found], [variable for _, variable in found])
        return self._calls

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
        value, gradients = value_and_grad(lambda _: loss())(variables)
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
        return [self._calls, *rate, *(x for slots in self.state for x in slots.values())]

    @outside
    def _met(self, gradients: Any, variables: Any) -> tuple[list[Any], list[Variable], list[Slots]]:
        """Return gradients, variables and their states as lists, which the first call makes."""
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
        places = {id(x): k for k, x in enumerate(self._changes)}
        if any(id(x) not in places for x in known):
            raise ValueError(
                f"{self.name!r} keeps a state for the {len(self._changes)} variables that it first "
                f"changed, and was given {len(known)} others; make another optimiser for those"
            )
        if all(g is None for g in found):
            raise ValueError(f"{self.name!r} was given no gradient: the loss follows no variable")
        for path, g, x in zip(paths(structure, "gradients"), found, known, strict=True):
            _check(self.name, path, g, x)
        return list(found), list(known), [self.state[places[id(x)]] for x in known]

    def _index(self, variable: Variable) -> int:
        return next(k for k, x in enumerate(self._changes) if x is variable)

    def _slots_of(self, variable: Variable) -> Slots:
        made = {}
        sums = ("gradient_accumulator",) * (self.gradient_accumulation_steps is not None)
        for slot in (*("average",) * self.use_ema, *sums, *self.slots):
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


def _part(given: float, name: str) -> float:
    if not 0 <= given <= 1:
        raise ValueError(f"{name} is between 0 and 1, not {given}")
    return given


def _count(given: int | None, least: int, name: str) -> int | None:
    if given is not None and (type(given) is not int or given < least):
        raise ValueError(f"{name} is a number from {least} on, or None, not {given!r}")
    return given
