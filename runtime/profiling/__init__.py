"""What a compiled graph costs: time, bytes and memory of each step, beside what the machine can."""

from typing import TYPE_CHECKING

from runtime.faces import submodules

if TYPE_CHECKING:
    from runtime.profiling import profile as profile

__getattr__ = submodules(__name__)
