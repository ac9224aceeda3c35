"""Functions whose lists, dicts and objects hold things of several kinds in one place."""

from __future__ import annotations

from collections import deque

import numpy as np


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r * self.r


class Square:
    def __init__(self, side):
        self.side = side
        self.label = "square"

    def area(self):
        return self.side * self.side


class Key:
    def __init__(self, x, other):
        self.x = x
        self.other = other

    def __eq__(self, other):
        return isinstance(other, Key) and self.x == other.x

    def __hash__(self):
        return hash(self.x)


def objects_of_two_classes(x, n):
    shapes = [Circle(x), Square(x + 1)]
    total = 0.0
    for k in range(n):
        for shape in shapes:
            total += shape.area()
        shapes.append(Circle(total) if k % 2 else Square(x - k))
    circles = [isinstance(shape, Circle) for shape in shapes]
    return total, circles, sum(shape.area() for shape in shapes)


def objects_beside_none(x, n):
    slots = [None] * 3
    for k in range(n):
        if slots[k % 3] is None:
            slots[k % 3] = Circle(x + k)
        else:
            slots[k % 3].r += 1
    return [slot.r if slot is not None else -1 for slot in slots], slots.count(None)


def texts_beside_numbers(x, n):
    found = []
    for k in range(n):
        if x > k:
            found.append(k)
        else:
            found.append(f"t{k}")
    total = 0
    for item in found:
        total += len(item) if isinstance(item, str) else item
    found.reverse()
    return found, total, found[1:], str(found), 1 in found, "t2" in found, found == [1, "t2"]


def places_that_differ_by_row(x, n):
    rows = [("none", None)]
    for k in range(n):
        if x > k:
            rows.append(("number", k * x))
        else:
            rows.append(("name", f"a{k}"))
    total = 0.0
    for kind, value in rows:
        if kind == "number":
            total += value
        elif kind == "name":
            total += len(value)
    rows.sort(key=lambda row: row[0])
    return rows, total, ("name", "a3") in rows, rows.count(("none", None))


def rows_of_several_lengths(x, n):
    rows = deque([(x,), (x, None)])
    for k in range(n):
        rows.append((k, x) if k % 2 else (x, k, "three"))
    rows.rotate(1)
    return [len(row) for row in rows], rows.popleft(), rows.pop()


def values_of_a_dict(x, n):
    found = {"a": 1, "b": "two"}
    for k in range(n):
        if x > k:
            found["c"] = x
        else:
            found["b"] = None
    return found, list(found.values()), found.get("b"), str(found)


def keys_of_several_kinds(x, n):
    found = {}
    for k in range(n):
        found[k if x > k else (k, "t")] = k
    return found, 0 in found, (2, "t") in found, found.get("no", -1)


def keys_of_several_kinds_in_an_empty_dict(x, n):
    found = {}
    found[n if x > n else (n, "t")] = x
    return found, 0 in found, (1, "t") in found


def lists_and_dicts_in_one_list(x, n):
    found = []
    for k in range(n):
        found.append([k] if x > k else {"k": k})
    if n > 2:
        found[0].append(7)
    return found, [len(item) for item in found]


def functions(x, n):
    found = [np.sin]
    for k in range(n):
        found.append(np.cos if x > k else abs)
    return [function(x) for function in found]


def attributes_that_some_have(x, n):
    shape = Circle(x)
    for k in range(n):
        shape = Circle(shape.r + 1)
        if x > k:
            shape.extra = k
    was_there = hasattr(shape, "extra")
    try:
        value = shape.extra
        del shape.extra
    except AttributeError as error:
        value = str(error)
    return was_there, value, hasattr(shape, "extra"), getattr(shape, "extra", -1)


def attributes_that_an_init_may_not_give(x, n):
    class Maybe:
        def __init__(self, v):
            if v > 2:
                self.v = v

    items = []
    for k in range(n):
        items.append(Maybe(x + k))
    return [item.v if hasattr(item, "v") else None for item in items]


def objects_as_keys(x, n):
    found, first = {}, None
    for k in range(n):
        shape = Circle(x)
        if first is None:
            first = shape
        found[shape] = k
        found[first] = k
    return len(found), list(found.values()), first in found, Circle(x) in found


def objects_with_equality(x, n):
    seen, items = set(), []
    for k in range(n):
        seen.add(Key(x + k % 2, k))
        items.append(Key(x + k % 2, k))
    position = items.index(Key(x + 1, 0)) if n > 1 else -1
    return len(seen), Key(x, 9) in seen, Key(x + 5, 9) in seen, position, items.count(Key(x, 0))


def choices_as_items(x, n):
    found = []
    for k in range(n):
        item = None
        if x > k:
            item = Circle(x) if k % 2 else "text"
        found.append(item)
    return [item if item is None or isinstance(item, str) else item.area() for item in found]


def kinds_met_in_two_orders(x, n):
    found, shape = [], Circle(x)
    if x > 1:
        found.append("a")
        found.append(1.5)
        shape.r = "text"
        shape.r = 2
    else:
        found.append(2)
        found.append("b")
        found.append(None)
        shape.r = 3.5
        shape.r = "other"
    for k in range(n):
        found.append((k, None) if x > k else (None, k))
    return found, shape.r


SAMPLES = [
    objects_of_two_classes,
    objects_beside_none,
    texts_beside_numbers,
    places_that_differ_by_row,
    rows_of_several_lengths,
    values_of_a_dict,
    keys_of_several_kinds,
    keys_of_several_kinds_in_an_empty_dict,
    lists_and_dicts_in_one_list,
    functions,
    attributes_that_some_have,
    attributes_that_an_init_may_not_give,
    objects_as_keys,
    objects_with_equality,
    choices_as_items,
    kinds_met_in_two_orders,
]
