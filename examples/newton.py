"""Square roots by Newton's iteration: a loop that ends when the result is good enough."""

from __future__ import annotations

import numpy as np

import autograph as ag


@ag.function
def newton_sqrt(a, tolerance):
    """Return the square roots of an array, and the number of rounds they took."""
    x = a
    rounds = 0
    while np.max(np.abs(x * x - a)) > tolerance:
        x = 0.5 * (x + a / x)
        rounds += 1
    return x, rounds


def main():
    """Print the square roots of 1 to 9."""
    roots, rounds = newton_sqrt(np.arange(1.0, 10.0), np.float64(1e-12))
    print(f"after {rounds} rounds:", np.round(roots, 6))


if __name__ == "__main__":
    main()
