"""Functions of one element, as people write them."""

import numpy as np


def row(v):
    return v * 2 + np.sum(v), 3, v.max() > 1


def scaled(v):
    if v.sum() > 0:
        return v * 2
    return v - 1


def step(a):
    if a > 1:
        found = 1
    elif a > 0:
        found = 2.5
    else:
        found = 3
    return found


def newton(a):
    t, n = a, 0
    while abs(t * t - abs(a)) > 1e-9:
        t = 0.5 * (t + abs(a) / t)
        n += 1
        if n > 50:
            break
    return t, n


def shrink(v):
    n = 0
    while np.sum(v * v) > 1.0:
        v = v / 2
        n += 1
    return v, n


def shrink_twice(v):
    n = 0
    while np.sum(v * v) > 1.0:
        u = v
        while np.max(u) > 1.0:
            u = u - 1.0
            n += 1
        v = v / 2 if np.sum(u) > 0 else v / 4
    return v, n


def pick(v, i):
    return v[i] + v[0]


def corner(v, w):
    v = v.copy()
    v[()] = np.kron(v[:1], w[()])
    return v[()] + np.ones(3)[()] * w[0]


def write_item(v, i):
    v = v.copy()
    v[i] = 7
    v[v < 0] = 0
    return v


def keep_positive(v):
    kept = []
    for a in v:
        if a > 0:
            kept.append(a * 2)
    return sum(kept) if kept else np.float64(0)


def squares_below(k):
    total = 0
    for j in range(k):
        total += j * j
    return total


def first_above(v, limit):
    for k, a in enumerate(v):
        if a > limit:
            return k
    return -1


def layers(v, w):
    for k in range(5):
        v = np.tanh(v @ w) + k
    return v


def careful(a):
    try:
        return 1 / int(a)
    except ZeroDivisionError:
        return -1.0


def checked(a):
    if a > 0:
        assert a < 10, f"{a} is large"
        return np.sqrt(a)
    return a


def newton_value(a):
    return newton(a)[0]


def shrunk_sum(v):
    return np.sum(shrink(v)[0])


def energy(v):
    if v[0] > 0:
        return np.sum(np.sin(v) * v)
    return np.sum(v * v)


def large(a):
    n = 2**62 if a > 0 else 1
    return n * 4


def counted_down(a, v):
    if a > 0:
        while a != 0:  # has no end for numbers below zero
            a = a - 1
        v = v * 2 + a
    return v


def take_greatest(v, tolerance):
    rounds = 0
    while np.sum(v) > tolerance:
        k = np.argmax(v)
        assert v[k] > 0, f"{v[k]} is left"
        v = v.copy()
        v[k] = v[k] / 2
        rounds += 1
    return v, rounds


def beside_bytes(a, u):
    n = 300 if a > 0 else 44
    return u == n, u < n, np.logical_and(u, n * 0 + 256)


def beside_large(a, u):
    n = -1 if a > 0 else 2**60 + 1
    return u == n, u > n


def filled_bytes(a):
    return np.full(2, 300 if a > 0 else 44, np.uint8)


def different(v):
    return np.unique(v).size


def told(v):
    print("v", v)
    return v


def searched(v):
    return np.searchsorted(v, 1.0)


def one_or_other(a, k):
    x = a
    if a > 0:
        x = k
    return x
