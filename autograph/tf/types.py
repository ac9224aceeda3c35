"""`tf.types.experimental`: how classes of users say what a trace depends on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from autograph.tf.absent import Names, missing_from
from autograph.tf.functions import Concrete, Function
from runtime.tensor import TensorLike

__all__ = ["experimental"]


class TraceType(ABC):
    """What a trace depends on, of an argument of a class of the user's: see `tracing protocol`."""

    @abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Tell whether a trace for the other one serves this one, too."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return what serves all of them; None when nothing does. It is not asked here."""

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """A class with a method that says what a trace depends on."""

    def __tf_tracing_type__(self, context: Any) -> Any:
        """Return it: what can be hashed, with a method `is_subtype_of` or not."""


experimental = Names(
    "How classes of users say what a trace depends on, and the classes of functions.",
    ConcreteFunction=Concrete,
    GenericFunction=Function,
    PolymorphicFunction=Function,
    SupportsTracingProtocol=SupportsTracingProtocol,
    TensorLike=TensorLike,
    TraceType=TraceType,
)
__getattr__ = missing_from("autograph.tf.types", globals())
