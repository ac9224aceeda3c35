"""NumPy's functions, staged: the namespace of `runtime.numpy` under this package's name."""

from runtime.lower.tracebacks import export
from runtime.numpy import *  # noqa: F403
from runtime.numpy import __all__ as __all__  # noqa: PLC0414  (re-exported for type checkers)

export(__name__)
export("runtime.numpy.linalg")
