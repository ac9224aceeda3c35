"""What calls in a graph may name: what is public in NumPy, SciPy and `operator`.

Comes in: a path, which may come from a file. Goes out: what it names, or a GraphFormatError: for
what reads or writes files, what runs what it is given, and what only lies in a module of theirs.
"""

from __future__ import annotations

import importlib
import operator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from runtime.errors import GraphFormatError

FILES = frozenset(
    [
        "DataSource", "NpzFile", "dump", "fromfile", "fromregex", "genfromtxt", "load",
        "load_npz", "loadtxt", "memmap", "open_memmap", "read_array", "save", "save_npz", "savetxt",
        "savez", "savez_compressed", "setflags", "test", "tofile", "write_array",
    ]
)  # fmt: skip
"""What reads or writes files, or changes more than its arguments: no graph does that by name."""

READERS = frozenset(["fromfile", "fromregex", "genfromtxt", "load", "loadtxt"])
"""What reads a file, which the program names, not the graph: it is read when the graph runs."""

DOERS = frozenset(
    [
        "dump", "info", "save", "savetxt", "savez", "savez_compressed", "show_config",
        "show_runtime", "tofile", "write_array",
    ]
)  # fmt: skip
"""What writes files or prints, and gives nothing: that it does when the graph runs, untried."""

OPERATORS = frozenset(
    name
    for name in operator.__all__
    if name not in ("attrgetter", "itemgetter", "methodcaller", "call")
)
"""What calls may name of the module `operator`."""

NUMPY = (
    "", "char", "emath", "fft", "lib", "lib.array_utils", "lib.format", "lib.mixins",
    "lib.npyio", "lib.scimath", "lib.stride_tricks", "linalg", "ma", "polynomial",
    "polynomial.chebyshev", "polynomial.hermite", "polynomial.hermite_e", "polynomial.laguerre",
    "polynomial.legendre", "polynomial.polynomial", "polynomial.polyutils", "random", "rec",
    "strings",
)  # fmt: skip
"""NumPy's public modules; where a function has several paths, the shortest is its name."""

SCIPY = (
    "cluster.hierarchy", "cluster.vq", "constants", "differentiate", "fft", "fftpack", "integrate",
    "interpolate", "linalg", "linalg.blas", "linalg.interpolative", "linalg.lapack", "ndimage",
    "optimize", "signal", "signal.windows", "sparse", "sparse.csgraph", "sparse.linalg", "spatial",
    "spatial.distance", "spatial.transform", "special", "stats", "stats.contingency",
    "stats.mstats", "stats.qmc",
)  # fmt: skip
"""The public modules of SciPy that compute."""

LIBRARIES = ("scipy", "sklearn")
"""Libraries that are called when the graph runs; a graph in a file names nothing of the second."""

ROOTS = frozenset(["numpy", "scipy", "operator"])
"""What paths begin with."""
_MODULES = {"numpy": NUMPY, "scipy": SCIPY}


def is_of_numpy(value: Any) -> bool:
    """Tell whether a function, a type or an object is one of NumPy's own.

    >>> is_of_numpy(np.fft.fft), is_of_numpy(np.float64), is_of_numpy(len)
    (True, True, False)
    """
    return _is_of("numpy", value)


def is_of_library(value: Any) -> bool:
    """Tell whether a function, a type or an object is one of SciPy's or of scikit-learn's."""
    return any(_is_of(root, value) for root in LIBRARIES)


def _is_of(root: str, value: Any) -> bool:
    if type(value).__name__ == "fortran":  # what f2py makes has no module, and is SciPy's
        return root == "scipy"
    if isinstance(value, FunctionType):  # one that is made with `wraps` says another's module
        module = value.__globals__.get("__name__")
    elif "__wrapped__" in getattr(value, "__dict__", ()):
        module = type(value).__module__
    else:
        module = getattr(value, "__module__", None) or type(value).__module__
    return isinstance(module, str) and _LIBRARY.get(name := module.partition(".")[0], name) == root


_LIBRARY = {"uarray": "scipy"}
"""Roots of modules that are parts of another library: SciPy's `fft` is made of such functions."""


def module_of(root: str, name: str) -> ModuleType | None:
    """Return a public module of NumPy or SciPy by its name, if this version has it."""
    path = f"{root}.{name}".rstrip(".")
    try:
        return importlib.import_module(path)
    except ImportError:
        found = getattr(np, name, None) if root == "numpy" else None  # a name for another module
        return found if isinstance(found, ModuleType) else None


def check_member(name: str) -> None:
    """Raise GraphFormatError for the name of an attribute that a graph does not ask for."""
    if name.startswith("_") and name not in ("__getitem__", "__call__", "__enter__", "__exit__"):
        raise GraphFormatError(f"a graph asks for public attributes, not for {name}")
    if name in FILES:
        raise GraphFormatError(f"a graph does not call {name}: it does more than to compute")


def resolve(path: str) -> Any:
    """Return what a path names; GraphFormatError when a graph may not call it.

    >>> resolve("numpy.linalg.eigvals") is np.linalg.eigvals
    True
    """
    root, *names = path.split(".")
    for name in names:
        check_member(name)
    if root == "operator" and len(names) == 1 and names[0] in OPERATORS:
        return getattr(operator, names[0])
    known = _MODULES.get(root, ())
    counts = (k for k in range(len(names) - 1, -1, -1) if ".".join(names[:k]) in known)
    count = next(counts, None)
    found: Any = None if count is None else module_of(root, ".".join(names[:count]))
    for k, name in enumerate(names[count:]):
        found = getattr(found, name, None)
        if found is None or isinstance(found, ModuleType) or (k == 0 and not _is_of(root, found)):
            raise GraphFormatError(f"a graph calls public functions of NumPy or SciPy, not {path}")
    if found is None:
        raise GraphFormatError(f"a graph calls public functions of NumPy or SciPy, not {path}")
    return found
