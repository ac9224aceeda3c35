"""`tf.config`: the eager switch, and devices."""

from __future__ import annotations

from typing import NamedTuple

from autograph.function.eager import functions_run_eagerly, run_functions_eagerly
from autograph.tf.absent import missing_from
from runtime.kernels.threads import set_threads

__all__ = [
    "PhysicalDevice",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
    "threading",
]
experimental_run_functions_eagerly = run_functions_eagerly


class PhysicalDevice(NamedTuple):
    """A device."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the CPU: arrays of CuPy are on a GPU by themselves."""
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    return [one for one in found if device_type in (None, one.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return what `list_physical_devices` does."""
    found = list_physical_devices(device_type)
    return [one._replace(name=one.name.replace("physical_", "")) for one in found]


def set_soft_device_placement(enabled: bool) -> None:
    """Do nothing: functions run where their arrays are."""


class _Threads:
    """How many threads work on one array."""

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """Set how many threads work on one array; 0 is for as many as there are cores."""
        set_threads(num_threads or None)

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Do nothing: operations follow one another."""


threading = _Threads()

__getattr__ = missing_from("autograph.tf.config", globals())
