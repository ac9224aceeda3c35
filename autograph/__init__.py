"""Plain Python loops and branches over arrays, staged into graphs.

import autograph as ag

@ag.function
def f(x): ...

print(ag.to_code(f))
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from runtime import strings
from runtime.errors import (
    BackendError,
    BranchMismatchError,
    CallMismatchError,
    DerivativeError,
    DtypeError,
    InternalError,
    LateStagingError,
    LeakedSymbolError,
    LoopStateError,
    MixedArraysError,
    MutationError,
    ShapeError,
    StagedBoolError,
    StagedValueError,
)
from runtime.faces import names as _names
from runtime.lower.tracebacks import export as _export
from runtime.lower.tracebacks import exported as _exported
from runtime.lower.tracebacks import show_internal_frames
from runtime.spec import Dim, TensorSpec
from runtime.state.checkpoint import load_variables, save_variables
from runtime.state.variable import Variable
from runtime.tensor import Symbol, Tensor

if _TYPE_CHECKING:
    from autograph import data, nn, numpy, random
    from autograph.comparing.compare import compare
    from autograph.comparing.report import Comparison, Difference, DifferenceError
    from autograph.conversion import to_code
    from autograph.errors import (
        ConversionError,
        FallbackWarning,
        FrozenRandomWarning,
        GradientWarning,
    )
    from autograph.explaining.explain import explain
    from autograph.explaining.report import Explanation
    from autograph.function.concrete import ConcreteFunction
    from autograph.function.decorator import function
    from autograph.function.eager import functions_run_eagerly, run_functions_eagerly
    from autograph.function.polymorphic import Function
    from autograph.logs import set_verbosity, trace
    from autograph.operators.builtins.texts import print_at_run as print
    from autograph.operators.calls.breakpoints import breakpoint_ as breakpoint
    from autograph.operators.calls.conversion_rules import rules
    from autograph.operators.calls.converting import convert, do_not_convert
    from autograph.operators.calls.host_callback import numpy_function, py_function
    from autograph.operators.control_flow.conditionals import check
    from autograph.operators.control_flow.hints import hint
    from autograph.staging.associative_scan import associative_scan
    from autograph.staging.functional import cond, fold, scan, switch, while_loop
    from autograph.staging.functional import map_ as map
    from autograph.tensor_array import TensorArray
    from autograph.tf import summary
    from autograph.transforms.custom import (
        checkpoint,
        custom_gradient,
        custom_jvp,
        custom_vjp,
        stop_gradient,
    )
    from autograph.transforms.gradients import grad, jvp, value_and_grad, vjp
    from autograph.transforms.jacobians import hessian, hvp, jacobian, linearize
    from autograph.transforms.tape import GradientTape
    from autograph.transforms.vmap import vmap
    from runtime.kernels.threads import get_threads, set_threads

__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "MixedArraysError",
    "BranchMismatchError",
    "CallMismatchError",
    "Comparison",
    "ConcreteFunction",
    "ConversionError",
    "DerivativeError",
    "Difference",
    "DifferenceError",
    "Dim",
    "DtypeError",
    "Explanation",
    "FallbackWarning",
    "FrozenRandomWarning",
    "Function",
    "GradientTape",
    "GradientWarning",
    "LateStagingError",
    "LeakedSymbolError",
    "InternalError",
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
    "checkpoint",
    "compare",
    "cond",
    "convert",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "data",
    "do_not_convert",
    "explain",
    "fold",
    "function",
    "functions_run_eagerly",
    "get_threads",
    "grad",
    "hessian",
    "hint",
    "hvp",
    "jacobian",
    "jvp",
    "linearize",
    "load_variables",
    "map",
    "nn",
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
    "stop_gradient",
    "strings",
    "summary",
    "switch",
    "to_code",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]

_HOMES = {
    "autograph": "data nn numpy random",
    "autograph.comparing.compare": "compare",
    "autograph.comparing.report": "Comparison Difference DifferenceError",
    "autograph.conversion": "to_code",
    "autograph.errors": "ConversionError FallbackWarning FrozenRandomWarning GradientWarning",
    "autograph.explaining.explain": "explain",
    "autograph.explaining.report": "Explanation",
    "autograph.function.concrete": "ConcreteFunction",
    "autograph.function.decorator": "function",
    "autograph.function.eager": "functions_run_eagerly run_functions_eagerly",
    "autograph.function.polymorphic": "Function",
    "autograph.logs": "set_verbosity trace",
    "autograph.operators.calls.breakpoints": "breakpoint=breakpoint_",
    "autograph.operators.control_flow.conditionals": "check",
    "autograph.operators.calls.conversion_rules": "rules",
    "autograph.operators.calls.converting": "convert do_not_convert",
    "autograph.operators.control_flow.hints": "hint",
    "autograph.operators.calls.host_callback": "numpy_function py_function",
    "autograph.operators.builtins.texts": "print=print_at_run",
    "autograph.staging.associative_scan": "associative_scan",
    "autograph.staging.functional": "cond fold map=map_ scan switch while_loop",
    "autograph.tensor_array": "TensorArray",
    "autograph.tf": "summary",
    "autograph.transforms.custom": "checkpoint custom_gradient custom_jvp custom_vjp stop_gradient",
    "autograph.transforms.gradients": "grad jvp value_and_grad vjp",
    "autograph.transforms.jacobians": "hessian hvp jacobian linearize",
    "autograph.transforms.tape": "GradientTape",
    "autograph.transforms.vmap": "vmap",
    "runtime.kernels.threads": "get_threads set_threads",
}
__getattr__ = _names(__name__, _HOMES, _exported, "breakpoint")  # that looks at its caller's frame
_export(__name__)
_export(strings.__name__)


def __dir__() -> list[str]:
    """Return the public names, those that are imported on demand among them."""
    return [*{*globals(), *__all__}]
