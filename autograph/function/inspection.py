"""What users may ask of a staged function: its graphs, programs and kernels.

Comes in: arguments or specs. Goes out: texts for people.
"""

from __future__ import annotations

from typing import Any, Protocol

from autograph.function.arguments import Text
from autograph.function.concrete import ConcreteFunction
from runtime.lower.tracebacks import pruned


class Traced(Protocol):
    """What has traces."""

    @property
    def concrete_functions(self: Traced) -> list[ConcreteFunction]: ...

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments."""


class Inspected:
    """A function of which texts tell; the class of staged functions is made of this."""

    __slots__ = ()

    def pretty_printed_concrete_signatures(self: Traced) -> Text:
        """Return a text of what each trace takes and returns, with empty lines between them.

        >>> import autograph as ag
        >>> double = ag.function(lambda x: x * 2)
        >>> double(np.ones(3)).sum()
        np.float64(6.0)
        >>> double.pretty_printed_concrete_signatures()
        <lambda>(x)
          Args:
            x: float64 Tensor, shape=(3,)
          Returns:
            float64 Tensor, shape=(3,)
        """
        return Text("\n\n".join(x.pretty_printed_signature for x in self.concrete_functions))

    @pruned
    def graph(self: Traced, *args: Any, **kwargs: Any) -> Text:
        """Return the text of the optimised graph for the given arguments or specs."""
        return self.get_concrete_function(*args, **kwargs).graph

    @pruned
    def passes(self: Traced, *args: Any, **kwargs: Any) -> Text:
        """Return what each pass did to the graph, and what it left as it is and why."""
        return self.get_concrete_function(*args, **kwargs).passes

    @pruned
    def plan(self: Traced, *args: Any, **kwargs: Any) -> Text:
        """Return the text of the program that runs for the given arguments or specs."""
        return self.get_concrete_function(*args, **kwargs).plan

    @pruned
    def kernels(self: Traced, *args: Any, **kwargs: Any) -> Text:
        """Return the text of what is machine code, in three languages, and of what is not."""
        return self.get_concrete_function(*args, **kwargs).kernels
