"""Kernels: loop nests of scalar arithmetic, and the machine code that is made of them.

`kernel` and `maps` are the languages: of loops over numbers, and of work on whole arrays. `scalar`
says what operators mean in them. `loops`, `arrays` and `products` write LLVM text, `entry` what is
around it, and `load` and `jit` make functions that Python calls.
"""

from typing import TYPE_CHECKING

from runtime.faces import submodules

if TYPE_CHECKING:
    from runtime.kernels import calls as calls
    from runtime.kernels import jit as jit
    from runtime.kernels import load as load

__getattr__ = submodules(__name__)
