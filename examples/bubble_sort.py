"""Bubble sort, in place: the caller's own array is sorted, as in plain Python."""

from __future__ import annotations

import numpy as np

import autograph as ag


# One trace for arrays of every length.
@ag.function(input_signature=[ag.TensorSpec(["n"], np.float64)])
def bubble_sort(x):
    """Sort an array in place."""
    end = len(x) - 1
    swapped = True
    while swapped:
        swapped = False
        for i in range(end):
            if x[i] > x[i + 1]:
                x[i], x[i + 1] = x[i + 1], x[i]
                swapped = True
        end -= 1


def main():
    """Print an array before and after."""
    x = np.array([5.0, 2.0, 9.0, 1.0, 7.0])
    print("before:", x)
    bubble_sort(x)
    print("after: ", x)


if __name__ == "__main__":
    main()
