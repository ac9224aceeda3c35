"""What users may ask of a staged function: its graphs, programs and kernels.

Comes in: arguments or specs. Goes out: texts for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from autograph.function.arguments import Text
from autograph.function.concrete import ConcreteFunction
from autograph.function.parameters import Parameters
from autograph.function.retraces import History, Retraces
from runtime.lower.tracebacks import pruned

if TYPE_CHECKING:
    from runtime.profiling.profile import Profile


class Traced(Protocol):
    """What has traces."""

    @property
    def concrete_functions(self: Traced) -> list[ConcreteFunction]: ...

    @property
    def _history(self: Traced) -> History: ...

    @property
    def _signature(self: Traced) -> Parameters: ...

    def _find(self, args: Any, kwargs: Any) -> tuple[ConcreteFunction, Sequence[Any]]: ...

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

    def explain_retraces(self: Traced) -> Retraces:
        """Tell for each trace what differed from the nearest earlier one, and what to write.

        >>> import autograph as ag
        >>> power = ag.function(lambda x, n: x**n)
        >>> power(np.float64(2.0), 2), power(np.float64(2.0), 3)
        (np.float64(4.0), np.float64(8.0))
        >>> power.explain_retraces().traces[1].differences[0].name
        'n'
        """
        return self._history.told

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

    @pruned
    def profile(self: Traced, *args: Any, **kwargs: Any) -> Profile:
        """Run the function some times, and return the time, bytes and memory of each of its steps.

        What is returned prints as a table, and writes a file for trace viewers (`write_trace`).
        Arguments and variables stay as they are; what is printed is printed in each run.

        Raises:
            TypeError: a `TensorSpec` was given; a run needs arrays.
            BackendError: the arrays are on a GPU.
        """
        concrete, arrays = self._find(*self._signature.bind_values("profile", args, kwargs))
        return concrete.profile(arrays)
