"""Arrays of which a branch or a loop leaves one of several, as those arrays themselves.

A join makes an array of what several hold. Nobody can tell, unless one of them is written while
another one lives (`AliasError`). Then the function is traced again, and joins are *selections*: in
the state of a branch or a loop an array from outside is a `Reference`, one that was made inside is
its value, a view is a `Part`, and a variable that may be several is a `Choice` between those. The
program sees a symbol that is read and written through the one that it is: `Symbol.selected`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from autograph.staging import references
from autograph.staging.context import trace_now
from autograph.staging.copies import Values, holds_for_tracing
from autograph.staging.references import resolved
from autograph.staging.region import State
from autograph.staging.text_join import renumbered
from runtime import default_graph, trees
from runtime.aliasing import places_of, share
from runtime.dispatch import apply, value_of
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.selected import arrays_in, not_read_yet, selection
from runtime.spec import join_specs
from runtime.tensor import Symbol, View, is_staged
from runtime.tree_classes import register_tree
from runtime.union import Choice, Option, Reference, leaf_spec, option_of, values_of

SELECTED = "arrays that are joined stay what they are"
"""What is tried where it matters which of several arrays one is."""


@holds_for_tracing
class Part:
    """A view that was taken in an arm or a round, as a part of the state.

    Args:
        view: how it was taken; its base and operands are those of the arm.
        base: the array that it is a view of, as a part of the state.
        others: its operands.
    """

    __slots__ = ("base", "others", "view")

    def __init__(self, view: View, base: Any, others: Sequence[Any]) -> None:
        self.view, self.base, self.others = view, base, tuple(others)

    @property
    def kind(self) -> Any:
        """What views have in common that differ in base and operands only."""
        return _Kind(self.view)

    def symbol(self) -> Symbol:
        """Return the view."""
        base, builder = closed(self.base), default_graph.current()
        assert builder is not None
        view = self.view._replace(base=base, others=self.others)
        specs = [base.spec, *map(leaf_spec, self.others)]
        rule: Any = view.op.spec(*specs, **view.attrs)
        return not_read_yet(Symbol(builder, None, view=view), builder.named(rule))


class _Kind:
    """How a view was taken: equal to another one that was taken in the same way."""

    __slots__ = ("key", "view")

    def __init__(self, view: View) -> None:
        self.view = view
        self.key = view.op.name, repr(sorted(view.attrs.items())), view.writable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


register_tree(
    Part,
    lambda x: ((x.base, *x.others), x.kind),
    lambda kind, parts: Part(kind.view, parts[0], parts[1:]),
)


def selecting(state: State) -> State:
    """Return a state of which arrays are parts as what they are, where that matters."""
    builder = default_graph.current()
    return state if builder is None or not is_selecting() else _Selecting(state, builder)


def is_selecting() -> bool:
    """Tell whether arrays that are joined stay what they are."""
    trace = trace_now()
    return trace is not None and SELECTED in trace.tries


class _Selecting:
    """A state that is read with arrays as parts of it, and written with symbols.

    Args:
        state: where the variables are.
        builder: of the graph around the statement.
    """

    def __init__(self, state: State, builder: Builder) -> None:
        self._state = state
        self._builder = builder
        self._known: dict[int, Reference] = {}

    @property
    def names(self) -> Sequence[str]:
        return self._state.names

    @property
    def optional(self) -> Sequence[bool]:
        return self._state.optional

    def explain(self, name: str, reason: str) -> None:
        self._state.explain(name, reason)

    def grow(self, before: Values | None) -> None:
        self._state.grow(before)

    def read(self) -> Values:
        return Values(map(self._opened, self._state.read()))

    def write(self, values: Sequence[Any]) -> None:
        self._state.write(Values(map(closed, values)))

    def returned(self, value: Any) -> Any:
        """Return what an arm returned."""
        return self._opened(references.referred(self._state, value))

    def _opened(self, value: Any) -> Any:
        """Return an array as a part of the state; anything else as it is."""
        builder = default_graph.current()
        if not _is_array(value) or builder is None:
            return value
        which, terms = self._alternatives(value)
        alike: dict[Option, list[tuple[int, Sequence[Any]]]] = {}
        for k, term in enumerate(terms):
            option, leaves = option_of(term)
            alike.setdefault(option, []).append((k, leaves))
        rows = [row for found in alike.values() if (row := _merged(which, found)) is not None]
        if len(rows) < len(alike):
            return value
        options = list(alike)
        if len(options) == 1:
            return _term(options[0], rows[0])
        taken = {k: number for number, found in enumerate(alike.values()) for k, _ in found}
        numbers = [taken[k] for k in range(len(terms))]
        return Choice(renumbered(which, numbers, builder), options, rows)

    def _alternatives(self, symbol: Symbol) -> tuple[Any, list[Any]]:
        """Return the parts of a state that an array may be, and the number of the one it is."""
        if symbol.builder.encloses(self._builder):
            return 0, [self._known.setdefault(id(symbol), Reference(symbol))]
        if symbol.view_of is not None:
            view = symbol.view_of
            which, terms = self._alternatives(view.base)
            others = list(map(pythons_number, view.others))
            return which, [Part(view, term, others) for term in terms]
        if symbol.selected is None:
            return 0, [symbol]
        found = [self._alternatives(x) for x in arrays_in(symbol.selected)]
        which, terms = 0, list[Any]()
        for k, (inner, some) in enumerate(found):
            number = apply(REGISTRY["add"], [inner, len(terms)]) if terms else inner
            which = _where(symbol.selected._which, k, number, which) if terms else number
            terms += some
        return which, terms


def pythons_number(operand: Any) -> Any:
    """Return a number as Python's: a view is the same, whatever class an index of it has."""
    if not is_staged(operand) or operand.spec.shape != ():
        return operand
    if not operand.spec.weak:
        return apply(REGISTRY["item"], [operand])
    builder = operand.builder_now()
    return operand if operand.union is None else Symbol(builder, value_of(operand))


def _where(which: Any, number: int, one: Any, other: Any) -> Any:
    """Return one of two numbers, the first one where a number is `number`."""
    test = apply(REGISTRY["equal"], [which, number])
    return apply(REGISTRY["where"], [test, one, other])


def _merged(which: Any, found: Sequence[tuple[int, Sequence[Any]]]) -> Sequence[Any] | None:
    """Return the leaves of the one that is chosen; None where they have several shapes."""
    (_, first), *others = found
    leaves = list(first)
    for k, row in others:
        for place, leaf in enumerate(row):
            if leaf is leaves[place]:
                continue
            if leaf_spec(leaf) != leaf_spec(leaves[place]):
                return None
            before = leaves[place]
            leaves[place] = _where(which, k, leaf, before)
            share(leaves[place], [places_of(leaf), places_of(before)])
    return leaves


def _term(option: Option, leaves: Sequence[Any]) -> Any:
    known = {k: leaf.value for k, leaf in option.known}
    rest = iter(leaves)
    count = option.structure.count
    filled = [known[k] if k in known else next(rest) for k in range(count)]
    return trees.unflatten(option.structure, filled)


def _is_array(value: Any) -> bool:
    if type(value) is not Symbol or value.valid is not None or value.variable is not None:
        return False
    return bool(value.spec.rank) and not value.is_varying


def referred(state: State, returned: Any) -> Any:
    """Return what an arm returned, as the state has it."""
    if isinstance(state, _Selecting):
        return state.returned(returned)
    return references.referred(state, returned)


def received(state: State, returned: Any) -> Any:
    """Return what arms returned, joined, as the program sees it."""
    inner = state._state if isinstance(state, _Selecting) else state
    return closed(references.received(inner, returned))


def closed(value: Any) -> Any:
    """Return a part of a state as the program sees it."""
    if type(value) is Part:
        return value.symbol()
    if type(value) is not Choice:
        return resolved(value)
    options = list(map(closed, values_of(value)))
    if not all(map(_is_array, options)):
        return _with_symbols(value, options)
    specs = [x.spec for x in options]
    spec = reduce(lambda a, b: None if a is None else join_specs(a, b), specs)
    if spec is None or any(x.dtype != spec.dtype or x.rank != spec.rank for x in specs):
        return _with_symbols(value, options)
    if type(value._which) is int:
        return options[value._which]
    builder = default_graph.current()
    assert builder is not None
    return selection(builder, value._which, options, spec)


def _with_symbols(choice: Choice, values: Sequence[Any]) -> Any:
    """Return a choice with views in the places of the parts of the state that they are."""
    if not any(type(x) is Part for x in values_of(choice)):
        return resolved(choice)
    pairs = zip(choice._options, choice._leaves, values_of(choice), values, strict=True)
    rows = [
        option_of(Reference(value)) if type(before) is Part else (option, leaves)
        for option, leaves, before, value in pairs
    ]
    options, leaves = zip(*rows, strict=True)
    return Choice(choice._which, options, leaves)


def is_term(value: Any) -> bool:
    """Tell whether a value is an array as a part of a state."""
    if type(value) is Choice:
        return all(map(is_term, values_of(value)))
    held = value.target if type(value) is Reference else value
    return type(held) is Part or isinstance(held, np.ndarray) or _is_array(held)
