"""Holds array graphs and runs them; knows nothing of Python source."""

from runtime import methods as methods  # they give tensors their operators
from runtime import protocols as protocols  # and these let NumPy's functions see them
from runtime.numpy import opaque_calls as opaque_calls  # those of what no spec describes
