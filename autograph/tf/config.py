"""`tf.config`: the eager switch, and devices."""

from __future__ import annotations

from typing import NamedTuple

from autograph.function.eager import functions_run_eagerly, run_functions_eagerly
from autograph.tf.absent import missing_from

__all__ = [
    "PhysicalDevice",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "list_physical_devices",
    "run_functions_eagerly",
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


__getattr__ = missing_from("autograph.tf.config", globals())
