"""Graphs of programs are looked at by the verifier: as they are traced, and after each pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.errors import GraphFormatError
from runtime.graph.node import Graph, Node
from runtime.graph.verify import verify
from runtime.lower import compile as lowering


@contextmanager
def valid_graphs() -> Iterator[list[str]]:
    """Verify what is compiled in the `with` block; gives what is wrong with it."""
    optimise, found = lowering.optimise, list[str]()

    def verified(graph: Graph, **options: Any) -> Graph:
        seen, sound = set[Graph](), set[Node]()

        def check(now: Graph) -> None:
            try:
                if now not in seen:
                    verify(now, sound)
            except GraphFormatError as error:
                found.append(str(error))
            seen.add(now)

        check(graph)
        return optimise(graph, check=check, **options)

    lowering.optimise = verified
    try:
        yield found
    finally:
        lowering.optimise = optimise
