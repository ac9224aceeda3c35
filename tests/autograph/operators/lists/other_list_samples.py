"""Functions that assign other lists to variables in staged branches and loops."""

from __future__ import annotations

import numpy as np


def the_longest_run(xs):
    best, run = [], []
    for x in xs:
        if x > 0:
            run.append(x)
        else:
            if len(run) > len(best):
                best = run
            run = []
    return best, run


def the_last_run(xs):
    last, run = [], []
    for k, x in enumerate(xs):
        if x > 0:
            run.append((k, x))
        else:
            last = run
            run = []
    return last, run


def a_row_from_the_last_one(xs):
    row = [1.0]
    for x in xs:
        following = []
        for item in row:
            following.append(item + x)
        following.append(x)
        row = following
    return row


def pascal(xs):
    row = [1]
    for _ in range(len(xs)):
        following = [1]
        for k in range(len(row) - 1):
            following.append(row[k] + row[k + 1])
        following.append(1)
        row = following
    return row


def written_by_a_function(xs):
    def add(items, x):
        items.append(x)

    found = []
    for x in xs:
        if x < 0:
            found = []
        add(found, x)
    return found


class Box:
    def __init__(self):
        self.items, self.done = [], []

    def flush(self):
        if len(self.items) > len(self.done):
            self.done = self.items
        self.items = []


def in_an_object(xs):
    box = Box()
    for x in xs:
        if x > 0:
            box.items.append(x)
        else:
            box.flush()
    return box.done, box.items


def returned_from_the_loop(xs):
    run = []
    for x in xs:
        if x > 3.5:
            return run
        run = [x]
        run.append(x + 1)
    return run


def the_shorter_one(x):
    items = [1.0]
    if x > 0:
        items = []
    items.append(x)
    return items, len(items), sum(items)


def one_of_three(x):
    items = [1.0]
    if x > 0:
        items = []
    if x > 3:
        items = [2.0, 3.0]
    items.append(x)
    return items


def held_elsewhere_before(x):
    items = [1.0]
    first = items
    if x > 0:
        items = []
    items.append(x)
    return len(first), len(items)


def held_elsewhere_after(x):
    items, others = [1.0], [7.0, 8.0]
    if x > 0:
        items = others
    items.append(x)
    return items, others


def swapped(x):
    a, b = [1.0], [2.0, 3.0]
    if x > 0:
        a, b = b, a
    a.append(x)
    return a, b


def none_before(x):
    items = None
    if x > 0:
        items = [1.0]
    if items is not None:
        items.append(x)
    return 0.0 if items is None else items[1]


def as_long_as_before(x):
    items = [1.0, 2.0]
    if x > 0:
        items = [3.0, 4.0]
    items.append(x)
    return items


def extended_in_place(x):
    items = [1.0]
    if x > 0:
        items = []
    items += [x, x]
    return items


def made_in_an_arm_beside_two_names(x):
    a = b = [x]
    if x > 0:
        a = [x + 1]
    a.append(x)
    return a, b


def made_in_an_arm_under_two_names(x):
    a = b = [x]
    c = None
    if x > 0:
        a = c = [x + 1]
    a.append(x)
    return a, b, c


def made_in_rounds(n):
    a = [n]
    for k in range(n):
        b = [k + 2] if k % 2 else list(range(3))
        b.append(k + 1)
        a = b
    a.append(n)
    return a


def handed_to_and_fro(n):
    a, b = [n], [1]
    for k in range(n):
        a, b = b, [*sorted(a), k]
        a[0] += 1
    a.append(n)
    return a, b


def parts_of_one_another(n):
    a, b = [n], [1]
    for k in range(n):
        a, b = b, a[:1]
        b.append(k)
    return a, b


def parts_under_a_third_name(n):
    a, b = [n], [1]
    c = a
    for k in range(n):
        c = a
        a, b = b, a[:1]
        b.append(k)
        if k % 2:
            c[0] = 7
    return a, b, c


def joined_with_another(x):
    items = [1.0]
    if x > 0:
        items = []
    items = items + [x]  # noqa: RUF005  (an operator is what is meant)
    return items


def in_lists_of_lists(n):
    neighbours = [[] for _ in range(6)]
    for k in range(n):
        neighbours[k].append(k + 1)
        neighbours[k + 1].append(k)
    return [len(row) for row in neighbours]


def levels(n):
    level = [0]
    while n > 0:
        level = [x + y for x in level for y in (0, 1)]
        n -= 1
    return level


def rows_in_a_known_list(n):
    rows = []
    for k in range(2):
        row = []
        for j in range(n):
            if j > k:
                row.append(j)
        rows.append(row)
    rows[0].append(9)
    last = rows[1]
    last.append(7)
    return rows


def a_list_in_a_list(x):
    rows = [[1.0], [2.0]]
    if x > 0:
        rows = [[3.0]]
    rows[0].append(x)
    return rows[0][1]


XS = [np.array([3.0, -1.0, 4.0, -1.5, 5.0]), np.array([-1.0, 2.0, 1.0]), np.ones(3), np.ones(0)]
OF_ROWS = [
    the_longest_run,
    the_last_run,
    a_row_from_the_last_one,
    pascal,
    written_by_a_function,
    in_an_object,
    returned_from_the_loop,
]
OF_NUMBERS = [
    the_shorter_one,
    one_of_three,
    held_elsewhere_before,
    held_elsewhere_after,
    swapped,
    none_before,
    as_long_as_before,
    extended_in_place,
    joined_with_another,
    made_in_an_arm_beside_two_names,
    made_in_an_arm_under_two_names,
    a_list_in_a_list,
]
OF_COUNTS = (
    levels,
    rows_in_a_known_list,
    made_in_rounds,
    handed_to_and_fro,
    parts_of_one_another,
    parts_under_a_third_name,
)

CASES = [
    *((function, XS) for function in OF_ROWS),
    *((function, [*map(np.float64, (5.0, 1.0, -2.0))]) for function in OF_NUMBERS),
    (in_lists_of_lists, [*map(np.int64, (0, 2, 5))]),
    *((f, [*map(np.int64, (0, 3))]) for f in OF_COUNTS),
]


def functions(x):
    names = [abs]
    if x > 0:
        names = []
    names.append(object())
    return len(names)


REFUSED = [
    (functions, "an item of the list 'names', which a staged branch or loop changes, is or holds"),
]
