"""Programs over dicts, sets and deques that staged branches and loops change, or ask for keys."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

import autograph as ag


def counts_with_get(xs):
    found = {}
    for x in xs:
        found[x] = found.get(x, 0) + 1
    return found


def counts_with_in(xs):
    found = {}
    for x in xs:
        if x in found:
            found[x] += 1
        else:
            found[x] = 1
    return found, len(found)


def counts_of_known_keys(xs):
    found = {0: 0, 1: 0, 2: 0}
    for x in xs:
        found[x % 3] += 1
    return found


def different_items(xs):
    seen, found = set(), []
    for x in xs:
        if x not in seen:
            seen.add(x)
            found.append(x)
    return found, len(seen), sorted(seen), bool(seen)


def returns_a_set(xs):
    seen = {7}
    for x in xs:
        seen.add(x % 4)
    return seen


def two_that_make_ten(xs):
    places = {}
    for i, x in enumerate(xs):
        if 10 - x in places:
            return places[10 - x], i
        places[x] = i
    return -1, -1


def goes_over_views(xs):
    found, total = {}, 0
    for x in xs:
        found[x] = found.get(x, 0) + x
    for key, value in found.items():
        total = total * 3 + key * value
    for i, key in enumerate(found):
        total += key * i
    for value in found.values():
        total -= value
    return total, list(found), list(found.values()), sorted(found), sum(found.values())


def values_change_in_a_loop_over_keys(xs):
    found = {}
    for x in xs:
        found[x] = x
    for key in found:  # noqa: PLC0206
        found[key] = found[key] * 2
    for key, value in found.items():
        if key > 2:
            found[key] = value + 1
    return found


def adds_keys_in_a_loop_over_them(xs):
    found = {}
    for x in xs:
        found[x] = x
    for key in found:
        found[key + 100] = 1
    return found


def deletes_items(xs):
    found = {}
    for x in xs:
        found[x] = x * 2.0
    for x in xs:
        if x in found and x > 3:
            del found[x]
    return found, found.pop(np.int64(77), -1.0), found.pop(xs[0])


def discards_items(xs):
    found = set()
    for x in xs:
        found.add(x)
    for x in xs:
        found.discard(x + 1)
    return sorted(found), len(found)


def removes_an_item_twice(xs):
    found = set()
    for x in xs:
        found.add(x)
    found.remove(xs[0])
    found.remove(xs[0])
    return len(found)


def lists_of_keys(xs):
    found, many, few = {}, [], [1]
    for x in xs:
        found[x] = x * 2
        many.append(x)
    many.extend(found)
    few.extend(found.values())
    many[1:2] = found
    for x in found:
        many += found
        if x > 1:
            break
    first, *others = found.values() if len(xs) > 9 else many
    return many, few, [*found, 7], first, others


def keys_that_a_condition_decides(xs):
    counts, cells = {"even": 0, "odd": 0}, [0, 0, 5]
    for x in xs:
        key = "even" if x % 2 == 0 else "odd"
        counts[key] += x
        place = 0 if x > 3 else 2
        cells[place] += 1
        cells[1 if x > 4 else -1] -= 2
    return counts, cells


def takes_from_both_ends(xs):
    found, total = deque(), 0
    for x in xs:
        found.append(x)
        if x > 2:
            found.appendleft(x * 10)
    while found:
        total = total * 2 + found.popleft()
        if found:
            found.pop()
    return total, found


def breadth_first(xs):
    edges = np.array([[1, 2], [3, 4], [4, 5], [5, 5], [5, 0], [5, 5]])
    start = xs[0] % 6
    distances, todo = {}, deque([start])
    distances[start] = 0
    while todo:
        node = todo.popleft()
        for other in edges[node]:
            if other not in distances:
                distances[other] = distances[node] + 1
                todo.append(other)
    return distances


def remembered_lengths(xs):
    lengths, best = {1: 0}, 0
    for start in range(2, xs[0] + 3):
        number, steps = start, 0
        while number not in lengths:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            steps += 1
        lengths[start] = steps + lengths[number]
        if lengths[start] > lengths.get(best, -1):
            best = start
    return best, len(lengths)


def other_methods(xs):
    found = {}
    for x in xs:
        found.setdefault(x % 3, 0)
        found[x % 3] += x
    copy = found.copy()
    copy[50] = 1
    copy.update({60: 2})
    last = copy.popitem()
    return found, copy, last, found == {}, not found, copy | {7: 7}


def arrays_are_values(xs):
    found, total = {}, np.zeros(2)
    for x in xs:
        found[x] = np.array([x, x * 2.0])
    for key, value in found.items():
        total = total + value * key
    return total, found[xs[0]]


def a_new_set_in_a_loop(xs):
    current, best = set(), 0
    for x in xs:
        if x in current:
            current = set()
        current.add(x)
        best = max(best, len(current))
    return best


def clears_a_set(xs):
    current, best = set(), 0
    for x in xs:
        if x in current:
            current.clear()
        current.add(x)
        best = max(best, len(current))
    return best


class Bank:
    def __init__(self):
        self.accounts = {}

    def pay(self, number, amount):
        self.accounts[number] = self.accounts.get(number, 0.0) + amount


def a_dict_in_an_object(xs):
    bank = Bank()
    for x in xs:
        bank.pay(x % 3, x * 1.0)
    return bank.accounts


def known_keys_in_a_branch(x):
    numbers, values = {1, 2}, {1: 2.0}
    if x > 0:
        numbers.add(3)
        values[2] = x
    return numbers, values, len(numbers), 2 in values, values.get(2, 0.5)


def counts_with_a_counter(xs):
    found = Counter()
    for x in xs:
        found[x] += 1
    best = 0
    for key, count in found.items():
        if count > best:
            best = key
    return found, found[99], 99 in found, best, sum(found.values())


def adds_counts(xs):
    found = Counter()
    for x in xs:
        found[x] += 1
    found.update({1: 2})
    found.update(xs[:2])
    found.update(Counter(xs))
    found.subtract([1, xs[0]])
    found.subtract({xs[0]: 2})
    return found


def takes_over_other_dicts(xs):
    found, others = {}, {}
    for x in xs:
        found[x] = 1.0
        others[x + 1] = x
    found.update(others)
    found.update([(xs[0], 7.0)])
    found.update(zip(xs, xs[1:], strict=False))
    return found


def sums_with_default_values(xs):
    found = defaultdict(float)
    for i, x in enumerate(xs):
        found[x % 2, i % 2] += x * 1.5
    return found, found[9, 9], (9, 9) in found, len(found)


def default_values_in_a_branch(x):
    found = defaultdict(int)
    found[3] = 4
    if x > 0:
        found[5] += 1
    else:
        found[3] += 1
    copy = found.copy()
    copy[77] += 1
    return found, copy


def pairs_are_keys(x):
    found = {}
    for i in range(3):
        if x > i:
            found[i, i + 1] = x * i
        else:
            found[i, 0] = x
    return found, (1, 0) in found, found[2, 0]


def pairs_that_are_known(x):
    table = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, ("a", 1): 4.0}
    j = 1 if x > 0 else 0
    return table[0, j], (j, j) in table, table["a", 1], ("a", j) in table


def one_of_two_dicts(x):
    first, second = {1: 1.0}, {2: 2.0}
    if x > 0:
        first[3] = x
    chosen = first if x > 1 else second
    chosen[9] = x
    return first, second, chosen


def another_dict_in_a_branch(x):
    found = {1.0: 1.0}
    if x > 0:
        found = {}
    found[x] = 2.0
    return found


def asks_for_a_known_key(k):
    values = {1: 10.0, 2: 20.0, "a": 3.0}
    return values.get(k, -1.0), k in values, k not in values, values[k]


def calls_what_a_key_stands_for(k):
    operations = {1: lambda a: a + 1, 2: lambda a: a * 10}
    return operations[k](k)


def goes_over_what_a_key_stands_for(k):
    neighbours, total = {0: [1, 2], 1: [2], 2: [0]}, 0
    for other in neighbours[k]:
        total = total * 3 + other
    return total


def catches_a_missing_key(k):
    values = {1: 1.0, 2: 2.0}
    try:
        return values[k]
    except KeyError:
        return -1.0


def stores_by_a_key(k):
    values = {1: 1.0, 2: 2.0}
    values[k] = 5.0
    return values


def asks_for_default_values(k):
    counts, sums = Counter({1: 2, 2: 5}), defaultdict(int, {1: 3})
    return counts[k], counts[k + 5], len(counts), sums[k], len(sums), sums[k - 1]


def asks_what_is_empty(k):
    values = {}
    return k in values, values.get(k, 3)


OF_ROWS = [
    counts_with_get,
    counts_with_in,
    counts_of_known_keys,
    different_items,
    returns_a_set,
    two_that_make_ten,
    goes_over_views,
    values_change_in_a_loop_over_keys,
    adds_keys_in_a_loop_over_them,
    deletes_items,
    discards_items,
    lists_of_keys,
    keys_that_a_condition_decides,
    removes_an_item_twice,
    takes_from_both_ends,
    breadth_first,
    remembered_lengths,
    other_methods,
    arrays_are_values,
    a_new_set_in_a_loop,
    clears_a_set,
    a_dict_in_an_object,
    counts_with_a_counter,
    adds_counts,
    sums_with_default_values,
    takes_over_other_dicts,
]
OF_NUMBERS = [
    known_keys_in_a_branch,
    default_values_in_a_branch,
    pairs_are_keys,
    pairs_that_are_known,
    one_of_two_dicts,
    another_dict_in_a_branch,
]
OF_KEYS = [
    asks_for_a_known_key,
    calls_what_a_key_stands_for,
    goes_over_what_a_key_stands_for,
    catches_a_missing_key,
    stores_by_a_key,
    asks_for_default_values,
    asks_what_is_empty,
]


class LeastRecent:
    """A cache that forgets what was not asked for longest."""

    def __init__(self, size):
        self.size = size
        self.held = OrderedDict()

    def get(self, key):
        if key not in self.held:
            return -1
        self.held.move_to_end(key)
        return self.held[key]

    def put(self, key, value):
        if key in self.held:
            self.held.move_to_end(key)
        self.held[key] = value
        if len(self.held) > self.size:
            self.held.popitem(last=False)


def forgets_the_least_recent(xs):
    cache, found = LeastRecent(2), []
    for k, x in enumerate(xs):
        found.append(cache.get(x))
        cache.put(x, k)
    return found, cache.held, str(cache.held)


def moves_to_both_ends(xs):
    found = OrderedDict()
    for x in xs:
        found[x] = x * 2
    for x in xs:
        found.move_to_end(x, last=False)
    try:
        found.move_to_end(99)
    except KeyError as error:
        return found, str(error), list(found)
    return found, "", []


def compares_dicts(xs):
    first, second, counts = OrderedDict(), defaultdict(int), Counter()
    for x in xs:
        first[x] = second[x] = x
        counts[x] -= x
    other = OrderedDict()
    for x in xs[::-1]:
        other[x] = x
    return (
        first == second, first == other, first != dict(other), first == {3: 3, 1: 1, 4: 4},
        second is None, second == "None", counts == Counter(), first == 3,
        counts == Counter({3: -3, 1: -2, 4: -4, 9: 0}), counts == {3: -3, 1: -2, 4: -4},
    )  # fmt: skip


CASES = [
    (forgets_the_least_recent, [np.array([3, 1, 4, 1, 3, 3, 5]), np.array([], int)]),
    (moves_to_both_ends, [np.array([3, 1, 4, 1]), np.array([], int)]),
    (compares_dicts, [np.array([3, 1, 4, 1]), np.array([2]), np.array([], int)]),
    *(
        (f, (np.array([3, 1, 4, 1, 5, 9, 2, 6]), np.array([3, 1, 4]), np.array([2])))
        for f in OF_ROWS
    ),
    *((f, (np.float64(2.0), np.float64(0.5), np.float64(-1.0))) for f in OF_NUMBERS),
    *((f, (np.int64(2), np.int64(1), np.int64(7))) for f in OF_KEYS),
]


def order_of_texts(xs):
    found = set()
    for x in xs:
        found.add(str(x))
    return list(found)


def subscript_of_a_view(xs):
    found = {}
    for x in xs:
        found[x] = 1
    return found.keys()[0]


def an_array_as_a_key(xs):
    found = {1: 2.0}
    return found[xs]


def changes_a_deque_in_a_loop_over_it(xs):
    found = deque()
    for x in xs:
        found.append(x)
    for x in found:
        found.append(x)
    return found


def arrays_of_two_shapes(xs):
    found = {}
    for x in xs:
        found[x] = np.zeros(2)
    found[0] = np.zeros(3)
    return found


@ag.do_not_convert
def append_to(log):
    log.items.append(7)


class Log:
    def __init__(self):
        self.items = []


def changes_a_list_in_code_that_is_not_converted(xs):
    log = Log()
    for x in xs:
        log.items.append(x)
    append_to(log)
    return log.items


ROWS = np.array([3, 1, 4, 1])
REFUSED = [
    (changes_a_list_in_code_that_is_not_converted, ROWS, "was changed by code that was not"),
    (order_of_texts, ROWS, "the order of the set 'found', whose items are known only when the"),
    (changes_a_deque_in_a_loop_over_it, ROWS, "a change, in a loop over it, of the deque 'found'"),
    (arrays_of_two_shapes, ROWS, "the dict 'found', which a staged branch or loop changes, holds"),
]
WRONG = [
    (subscript_of_a_view, ROWS, "is not subscriptable"),
    (an_array_as_a_key, ROWS, "unhashable type"),
]
