"""A function and its staged form, run side by side."""

from autograph.comparing.compare import compare
from autograph.comparing.report import Comparison, Difference, DifferenceError

__all__ = ["Comparison", "Difference", "DifferenceError", "compare"]
