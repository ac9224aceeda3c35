"""What stands in the object of a staged container: code that was not converted meets it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from autograph.staging.placeholders import Placeholder
from runtime import trees
from runtime.errors import StagedValueError
from runtime.graph.builder import Builder
from runtime.tensor import Symbol

if TYPE_CHECKING:
    from autograph.operators.containers.staged_containers import StagedList


class Marker(Placeholder):
    """What the object of a staged list holds."""

    __slots__ = ("staged",)

    def __init__(self, staged: StagedList) -> None:
        self.staged = staged

    def is_known(self, container: Any, builder: Builder) -> bool:
        if container is not self.staged.python:  # a copy, by Python
            return False
        leaves = trees.flatten(self.staged.kept)[0]
        return all(x.builder.encloses(builder) for x in leaves if type(x) is Symbol)


def refuse_question(marker: Marker, *args: Any, **kwargs: Any) -> Any:
    """Raise StagedValueError for what code that was not converted asks a container."""
    raise StagedValueError(
        f"the items of the {marker.staged.what} are known only when the graph runs, since staged "
        "branches or loops change it, and code that was not converted asked for them. Pass "
        "np.array of a list, or write a loop over it in the staged function"
    )


_QUESTIONS = """
    add and array bool call complex contains copy deepcopy delitem divmod enter eq float floordiv
    format ge getitem gt iadd iand ilshift imod imul index int invert ior ipow irshift isub
    iter itruediv ixor le len lshift lt matmul mod mul ne neg next or pos pow radd rand rdivmod
    reduce_ex repr reversed rfloordiv rlshift rmod rmul ror round rpow rrshift rshift rsub rtruediv
    rxor setitem str sub truediv xor
"""
for _question in _QUESTIONS.split():
    setattr(Marker, f"__{_question}__", refuse_question)


def _hash(marker: Marker) -> int:
    """Return the hash that sets and dicts keep a marker by; a list is never asked for any."""
    if type(marker.staged.python) in (list, deque):
        refuse_question(marker)
    return object.__hash__(marker)


Marker.__hash__ = _hash  # type: ignore[assignment, method-assign]
