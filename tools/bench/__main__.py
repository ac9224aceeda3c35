"""The benchmarks: python3 tools/dev.py bench [NAME ...].

Names are conversion, plain, tracing, calls, everyday, examples, loops and reductions; without one
all run, in about three minutes. `derivatives` compares values, gradients and times with JAX's,
where that is installed. `regressions` alone compares ratios of times with stored ones, and fails
where something has become slower. `npbench FOLDER` measures NPBench's kernels. Times depend on the
machine and on what else it does; the ratios are of times taken in turns. In bench's own process
BLAS may use every core.

Work on arrays is measured beside other systems by their own scripts, for which `peer_autograph` is
our column; docs/performance.md has the command and the table.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable

import numpy as np

from tools.bench import (
    calls,
    conversion,
    derivatives,
    everyday,
    examples,
    loops,
    npbench,
    plain_code,
    reductions,
    regressions,
    tracing,
)

REPORTS: dict[str, Callable[[], str]] = {
    "conversion": conversion.report,
    "plain": plain_code.report,
    "tracing": tracing.report,
    "calls": calls.report,
    "everyday": everyday.report,
    "examples": examples.report,
    "loops": loops.report,
    "reductions": reductions.report,
}


ON_REQUEST = {"derivatives": derivatives.report}
"""Those that take minutes."""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all, and print their tables; return the exit status."""
    if names[:1] == ["regressions"]:
        return regressions.main(names[1:])
    if names[:1] == ["npbench"]:
        return npbench.main(names[1:])
    unknown = [name for name in names if name not in REPORTS | ON_REQUEST]
    if unknown:
        print(f"bench: no benchmark is named {unknown[0]!r}", file=sys.stderr)
        print(__doc__, file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores")
    for name in names or REPORTS:
        print(f"\n{name}\n\n{(REPORTS | ON_REQUEST)[name]()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
