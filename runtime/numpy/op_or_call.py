"""The ways in of a call of NumPy with staged arguments: an op of ours, else a call in the graph.

Comes in: a function of NumPy's, ours of that name, and arguments. Goes out: what one of the two
gives; where neither can, the exception that plain NumPy raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from runtime import default_graph
from runtime.errors import RuntimeGraphError, StagedValueError
from runtime.numpy.call_refusals import kind_of
from runtime.numpy.staged_call import holds_staged, stage_call
from runtime.tensor import Symbol


def or_call(
    function: Any, ours: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Do what our function of a name does; where it cannot, call NumPy's when the graph runs.

    Raises what ours raises where NumPy cannot be called, either, in the words of plain NumPy; of
    another class, if plain NumPy raises another one.
    """
    try:
        return ours(*args, **kwargs)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        if default_graph.current() is None or not holds_staged((args, kwargs), _is_symbol):
            raise
        first = error
    try:
        return stage_call(function, args, kwargs, of_ours=first)
    except Exception as error:
        other = error
    if isinstance(other, StagedValueError):
        raise first from None  # not while the other one is handled, whose context it is
    if kind_of(first) is kind_of(other):
        raise _in_numpys_words(first, other) from None
    raise other from first


def _in_numpys_words(error: Exception, numpys: Exception) -> Exception:
    """Return the error of a call that NumPy does not take: ours, if it says more than NumPy's."""
    text = str(numpys)
    if not isinstance(error, type(numpys)) or isinstance(error, StagedValueError):
        return numpys
    if text in str(error):
        return error
    if not isinstance(error, RuntimeGraphError):
        return numpys
    error.args = (f"{text} ({error})",)
    error.plain_text = text
    return error


def _is_symbol(value: Any) -> bool:
    return type(value) is Symbol
