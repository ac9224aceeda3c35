"""Lists of all kinds of items that are sorted, or searched for the best, by staged keys."""

import operator
from typing import NamedTuple


class Word(NamedTuple):
    text: str
    score: float


class Hypothesis:
    def __init__(self, score, words):
        self.score = score
        self.words = words


def of_a_beam(x):
    found = []
    for k in range(len(x)):
        found.append((x[k], k))
    found.sort(key=lambda c: -c[0])
    return found


def with_arrays(x):
    found = [(v, x * k) for k, v in enumerate(x)]
    found.sort(key=operator.itemgetter(0), reverse=True)
    return found, min(found, key=lambda c: c[0]), max(found, key=lambda c: -c[0])


def with_texts(x):
    found = [("b", x[0]), ("a", x[1]), ("c", x[2])]
    best = max(found, key=lambda c: c[1])[0]
    return sorted(found, key=lambda c: c[1]), sorted(found), best


def with_lists(x):
    found = [(x[0], [x[1]]), (x[1], [x[2], x[3]]), (x[2], [x[3], x[0], x[3]])]
    return sorted(found, key=lambda c: c[0])[0], min(found, key=lambda c: c[0])[1]


def with_numbers_of_several_classes(x):
    found = [(x[0], 1.5), (x[1], 2), (x[2], True)]
    found.sort(key=lambda c: c[0])
    return found, found[0][1]


def with_anything(x):
    found = [(x[0], None), (x[1], "s"), (x[2], (1, 2))]
    found.sort(key=lambda c: c[0])
    return found


def of_arrays_of_several_shapes(x):
    found = [(x[0], x[:1]), (x[1], x[:2])]
    found.sort(key=lambda c: -c[0])
    return found, found[0][1].sum()


def of_named_tuples(x):
    found = [Word("a", x[0]), Word("b", x[1])]
    found.sort(key=lambda word: -word.score)
    return found[0].text, found[1].score


def of_objects(x):
    found = [Hypothesis(x[0], 1), Hypothesis(x[1], 2)]
    first = found[0]
    found.sort(key=lambda h: -h.score)
    found[0].words = 7
    return found[0].words, found[1].words, first.words


def of_lists_that_are_written(x):
    found = [[1, x[0]], [2, x[1]]]
    first = found[0]
    found.sort(key=lambda v: -v[1])
    found[0][0] = 9
    return found, first


def of_numbers_twice(x):
    found = [x[0], x[1], 3]
    found.sort()
    found.append(2)
    found.sort(reverse=True)
    return found


def in_a_branch(x):
    found = [("b", x[0]), ("a", x[1])]
    if x[0] > 0:
        found.sort(key=lambda c: c[1])
    return found


def in_a_loop(x):
    found = [("b", x[0]), ("a", x[1])]
    for v in x:
        found.sort(key=lambda c: (c[0], v * c[1]), reverse=True)
    while x[0] < 3:
        found.sort(key=lambda c: c[1] * x[0])
        x = x + 1
    return found


def of_a_dict_whose_values_have_no_order(x):
    groups, names = {}, {}
    for v in x:
        groups.setdefault(v // 2, []).append(v)
        names[v % 3] = "large" if v > 2 else None
    items = [(k, len(found)) for k, found in sorted(groups.items())]
    return items, sorted(groups.items(), reverse=True), sorted(names.items())


PROGRAMS = [
    of_a_beam,
    with_arrays,
    with_texts,
    with_lists,
    with_numbers_of_several_classes,
    with_anything,
    of_arrays_of_several_shapes,
    of_named_tuples,
    of_objects,
    of_lists_that_are_written,
    of_numbers_twice,
    in_a_branch,
    in_a_loop,
    of_a_dict_whose_values_have_no_order,
]
