"""Leaving the interpreter: what raises SystemExit, raised where the graph runs it.

Called as they are, these raise in code that is none of the program's, and `exit` closes the input
of the process first, both while tracing.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn


def exit_(*given: Any) -> NoReturn:
    """Raise what `sys.exit` raises: a tuple gives all arguments, None gives none."""
    if len(given) > 1:
        sys.exit(*given)  # knows what to say
    code = given[0] if given else None
    if isinstance(code, SystemExit):
        raise code
    raise SystemExit(*code if isinstance(code, tuple) else () if code is None else (code,))


def quit_(code: Any = None) -> NoReturn:
    """Raise what `exit` and `quit` raise, which keep what they are given."""
    raise SystemExit(code)
