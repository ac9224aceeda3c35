"""Sample calls of what makes and goes over iterators, as in builtin_samples.py."""

from __future__ import annotations

from functools import reduce
from itertools import (
    accumulate,
    chain,
    combinations,
    combinations_with_replacement,
    compress,
    count,
    cycle,
    dropwhile,
    filterfalse,
    groupby,
    islice,
    pairwise,
    permutations,
    product,
    repeat,
    starmap,
    takewhile,
    zip_longest,
)
from typing import Any

import numpy as np

from tests.autograph.operators.builtins.builtin_samples import (
    F25,
    I5,
    M32,
    XS,
    Sample,
    total_of,
    weighted,
)


def first_square_above(numbers: Any, limit: Any) -> Any:
    for number in numbers:
        if number * number > limit:
            return number
    return -1


def first_negative(x: Any) -> Any:
    return next(v for v in x if v < 0)


def first_above(x: Any, limit: Any) -> Any:
    return next((v for v in x if v > limit), limit)


def first_place_above(x: Any, limit: Any) -> Any:
    return next((k for k, v in enumerate(x) if v > limit), None)


# fmt: off
ITERATORS: dict[str, list[Sample]] = {
    "filter": [
        (lambda x: list(filter(None, x - 2)), (XS,)),
        (lambda x: list(filter(lambda v: v > 0, x)), (XS,)),
        (lambda x: list(filter(lambda v: v > x, [1.0, 3.0])), (F25,)),
        (lambda x: len(list(filter(bool, [1, 0, 2]))) + x, (I5,)),
        (lambda n: total_of(filter(lambda k: k % 2, range(n))), (I5,)),
    ],
    "next": [
        (first_negative, (XS,)), (first_above, (XS, F25)), (first_above, (XS, I5 * 2.0)),
        (first_place_above, (XS, F25)), (first_place_above, (XS, I5)),
        (lambda x: next(filter(lambda v: v < 0, x)), (XS,)),
    ],
    "functools.reduce": [
        (lambda x: reduce(lambda a, b: a * 2 + b if b > 0 else a, x), (XS,)),
        (lambda x: reduce(lambda a, b: a - b, x, 0.5), (XS,)),
        (lambda n: reduce(lambda a, b: a * 2 + b, range(n), 1), (I5,)),
        (lambda x: reduce(lambda a, b: a + b if b > 0 else a, [x, -x, x]), (F25,)),
    ],
    "itertools.accumulate": [
        (lambda x: list(accumulate(x)), (XS,)),
        (lambda n: list(accumulate(range(n))), (I5,)),
        (lambda n: total_of(accumulate(range(n), lambda a, b: a * b + 1, initial=2)), (I5,)),
        (lambda n: total_of(accumulate(range(n), lambda a, b: a - b)), (I5,)),
    ],
    "itertools.chain": [
        (lambda x: list(chain(x, x * 2)), (XS,)), (lambda n: total_of(chain(range(n), [7])), (I5,)),
        (lambda x: total_of(chain(filter(lambda v: v > 0, x), x)), (XS,)),
    ],
    "itertools.chain.from_iterable": [
        (lambda x: list(chain.from_iterable(x)), (M32,)),
        (lambda n: total_of(chain.from_iterable([range(n), range(n - 1)])), (I5,)),
    ],
    "itertools.combinations": [(lambda x: weighted(combinations(x, 2)), (XS,))],
    "itertools.combinations_with_replacement": [
        (lambda x: weighted(combinations_with_replacement(x, 2)), (XS,))
    ],
    "itertools.compress": [
        (lambda x: list(compress(x, x > 0)), (XS,)),
        (lambda x: sum(compress(x, [True, False, True])), (XS,)),
        (lambda n: list(compress(range(n), cycle([1, 0]))), (I5,)),
        (lambda n: total_of(compress(count(), range(-1, n))), (I5,)),
    ],
    "itertools.count": [
        (lambda n: first_square_above(count(), n), (I5,)),
        (lambda n: first_square_above(count(n, 2), n), (I5,)),
        (lambda x: list(zip(x, count(1))), (XS,)),  # noqa: B905
    ],
    "itertools.cycle": [(lambda x: weighted(zip(cycle([1, 2]), x)), (XS,))],  # noqa: B905
    "itertools.dropwhile": [
        (lambda x: list(dropwhile(lambda v: v > 0, x)), (XS,)),
        (lambda n: total_of(dropwhile(lambda v: v < 3, range(n))), (I5,)),
    ],
    "itertools.filterfalse": [
        (lambda x: list(filterfalse(lambda v: v > 0, x)), (XS,)),
        (lambda n: list(filterfalse(None, range(n))), (I5,)),
    ],
    "itertools.groupby": [
        (lambda x: [(k, list(g)) for k, g in groupby(x, lambda v: v.ndim)], (XS,)),
    ],
    "itertools.islice": [
        (lambda x: list(islice(x, 1, None)), (XS,)),
        (lambda x, n: list(islice(x, n - 3)), (XS, I5)),
        (lambda n: list(islice(range(n), 1, 4, 2)), (I5,)),
        (lambda n: list(islice(range(n), 0)), (I5,)),
    ],
    "itertools.pairwise": [
        (lambda x: list(pairwise(x)), (XS,)), (lambda n: list(pairwise(range(n))), (I5,)),
    ],
    "itertools.permutations": [(lambda x: weighted(permutations(x, 2)), (XS,))],
    "itertools.product": [(lambda x: weighted(product(x, [1.0, 2.0])), (XS,))],
    "itertools.repeat": [
        (lambda x, n: weighted(zip(x, repeat(n))), (XS, I5)),  # noqa: B905
        (lambda x, n: list(repeat(x, n)), (F25, I5)),
        (lambda n: first_square_above(accumulate(repeat(1)), n), (I5,)),
    ],
    "itertools.starmap": [
        (lambda x: list(starmap(lambda k, v: v * k if v > 0 else v, enumerate(x))), (XS,)),
        (lambda n: list(starmap(pow, zip(range(n), range(n)))), (I5,)),  # noqa: B905
    ],
    "itertools.takewhile": [
        (lambda x: list(takewhile(lambda v: v > 0, x)), (XS,)),
        (lambda n: total_of(takewhile(lambda v: v * v < n, count())), (I5,)),
    ],
    "numpy.ndindex": [(lambda x: total_of(x[k] for k in np.ndindex(3, 2)), (M32,))],
    "itertools.zip_longest": [(lambda x: list(zip_longest(x, [1.0], fillvalue=x[0])), (XS,))],
}
# fmt: on
