"""The Mandelbrot set: a loop over whole arrays that ends early when nothing is left to do."""

from __future__ import annotations

import numpy as np

import autograph as ag


@ag.function
def mandelbrot(c, limit):
    """Return for each point how many rounds it stays within a distance of 2, at most `limit`."""
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    inside = np.abs(c) <= 2
    rounds = 0
    while rounds < limit and np.any(inside):
        z = np.where(inside, z * z + c, z)
        inside = inside & (np.abs(z) <= 2)
        count += inside
        rounds += 1
    return count


def plane(width, height):
    """Return the points of the complex plane around the set, as an array."""
    real = np.linspace(-2.1, 0.7, width)
    imaginary = np.linspace(-1.2, 1.2, height)
    return real + 1j * imaginary[:, None]


def main():
    """Print the set in characters."""
    for row in mandelbrot(plane(64, 21), np.int64(50)):
        print("".join(" .:-=+*#%@"[min(n // 2, 9)] for n in row).rstrip())


if __name__ == "__main__":
    main()
