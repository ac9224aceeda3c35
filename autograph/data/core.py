"""What every dataset is: a value of stages or of the graph, its element spec, and its loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from autograph.operators.iteration.dataset_items import Elements as Streamed
from runtime import default_graph, trees
from runtime.data.element import Spec, show
from runtime.data.stage import INFINITE, Begun, Length, Stage
from runtime.dispatch import apply
from runtime.errors import StagedValueError
from runtime.ops.effects import Called
from runtime.ops.streams import dataset as dataset_op
from runtime.spec import TensorSpec
from runtime.tensor import Symbol, is_staged

Self = TypeVar("Self", bound="Described")


class Described:
    """A dataset without what makes one of others.

    Args:
        source: its last stage; while a function is traced, a value of the graph.
        spec: of its elements.
    """

    __slots__ = ("__weakref__", "_source", "_spec")

    def __init__(self, source: Stage | Symbol, spec: Spec) -> None:
        self._source = source
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        """What its elements are: a tree of `TensorSpec`s.

        >>> from autograph.data import Dataset
        >>> Dataset.from_tensors({"n": 3}).element_spec["n"].dtype
        dtype('int64')
        """
        return self._spec

    @classmethod
    def _made(
        cls: type[Self], make: Callable[..., Stage], spec: Spec, *inputs: Any, **options: Any
    ) -> Self:
        """Return what a class makes of stages and values, now or when the graph runs."""
        given = [x._source if isinstance(x, Described) else x for x in inputs]
        if any(map(is_staged, given)):
            return cls(_declared(make, given, options), spec)
        stage = make(*given, **options)
        stage.declared = make, given, options
        return cls(stage, spec)

    def __iter__(self) -> Elements:
        if default_graph.current() is not None:
            return Elements(_declared(Begun, [self._source], {}), self._spec)
        return Elements(Begun(self._stage("a loop")), self._spec)

    def __staged_iteration__(self) -> Streamed:
        return elements_of(self._source, self._spec)

    def __len__(self) -> int:
        found = self._length()
        if found is None or found == INFINITE:
            reason = "has no end" if found == INFINITE else "is not known without going over it"
            raise TypeError(f"the length of a dataset that {reason}" if found else _NO_LENGTH)
        return int(found)

    def __length_hint__(self) -> int:
        found = self._length()
        if found == INFINITE:
            raise ValueError(
                "the dataset has no end, so no list can hold its elements; write "
                "dataset.take(count) for the first of them"
            )
        return int(found or 0)

    def __bool__(self) -> bool:
        return True

    def _length(self) -> Length:
        return self._source.length() if isinstance(self._source, Stage) else None

    def _stage(self, what: str) -> Stage:
        """Return its last stage; StagedValueError when it is an argument that is traced."""
        if isinstance(self._source, Stage):
            return self._source
        raise StagedValueError(
            f"{what} of a dataset that is an argument of a staged function, or depends on one: its "
            "elements are known only when the graph runs. Do it where the function is called"
        )

    def __repr__(self) -> str:
        found = self._length()
        count = "without an end" if found == INFINITE else f"{found} elements"
        known = "" if found is None else f", {count}"
        return f"<Dataset of {show(self._spec)}{known}>"


class Elements(Iterator[Any]):
    """What `iter(dataset)` is: gives each element once, in Python and in staged functions.

    Args:
        source: what is left; while a function is traced, a value of the graph.
        spec: of the elements.
    """

    __slots__ = ("__weakref__", "_source", "_spec")

    def __init__(self, source: Begun | Symbol, spec: Spec) -> None:
        self._source = source
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        """What its elements are: a tree of `TensorSpec`s."""
        return self._spec

    def __next__(self) -> Any:
        if default_graph.current() is not None:
            raise StagedValueError(
                "the elements of a dataset were asked for while tracing, where Python would use "
                "them up once for all calls. Write a `for` loop over the dataset in the staged "
                "function itself, or dataset.reduce(start, function)"
            )
        assert isinstance(self._source, Begun)
        return next(self._source)

    def __staged_iteration__(self) -> Streamed:
        return elements_of(self._source, self._spec)


def elements_of(source: Any, spec: Spec) -> Streamed:
    """Return how a staged loop goes over a stage, or a value of the graph that is one."""
    return Streamed(lambda: as_symbol(source), spec)


_NO_LENGTH = (
    "the length of this dataset is known only when it was gone over; count its elements, with "
    "sum(1 for _ in dataset)"
)


def as_symbol(source: Any) -> Any:
    """Return a dataset as a value of the graph."""
    if not isinstance(source, Stage):
        return source
    declared = source.declaration()
    if declared is not None:
        return _declared(*declared)
    return apply(
        dataset_op, [], make=Called(lambda: source, name=f"the dataset {type(source).__name__}")
    )


def _declared(make: Callable[..., Stage], given: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return the dataset that a class makes when the graph runs.

    Args:
        make: the class, or a function.
        given: stages and numbers.
        options: by name; functions are referred to.
    """
    named = ((k, Called(x) if callable(x) else x) for k, x in options.items())
    return apply(dataset_op, [*map(as_symbol, given)], make=Called(make), options=tuple(named))


def checked_spec(spec: Any) -> Spec:
    """Return an element spec that a user gives; TypeError when it is none."""
    for leaf in trees.flatten(spec)[0]:
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"element_spec is a TensorSpec or a tree of them, and it holds {leaf!r}; write "
                "TensorSpec(shape, dtype)"
            )
    return spec


def whole(number: Any, what: str, least: int | None) -> int:
    """Return a whole number; TypeError or ValueError when it is none, or too small."""
    if is_staged(number) or not hasattr(number, "__index__") or isinstance(number, bool):
        found = number.spec if is_staged(number) else repr(number)
        raise TypeError(f"{what} must be a whole number that is known now, not {found}")
    value = int(number)
    if least is not None and value < least:
        raise ValueError(f"{what} must be at least {least}, not {value}")
    return value
