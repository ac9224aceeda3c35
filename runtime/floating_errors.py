"""What NumPy does about floating point errors: of the thread, and so of the time of a call."""

from __future__ import annotations

import numpy as np

from runtime.errors import StagedValueError


def errstate_now() -> dict[str, str]:
    """Return what is done now, by the kind of error: `warn`, `ignore`, `raise`, ..."""
    return {str(kind): str(reaction) for kind, reaction in np.geterr().items()}


def check_errstate(before: dict[str, str], name: str) -> None:
    """Raise StagedValueError where errors are to raise, or to be told of, while tracing only.

    Args:
        before: what was done when the graph was begun.
        name: of the op that is staged.
    """
    now = errstate_now()
    changed = [k for k, x in now.items() if x not in ("warn", "ignore", before[k])]
    if changed:
        settings = ", ".join(f"{k}={now[k]!r}" for k in changed)
        raise StagedValueError(
            f"np.errstate({settings}) holds while the function is traced, and {name} computes "
            "later, when the graph runs. Put the `with` around the call of the staged function, or "
            "ask for what is wrong: if not np.isfinite(y).all(): raise ..."
        )
