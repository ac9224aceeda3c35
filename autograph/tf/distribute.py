"""`tf.distribute`: strategies of one replica, which is what there is here.

Programs that are written for several replicas run with one: what is per replica is the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any

import autograph.operators as operators
from autograph.tf import reductions
from autograph.tf.absent import missing_from
from autograph.tf.tensors import as_result

__all__ = [
    "HierarchicalCopyAllReduce",
    "InputContext",
    "MirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "Strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]


class ReduceOp(Enum):
    """How values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"


class InputContext:
    """What a function that makes a dataset for a replica is given."""

    num_input_pipelines = num_replicas_in_sync = 1
    input_pipeline_id = 0

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Return the size of the batches of a replica."""
        return global_batch_size


class ReplicaContext:
    """What a function that runs in a replica can ask: it is the only one."""

    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Return what the values of all replicas become."""
        _op(reduce_op)
        return value

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Return the values of all replicas, one after the other."""
        return value

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Call a function with a strategy and the values of all replicas."""
        return as_result(operators.call(merge_fn, self.strategy, *args, **(kwargs or {})))


class Strategy:
    """Where a model is trained: on one device, in one replica.

    >>> from autograph import tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> total = strategy.run(lambda x: x + 1, args=(tf.constant(2),))
    >>> strategy.reduce(tf.distribute.ReduceOp.SUM, total, axis=None).numpy()
    np.int32(3)
    """

    num_replicas_in_sync = 1

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """Make it the current strategy in a `with` block."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Return what a function gives in each replica."""
        token = _CURRENT.set(self), _IN_REPLICA.set(True)
        try:
            return as_result(operators.call(fn, *args, **(kwargs or {})))
        finally:
            _CURRENT.reset(token[0])
            _IN_REPLICA.reset(token[1])

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """Return what the values of all replicas become, also along an axis if one is given."""
        kind = _op(reduce_op)
        if axis is None:
            return value
        reduced = reductions.reduce_sum if kind is ReduceOp.SUM else reductions.reduce_mean
        return reduced(value, axis=axis)

    def gather(self, value: Any, axis: int) -> Any:
        """Return the values of all replicas, one after the other."""
        return value

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Return the dataset of the replica: all of it."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """Return the dataset that a function makes for the replica."""
        return dataset_fn(InputContext())

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Return the values of all replicas."""
        return (value,)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[Any], Any]) -> Any:
        """Return what a function gives for each replica."""
        return value_fn(ReplicaContext(self))


class MirroredStrategy(Strategy):
    """One replica, where TensorFlow has one for each device.

    Args:
        devices: at most one.
        cross_device_ops: how replicas would exchange values, without an effect.

    Raises:
        NotImplementedError: there are several devices.
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        if devices is not None and len(devices) > 1:
            raise NotImplementedError(
                f"{len(devices)} devices were given, and there is one replica here, on one device; "
                "give one, or none"
            )


class OneDeviceStrategy(Strategy):
    """One replica on one device.

    Args:
        device: its name, without an effect.
    """

    def __init__(self, device: str) -> None:
        self.device = device


class _Exchange:
    """How replicas would exchange values: there is one."""

    def __init__(self, *options: Any, **others: Any) -> None: ...


class HierarchicalCopyAllReduce(_Exchange):
    """A way to exchange values, without an effect."""


class NcclAllReduce(_Exchange):
    """A way to exchange values, without an effect."""


class ReductionToOneDevice(_Exchange):
    """A way to exchange values, without an effect."""


_DEFAULT = Strategy()
_CURRENT: ContextVar[Strategy] = ContextVar("strategy", default=_DEFAULT)
_IN_REPLICA: ContextVar[bool] = ContextVar("in_replica", default=False)


def _op(reduce_op: Any) -> ReduceOp:
    return reduce_op if isinstance(reduce_op, ReduceOp) else ReduceOp(str(reduce_op).upper())


def get_strategy() -> Strategy:
    """Return the current strategy: outside of all scopes one that does nothing."""
    return _CURRENT.get()


def has_strategy() -> bool:
    """Tell whether there is a strategy whose scope this is."""
    return _CURRENT.get() is not _DEFAULT


def in_cross_replica_context() -> bool:
    """Tell whether this is the scope of a strategy, and no replica of it."""
    return has_strategy() and not _IN_REPLICA.get()


def get_replica_context() -> ReplicaContext | None:
    """Return what a replica can ask; None in the scope of a strategy, where there is no replica."""
    return None if in_cross_replica_context() else ReplicaContext(_CURRENT.get())


INSTEAD = dict.fromkeys(
    ("MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "experimental"),
    "there is one replica, on one device: MirroredStrategy() or OneDeviceStrategy(device)",
)
"""What to do without the strategies that are absent."""
__getattr__ = missing_from("autograph.tf.distribute", globals(), INSTEAD)
