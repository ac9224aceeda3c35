"""What `print` writes for staged values, it writes when the graph runs, as plain Python does."""

from __future__ import annotations

import numpy as np

import autograph as ag


def shows(x, n):
    print("{x} is", x, "}", sep="{}", end="|\n")
    for i in range(n):
        print(i, x[i])
    print("done")
    return x


def test_printing_keeps_order_separators_and_braces(capsys):
    shows(np.ones(3), 2)
    plain = capsys.readouterr().out
    staged = ag.function(shows)
    staged(np.ones(3), np.int64(2))
    # What is not staged is printed while tracing.
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(plain.splitlines())
    staged(np.ones(3), np.int64(2))
    assert capsys.readouterr().out == plain.replace("done\n", "")
