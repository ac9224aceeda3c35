"""The game of life on a torus: Python loops that unroll, within a loop that is staged."""

from __future__ import annotations

import numpy as np

import autograph as ag


@ag.function
def life(board, generations):
    """Return the board of zeros and ones after a number of generations."""
    for _ in range(generations):
        neighbours = np.zeros_like(board)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if (down, right) != (0, 0):
                    neighbours += np.roll(board, (down, right), axis=(0, 1))
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(board.dtype)
    return board


def main():
    """Print a glider, and where it is after eight generations."""
    board = np.zeros((8, 8), dtype=np.uint8)
    board[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    for before, after in zip(board, life(board, np.int64(8)), strict=True):
        print(*(" ".join(".#"[cell] for cell in row) for row in (before, after)), sep="     ")


if __name__ == "__main__":
    main()
