"""Plain Python loops and branches over arrays, staged into graphs.

import autograph as ag

@ag.function
def f(x): ...

print(ag.to_code(f))
"""

from autograph import data, numpy, random
from autograph.comparing import Comparison, Difference, DifferenceError, compare
from autograph.conversion import to_code
from autograph.errors import ConversionError, FrozenRandomWarning
from autograph.explaining import Explanation, explain
from autograph.function.concrete import ConcreteFunction
from autograph.function.decorator import function
from autograph.function.eager import functions_run_eagerly, run_functions_eagerly
from autograph.function.polymorphic import Function
from autograph.logs import set_verbosity, trace
from autograph.operators.asking import numpy_function, py_function
from autograph.operators.conditionals import check
from autograph.operators.converting import convert, do_not_convert
from autograph.operators.hints import hint
from autograph.operators.rules import rules
from autograph.operators.stopping import breakpoint_ as breakpoint
from autograph.operators.texts import print_at_run as print
from autograph.tensor_array import TensorArray
from runtime import strings
from runtime.control.functional import cond, fold, scan, switch, while_loop
from runtime.control.functional import map_ as map
from runtime.control.prefix import associative_scan
from runtime.errors import (
    BackendError,
    BranchMismatchError,
    CallMismatchError,
    DtypeError,
    LateStagingError,
    LeakedSymbolError,
    LoopStateError,
    MutationError,
    ShapeError,
    StagedBoolError,
    StagedValueError,
)
from runtime.kernels.threads import get_threads, set_threads
from runtime.lower.tracebacks import show_internal_frames
from runtime.spec import Dim, TensorSpec
from runtime.state.checkpoint import load_variables, save_variables
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor

__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "BranchMismatchError",
    "CallMismatchError",
    "Comparison",
    "ConcreteFunction",
    "ConversionError",
    "Difference",
    "DifferenceError",
    "Dim",
    "DtypeError",
    "Explanation",
    "FrozenRandomWarning",
    "Function",
    "LateStagingError",
    "LeakedSymbolError",
    "LoopStateError",
    "MutationError",
    "ShapeError",
    "StagedBoolError",
    "StagedValueError",
    "Symbol",
    "Tensor",
    "TensorArray",
    "TensorSpec",
    "Variable",
    "associative_scan",
    "breakpoint",
    "check",
    "compare",
    "cond",
    "convert",
    "data",
    "do_not_convert",
    "explain",
    "fold",
    "function",
    "functions_run_eagerly",
    "get_threads",
    "hint",
    "load_variables",
    "map",
    "numpy",
    "numpy_function",
    "print",
    "py_function",
    "random",
    "rules",
    "run_functions_eagerly",
    "save_variables",
    "scan",
    "set_threads",
    "set_verbosity",
    "show_internal_frames",
    "strings",
    "switch",
    "to_code",
    "trace",
    "while_loop",
]
