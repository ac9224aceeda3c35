"""What stands in converted code for `ag.hint` around the condition of a statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.calls.call import call
from autograph.operators.control_flow.active_mask import for_each
from autograph.operators.control_flow.hints import Hinted, Options, hint
from autograph.operators.control_flow.undefined import evaluate
from runtime import default_graph


def hinted(function: Callable[..., Any], later: Callable[[], Any], **options: Any) -> Any:
    """`function(later(), **options)` around the condition of a statement; `Hinted` if it is `hint`.

    Args:
        function: what is called there.
        later: gives the value.
        options: its keywords.
    """
    if default_graph.current() is None or function is not hint:
        return call(function, evaluate(later), **options)
    made = Options(**options)
    if not made.is_elementwise:
        return Hinted(evaluate(later), made)
    with for_each():
        return Hinted(evaluate(later), made)
