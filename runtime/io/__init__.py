"""What leaves the process and comes back: programs."""

from typing import TYPE_CHECKING

from runtime.faces import submodules

if TYPE_CHECKING:
    from runtime.io import program as program
    from runtime.io import program_text as program_text

__getattr__ = submodules(__name__)
