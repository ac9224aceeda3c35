"""The longest way to 1 of all numbers below a limit: nested loops with branches, on integers."""

from __future__ import annotations

import numpy as np

import autograph as ag


@ag.function
def longest_collatz(limit):
    """Return the start below the limit with the most Collatz steps, and their number."""
    best, most = 1, 0
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        if steps > most:
            best, most = start, steps
    return best, most


def main():
    """Print the longest sequence that starts below a thousand."""
    best, most = longest_collatz(np.int64(1000))
    print(f"{best} takes {most} steps")


if __name__ == "__main__":
    main()
