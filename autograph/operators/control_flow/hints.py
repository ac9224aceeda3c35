"""Hints: what the user says of one branch or loop.

`hint` is the identity. Around the condition of a statement that is converted the operator `hinted`
takes its place, which gives the operator of the statement a `Hinted`: the value, with the options.
Nobody else ever sees one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.dispatch import apply
from runtime.errors import RuntimeGraphError, StagedBoolError, StagedValueError
from runtime.graph.opdef import REGISTRY
from runtime.lower.tracebacks import pruned
from runtime.ops.effects import literal
from runtime.spec import Shape, TensorSpec
from runtime.tensor import is_staged

MODES = ("python", "staged", "elementwise")


@dataclass(frozen=True, slots=True)
class Options:
    """What is said of a branch or loop; see `hint`.

    >>> Options(unroll=0)
    Traceback (most recent call last):
    ValueError: hint(): unroll is True, False or a number of rounds, at least 1, not 0
    """

    max_iterations: int | None = None
    unroll: bool | int | None = None
    mode: str | None = None
    label: str | None = None
    shape_invariants: Mapping[str, Sequence[int | None]] | None = None

    def __post_init__(self) -> None:
        if not _is_count(self.max_iterations, 0):
            raise _wrong("max_iterations is a number of rounds, 0 or more", self.max_iterations)
        if not isinstance(self.unroll, bool) and not _is_count(self.unroll, 1):
            raise _wrong("unroll is True, False or a number of rounds, at least 1", self.unroll)
        self.shapes  # noqa: B018  (it raises)
        if self.mode not in (None, *MODES):
            raise _wrong(f"mode is one of {', '.join(map(repr, MODES))}", self.mode)
        if not _is_label(self.label):
            raise _wrong("label is a text on one line", self.label)
        if self.mode == "python" and self.is_forced:
            raise _contradiction(f"unroll={self.unroll}", "mode='python'")
        if self.mode == "elementwise" and self.unroll is not None:
            raise _contradiction(f"unroll={self.unroll}", "mode='elementwise'")
        if self.mode == "staged" and self.unroll is True:
            raise _contradiction("unroll=True", "mode='staged'")

    @property
    def is_forced(self) -> bool:
        """Whether the statement is staged even if nothing in it is."""
        return self.mode == "staged" or (self.unroll is not None and self.unroll is not True)

    @property
    def shapes(self) -> dict[str, Shape]:
        """The declared shapes of variables."""
        try:
            return {
                name: TensorSpec(shape).shape or ()
                for name, shape in (self.shape_invariants or {}).items()
            }
        except (AttributeError, TypeError, ValueError) as error:
            expected = "shape_invariants gives names a shape each, such as {'x': (None, 3)}"
            raise _wrong(expected, self.shape_invariants) from error

    @property
    def is_elementwise(self) -> bool:
        """Whether each element decides for itself."""
        return self.mode == "elementwise"

    @property
    def is_unrolled(self) -> bool:
        """Whether the rounds of the statement are to be known while tracing."""
        return self.mode == "python" or self.unroll is True

    @property
    def rounds(self) -> int:
        """How many rounds stand in one round of the graph's loop."""
        return self.unroll if type(self.unroll) is int else 1

    def what(self, kind: str) -> str:
        """Return what messages call the statement."""
        return f"the {kind} {self.label!r}" if self.label else f"this {kind}"

    def for_branch(self) -> None:
        """Raise ValueError when there are options that only loops have."""
        for name in ("max_iterations", "unroll", "shape_invariants"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"hint({name}=...) is about a loop, and {self.what('branch')} is none; put it "
                    "around the condition of the `while`, or around what the `for` goes over"
                )

    def check_round(self, index: Any) -> None:
        """Raise RuntimeError, now or when the graph runs, in the round that is one too many."""
        if self.max_iterations is None:
            return
        message = (
            f"{self.what('loop')} did not end after {self.max_iterations} rounds, the most that "
            f"hint(max_iterations={self.max_iterations}) allows"
        )
        within = index < self.max_iterations
        if is_staged(within):
            attrs = {"error": "RuntimeError", "message": literal(message)}
            apply(REGISTRY["check"], [within], **attrs)
        elif not within:
            raise RuntimeError(message)

    def refuse_staging(self, kind: str, spec: TensorSpec | str) -> None:
        """Raise StagedBoolError when a statement of the graph is to be one of the trace."""
        if self.is_unrolled:
            given = "mode='python'" if self.mode == "python" else "unroll=True"
            raise StagedBoolError(
                f"{self.what(kind)} has hint({given}), and it depends on {spec}, a value that is "
                "known only when the graph runs. Pass a Python value, or take the hint away"
            )


def _is_count(value: object, least: int) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (is_number and value >= least)  # type: ignore[operator]


def _is_label(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.isprintable() and value != "")


def _wrong(expected: str, found: object) -> ValueError:
    return ValueError(f"hint(): {expected}, not {found!r}")


def _contradiction(first: str, second: str) -> ValueError:
    return ValueError(f"hint(): {first} and {second} contradict each other")


NO_OPTIONS = Options()


class Hinted:
    """A condition, or what a loop goes over, with what is said of its statement."""

    __slots__ = ("options", "value")

    def __init__(self, value: Any, options: Options) -> None:
        self.value = value
        self.options = options


@pruned
def hint(
    value: Any,
    *,
    max_iterations: int | None = None,
    shape_invariants: Mapping[str, Sequence[int | None]] | None = None,
    unroll: bool | int | None = None,
    mode: str | None = None,
    label: str | None = None,
) -> Any:
    """Return `value`, and say how the statement around it is staged.

    In plain Python it does nothing more. In a function that is staged it stands around the whole
    condition of an `if` or `while`, or around the whole of what a `for` goes over:

        while ag.hint(error > 1e-6, max_iterations=100, label="newton"):
        for x in ag.hint(xs, unroll=True):
        if ag.hint(training, mode="python"):

    Args:
        value: the condition, or what the loop goes over.
        max_iterations: how many rounds the loop may have. A staged loop that would begin one more
            raises a RuntimeError: plain Python would go on, and another answer is never given.
        shape_invariants: shapes of variables by name, with None for sizes that change from round
            to round, such as `{"x": (None, 3)}`. They are found without it; with `strict=True`
            they must be declared, and a variable of another shape is always an error.
        unroll: True for a loop of the trace, whose rounds stand one after the other in the graph;
            a number for so many in each round of the graph's loop; False for a loop of the graph,
            even if Python knows what it goes over.
        mode: `"python"` for what must be decided while tracing: an error says so when it cannot be;
            `"staged"` for what becomes part of the graph even if it is known; `"elementwise"` for
            what each element of an array decides for itself, as if the function were called for
            each with numbers, as `np.vectorize` does. See docs/decisions/0018.
        label: the name of the statement in printed graphs and plans, and in its errors.

    Raises:
        ValueError: an option is none of these.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.function
    ... def root(a):
    ...     x = a
    ...     while ag.hint(abs(x * x - a) > 1e-9, max_iterations=3, label="newton"):
    ...         x = (x + a / x) / 2
    ...     return x
    >>> bool(root(np.float64(1.1)) == root.python_function(1.1))
    True
    >>> root(np.float64(1e6))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    RuntimeError: the loop 'newton' did not end after 3 rounds, ...
    """
    Options(max_iterations, unroll, mode, label, shape_invariants)
    return value


def unhinted(value: Any) -> Any:
    """Return a value without what is said of its statement.

    >>> unhinted(Hinted(3, NO_OPTIONS)), unhinted(4)
    (3, 4)
    """
    return value.value if type(value) is Hinted else value


def options_of(value: Any) -> Options:
    """Return what is said of the statement of a condition."""
    return value.options if type(value) is Hinted else NO_OPTIONS


def misplaced(value: Any, **options: Any) -> Any:
    """Stand for `hint` where no statement asks for its value: it would say nothing to anybody."""
    Options(**options)
    if not options:
        return value
    given = ", ".join(f"{name}={x!r}" for name, x in options.items())
    raise StagedValueError(
        f"hint({given}) stands where it says nothing of any branch or loop. Write it around the "
        "whole condition of an `if` or `while`, or around the whole of what a `for` goes over"
    )


class labelled:  # noqa: N801  (it reads as a statement: `with labelled(options, "loop"):`)
    """Begin messages about a statement with its label."""

    def __init__(self, options: Options, kind: str) -> None:
        self._options = options
        self._kind = kind

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._options.label and isinstance(error, RuntimeGraphError):
            error.args = (f"in {self._options.what(self._kind)}: {error}",)
