"""Datasets in graphs: a value that is one, and the elements that a loop pulls from it.

A dataset is made by `dataset`, or is a parameter of the graph; `stream_open` begins to go over it,
`stream_advance` asks for the next element, and `stream_item` gives that. All have the effect
`"dataset"`: they keep their order, and are neither merged nor dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime import trees
from runtime.dtypes import OBJECT, is_string
from runtime.errors import DtypeError
from runtime.graph.lexer import Words
from runtime.graph.opdef import op
from runtime.graph.traits import raises
from runtime.ops.effects import called
from runtime.ops.families import FACTS
from runtime.spec import WEAK_SPECS, TensorSpec, make_spec

DATASET = make_spec(OBJECT, ())
"""The spec of a dataset, and of a stream that goes over one."""


class Stream:
    """A place in a dataset: what it gave last, and what it will give.

    Args:
        source: gives the elements.
    """

    __slots__ = ("_items", "_leaves")

    def __init__(self, source: Iterable[Any]) -> None:
        self._items: Iterator[Any] = iter(source)
        self._leaves: tuple[Any, ...] = ()

    def advance(self) -> bool:
        """Go to the next element; tell whether there is one."""
        for item in self._items:
            self._leaves = trees.flatten(item)[0]
            return True
        self._leaves = ()
        return False

    def rounds(self) -> Iterator[int]:
        """Go to one element after the other; yield their numbers."""
        number = 0
        while self.advance():
            yield number
            number += 1

    @property
    def leaves(self) -> tuple[Any, ...]:
        """The leaves of the element at this place."""
        return self._leaves


def _need_dataset(spec: TensorSpec) -> None:
    if spec != DATASET:
        raise DtypeError(f"a dataset is needed here, not {spec}")


def _dataset_spec(*inputs: TensorSpec, make: Any, options: Sequence[tuple[str, Any]]) -> TensorSpec:
    return DATASET


def _dataset_kernel(xp: Any, *inputs: Any, make: Any, options: Sequence[tuple[str, Any]]) -> Any:
    return called(make)(*inputs, **{name: called(x) for name, x in options})


dataset = op(
    "dataset(*inputs, make, options=())",
    doc="""The dataset that `make` returns: a class of stages, or a function of the user's process.

    It is given the inputs, and the options by their names.""",
    spec=_dataset_spec,
    kernel=_dataset_kernel,
    samples=None,
    effect="dataset",
    family=FACTS,
    raises=raises("Exception"),
)


def _open_spec(source: TensorSpec) -> TensorSpec:
    _need_dataset(source)
    return DATASET


stream_open = op(
    "stream_open(source)",
    doc="Begin to go over a dataset.",
    spec=_open_spec,
    kernel=lambda xp, source: Stream(source),
    samples=None,
    effect="dataset",
    family=FACTS,
    raises=raises("Exception"),
)


def _advance_spec(stream: TensorSpec) -> TensorSpec:
    _need_dataset(stream)
    return WEAK_SPECS[bool]


stream_advance = op(
    "stream_advance(stream)",
    doc="Go to the next element of a stream; tell whether there is one.",
    spec=_advance_spec,
    kernel=lambda xp, stream: stream.advance(),
    samples=None,
    effect="dataset",
    family=FACTS,
    raises=raises("Exception"),
)


def _item_spec(stream: TensorSpec, specs: tuple[str, ...]) -> tuple[TensorSpec, ...]:
    _need_dataset(stream)
    return tuple(Words(text).spec() for text in specs)


def _item_kernel(xp: Any, stream: Stream, specs: tuple[str, ...]) -> tuple[Any, ...]:
    if xp is np:
        return stream.leaves
    return tuple(map(partial(_on_device, xp), stream.leaves))


def _on_device(xp: Any, leaf: Any) -> Any:
    return leaf if isinstance(leaf, str) or is_string(leaf.dtype) else xp.asarray(leaf)


stream_item = op(
    "stream_item(stream, /, *, specs)",
    doc="The leaves of the element at which a stream is; `specs` are the texts of their specs.",
    spec=_item_spec,
    kernel=_item_kernel,
    samples=None,
    effect="dataset",
    multiple=True,
    family=FACTS,
    raises=raises("Exception"),
)
