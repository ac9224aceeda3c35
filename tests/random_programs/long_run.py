"""Compare many random programs, and print what is wrong.

python -m tests.random_programs.long_run plain 0 10000     seeds 0 to 9999 of one family
python -m tests.random_programs.long_run array 0 500 refused       and why some are refused
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.random_programs.families import check_seed, kind_of


def main(arguments: list[str]) -> int:
    """Check the programs of some seeds; the exit status tells whether one is wrong."""
    family, first, last, *shown = arguments
    start, kinds = time.perf_counter(), Counter[str]()
    for seed in range(int(first), int(last)):
        found = check_seed(family, seed)
        kind = kind_of(found)
        kinds[kind] += 1
        if kind in ("wrong", *shown):
            print(f"{family} {seed}: {found}", flush=True)
    spent = time.perf_counter() - start
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    print(f"{family} {first} to {last}: {counts} ({spent:.0f} s)")
    return int(kinds["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
