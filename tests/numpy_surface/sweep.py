"""Make all calls of the surface and say what came of them: python -m tests.numpy_surface.sweep."""

from __future__ import annotations

import sys
import warnings
from collections import Counter

from tests.numpy_surface.judging import EQUAL, judge
from tests.numpy_surface.test_surface import all_calls


def main(part: int = 0, parts: int = 1) -> None:
    """Print the verdicts that are not equal, and how many there are of each kind.

    Args:
        part: which of the parts is made.
        parts: how many there are, for several processes.
    """
    warnings.simplefilter("ignore")
    found = {call: judge(call) for call in all_calls()[part::parts]}
    for call, verdict in found.items():
        if verdict != EQUAL:
            print(f"{call}  {verdict.splitlines()[0][:200]}")
    print(Counter(verdict.partition(":")[0] for verdict in found.values()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
