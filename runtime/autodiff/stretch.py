"""A stretch of the graph that is being built, and going back through it.

What happens in a graph is in its nodes: nothing has to be kept but where the stretch begins, and
from where on what is watched. Going back takes the nodes out and writes them once more, with what
the way back needs (`runtime.autodiff.reverse`); values that were taken out stand for the new ones.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from runtime import default_graph
from runtime.active_tapes import Recorder
from runtime.array_context import OutsideArrays
from runtime.autodiff.cut_out import Anchor, Rewritten
from runtime.autodiff.dependence import NONE, ONE, is_inexact, may_follow, results_of
from runtime.autodiff.record import Seeds
from runtime.autodiff.reverse import Reverse
from runtime.dispatch import apply, as_value, forget, value_of
from runtime.errors import DerivativeError
from runtime.graph.builder import Builder
from runtime.graph.node import Graph, Node, Value
from runtime.ops.movement import assigned, stop_gradient
from runtime.tensor import Symbol, Tensor, is_staged


class Stretch(Recorder):
    """The nodes of a graph that are made while a tape looks on.

    Args:
        builder: of the graph or region.
        accessed: is asked whether a variable that is read is to be watched.
        from_start: whether what was made before belongs to it.
    """

    def __init__(self, builder: Builder, accessed: Any, from_start: bool = False) -> None:
        self._builder = builder
        self._accessed = accessed
        self._start = None if from_start else self._here()
        self._watched: list[tuple[Anchor, Value]] = []
        self._variables: dict[int, tuple[Any, list[Value]]] = {}
        self._symbols: dict[int, tuple[Symbol, Value]] = {}
        self._tensors: dict[int, Symbol] = {}
        self._inside: set[int] = set()
        self._gaps: list[tuple[Anchor, Anchor]] = []
        self._paused: list[Anchor] = []
        self._before: dict[int, Value] = {}

    def _here(self) -> Anchor:
        return self._builder.nodes[-1] if self._builder.nodes else None

    def check_place(self, what: str, instead: str) -> None:
        """Raise DerivativeError if another region is being built than that of the tape."""
        if default_graph.current() is not self._builder:
            raise DerivativeError(
                f"{what} in another staged branch or loop than the one in which the tape was "
                f"begun. {instead}, or begin the tape there"
            )

    def pause(self) -> None:
        """Leave out what is made from now on."""
        self.check_place("the tape is stopped", "Use ag.stop_gradient(x) there")
        self._paused.append(self._here())
        self._before = self._held_now()

    def resume(self) -> None:
        """Leave out no more; what variables were assigned meanwhile counts as what they hold."""
        self._gaps.append((self._paused.pop(), self._here()))
        for key, value in self._held_now().items():
            if value is not self._before.get(key, value):
                self._variables[key][1].append(value)
                self._watched.append((self._start, value))

    def _held_now(self) -> dict[int, Value]:
        """Return what the variables hold that are watched."""
        boxes = ((key, x.box(self._builder)) for key, (x, _) in self._variables.items())
        return {key: self._builder.resolve(value_of(box)) for key, box in boxes}

    def watch_from_start(self, source: Any) -> None:
        """Follow a symbol from where it was made, or a variable from the start on."""
        if isinstance(source, Symbol):
            self._watched.append((self._start, self._value(source)))
        else:
            self._watch_variable(source)

    def watch(self, source: Any) -> None:
        """Follow a symbol, a tensor from outside of the graph, or a variable from now on."""
        self.check_place("tape.watch is called", "Call it before")
        if type(source) is Tensor:
            self._builder.root.context(OutsideArrays).add(source.array)
            symbol = Symbol(self._builder, as_value(self._builder, source))
            source = self._tensors.setdefault(id(source.array), symbol)
        if not isinstance(source, Symbol):
            return self._watch_variable(source)
        if source.known is not None:
            forget(source)
        value = self._builder.resolve(value_of(source))
        self._symbols[id(source)] = (source, value)
        return self._watched.append((self._here(), value))

    def _watch_variable(self, variable: Any) -> None:
        self._variables.setdefault(id(variable), (variable, []))
        with default_graph.building(self._builder):
            self._note(variable, value_of(variable.box(self._builder)))

    def has(self, source: Any) -> bool:
        """Tell whether a symbol or variable is watched, or a symbol follows one that is."""
        source = self._staged(source)
        if not isinstance(source, Symbol):
            return id(source) in self._variables
        followed, _ = self._followed(self._nodes())
        return source.known is None and self._value(source) in followed

    def follows(self, array: Any) -> bool:
        """Tell that no array is followed: they are constants of the graph."""
        return False

    def called(self, inputs: Sequence[Any], results: Sequence[Any], pull: Any) -> None:
        """Take note of nothing: arrays are constants of the graph."""

    def ran(
        self, op: Any, attrs: Mapping[str, Any], operands: Sequence[Any], results: Sequence[Any]
    ) -> None:
        """Take note of nothing: arrays are constants of the graph."""

    def writes(self, array: Any) -> None:
        """Take note of nothing: a graph makes new values."""

    def read(self, variable: Any, value: Any) -> bool:
        """Follow what a variable holds, if that is watched."""
        if isinstance(value, Tensor) or not is_inexact(variable.spec):
            return False
        if id(variable) in self._variables or self._accessed(variable):
            self._variables.setdefault(id(variable), (variable, []))
            self._note(variable, value_of(value))
        return False

    def _note(self, variable: Any, value: Value) -> None:
        """Follow a value that a variable holds: the first one, of which others are made."""
        values = self._variables[id(variable)][1]
        if values:
            return
        if not self._builder.knows(value):
            self._inside.add(id(variable))
            return
        values.append(self._builder.resolve(value))
        self._watched.append((self._start, values[0]))

    def assigned(self, variable: Any, value: Any) -> Any:
        """Return a copy that follows what the variable held first, and not what it is made of."""
        if id(variable) not in self._variables and self._accessed(variable):
            self._watch_variable(variable)
        _, values = self._variables.get(id(variable), (variable, []))
        if values:
            return apply(assigned, (value, Symbol(self._builder, values[0])), ends=True)
        return apply(stop_gradient, (value,)) if is_staged(value) else value

    def _nodes(self) -> list[Node]:
        return self._builder.nodes[self._position(self._start) :]

    def _position(self, anchor: Anchor) -> int:
        """Return how many nodes there are up to one."""
        found = self._builder.context(Rewritten).now(anchor)
        places = (k for k, node in enumerate(self._builder.nodes, 1) if node is found)
        return 0 if found is None else next(places)

    def _followed(self, nodes: Sequence[Node]) -> tuple[set[Value], set[Value]]:
        """Return the values of some nodes that follow what is watched, and what is watched."""
        first = self._position(self._start)
        begun: dict[int, list[Value]] = {}
        for anchor, value in self._watched:
            place = self._position(anchor) - first
            begun.setdefault(place, []).append(self._builder.resolve(value))
        gaps = [(self._position(a) - first, self._position(b) - first) for a, b in self._gaps]
        gaps += [(self._position(a) - first, len(nodes)) for a in self._paused]
        found = set(begun.get(0, ()))
        for k, node in enumerate(nodes):
            if not any(a <= k < b for a, b in gaps):
                rows = results_of(node, [ONE if x in found else NONE for x in node.inputs])
                pairs = zip(node.results, rows, strict=True)
                found.update(x for x, row in pairs if row and may_follow(x.spec))
            found.update(begun.get(k + 1, ()))
        return found, {x for values in begun.values() for x in values}

    def _staged(self, source: Any) -> Any:
        """Return what stands in the graph for a tensor that is watched."""
        return self._tensors.get(id(source.array), source) if type(source) is Tensor else source

    def _value(self, source: Symbol) -> Value:
        with default_graph.building(self._builder):
            return self._builder.resolve(value_of(source))

    def _sources(self, source: Any) -> list[Value]:
        """Return the values whose cotangents make that of a source."""
        source = self._staged(source)
        if isinstance(source, Symbol):
            held, value = self._symbols.get(id(source), (None, None))
            now = self._value(source)
            if held is source and value is not None and self._builder.resolve(value) is not now:
                raise DerivativeError(
                    f"{source!r} was written since it was watched, and the gradient by what it "
                    "held is asked for. Write into a copy: y = x.copy()"
                )
            return [now]
        if id(source) in self._inside:
            raise DerivativeError(
                f"the variable {source.name!r} is assigned in a staged loop or branch that the "
                "tape looks on, and the gradient by it is asked for. Begin the tape in the loop, "
                "or assign the variable after the gradient"
            )
        _, values = self._variables.get(id(source), (source, []))
        return list(map(self._builder.resolve, values))

    def back(self, rows: Sequence[Seeds], sources: Sequence[Any]) -> list[list[Any]]:
        """Go back once for each row; return the cotangents of the sources, None for none.

        Args:
            rows: of each symbols, and their cotangents.
            sources: symbols and variables.
        """
        builder = self._builder
        self.check_place("a gradient is asked for", "Ask for it before or after")
        reverse, followed = self._written_again()
        found = []
        for seeds in rows:
            asked = dict.fromkeys(reverse.results)
            for symbol, g in seeds:
                asked[self._value(symbol)] = as_value(builder, g)
            found.append(self._back(reverse, followed, asked, sources))
        return found

    def _back(
        self,
        reverse: Reverse,
        followed: set[Value],
        asked: Mapping[Value, Value | None],
        sources: Sequence[Any],
    ) -> list[Any]:
        builder = self._builder
        parts = [[x for x in self._sources(one) if x in followed] for one in sources]
        wanted = [x for values in parts for x in values]
        old = {new: x for x, new in reverse.values.items()}
        cotangents = [asked.get(x) for x in reverse.results]
        found = iter(reverse.back_to(cotangents, [old[x] for x in wanted]))
        rows = [[next(found) for _ in values] for values in parts]
        made = [[Symbol(builder, g) for g in row if g is not None] for row in rows]
        return [reduce(operator.add, row) if row else None for row in made]

    def _written_again(self) -> tuple[Reverse, set[Value]]:
        """Write the stretch once more; return what goes back, and what follows in the new one."""
        builder, nodes = self._builder, self._nodes()
        followed, watched = self._followed(nodes)
        inside = [x for node in nodes for x in node.results]
        own = set(inside)
        used = dict.fromkeys(x for node in nodes for x in node.inputs if x not in own)
        outside = [*used, *(x for x in watched if x not in own and x not in used)]
        builder.cut(len(builder.nodes) - len(nodes))
        graph = Graph(tuple(outside), tuple(nodes), (*outside, *inside))
        reverse = Reverse(builder, graph, outside, (), varied=followed)
        for old in inside:
            builder.stand_for(old, reverse.values[old])
        again = builder.context(Rewritten).nodes
        again.update((id(a), (a, b)) for a, b in zip(nodes, reverse.last, strict=True))
        return reverse, {reverse.values[x] for x in followed}
