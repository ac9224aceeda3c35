"""The demonstration: k-means on real data, plain and staged, with the same answers.

Shows the function, what it is rewritten to, how long both take, and how large the graph is. Ends
with an error when the answers differ.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import autograph
from runtime.graph.node import Graph
from runtime.graph.walk import walk
from tools.bench.timing import duration, side_by_side

CLUSTERS = 10


def main() -> int:
    """Print the demonstration; return 1 when plain and staged answers differ, else 0."""
    example = importlib.import_module("examples.kmeans")
    kmeans = example.kmeans
    images, digits = load_digits(return_X_y=True)
    centres = np.random.default_rng(2).choice(images, CLUSTERS, replace=False)
    print(f"k-means: {len(images)} handwritten digits of 8 x 8 pixels into {CLUSTERS} clusters,")
    print("until no image changes its cluster.\n")
    print("Plain NumPy, as in examples/kmeans.py:\n")
    for function in (example.nearest, kmeans.python_function):
        print(indented(without_docstring(inspect.getsource(function))))
    print("Rewritten, so that loops and branches can become parts of a graph:\n")
    print(indented(without_docstring(autograph.to_code(kmeans.python_function))))
    plain = kmeans.python_function(images, centres)
    start = time.perf_counter()
    staged = kmeans(images, centres)
    first = time.perf_counter() - start
    print_times(kmeans, (images, centres), first)
    print_graph_size(kmeans.get_concrete_function(images, centres).executable.graph)
    print_answers(plain, digits)
    if not same(plain, staged):
        print("FAILED: the staged answers differ from the plain ones")
        return 1
    print("The staged labels, centres and rounds are the same, bit for bit.")
    return 0


def print_times(function: Any, arguments: Sequence[Any], first: float) -> None:
    """Time both versions in turns and print what each takes."""
    times = side_by_side(
        {
            "plain": lambda: function.python_function(*arguments),
            "staged": lambda: function(*arguments),
        }
    )
    plain, staged = times["plain"], times["staged"]
    print(f"plain        {duration(plain)}")
    print(f"staged       {duration(staged)}, {plain / staged:.2f} times as fast")
    print(f"first call   {duration(first)}: it is rewritten, traced, compiled and run")


def print_graph_size(graph: Graph) -> None:
    """Print how many nodes of which kind a graph has, those of its loops and branches included."""
    kinds = Counter(node.op.name for node in walk(graph))
    loops = kinds["while_loop"] + kinds["reduce"]
    total = sum(kinds.values())
    print(f"graph        {total} nodes, of them {loops} loop and {kinds['cond']} branches")


def print_answers(answers: Sequence[Any], digits: Any) -> None:
    """Print how well the clusters found are the digits that people see."""
    labels, _, rounds = answers
    right = sum(Counter(digits[labels == k]).most_common(1)[0][1] for k in np.unique(labels))
    share = f"{right / len(digits):.0%}"
    print(
        f"answer       after {rounds} rounds; {share} of the images are in a cluster of their digit"
    )


def same(plain: Sequence[Any], staged: Sequence[Any]) -> bool:
    """Tell whether two results are equal in type, dtype and every bit."""
    if len(plain) != len(staged):
        return False
    return all(
        type(a) is type(b)
        and np.asarray(a).dtype == np.asarray(b).dtype
        and np.asarray(a).shape == np.asarray(b).shape
        and np.asarray(a).tobytes() == np.asarray(b).tobytes()
        for a, b in zip(plain, staged, strict=True)
    )


def without_docstring(source: str) -> str:
    """Return the source of a function without decorators and docstring."""
    lines = source.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("def "))
    quotes = [k for k, line in enumerate(lines) if '"""' in line]
    after = quotes[-1] + 1 if quotes else start + 1
    return "\n".join([lines[start], *lines[after:]])


def indented(text: str) -> str:
    """Return a text four columns further right, with an empty line after it."""
    return "".join(f"    {line}".rstrip() + "\n" for line in text.rstrip().splitlines())


if __name__ == "__main__":
    sys.exit(main())
