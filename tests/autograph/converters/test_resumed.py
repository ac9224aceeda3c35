"""Generators that go on where they were left give what Python's generators give."""

from __future__ import annotations

import pytest

from autograph.operators.iteration.resumed_generators import resumed_generator


def around_jumps(n):
    for k in range(n):
        if k == 2:
            continue
        yield k
        if k == 4:
            break
        if k % 2:
            continue
        yield -k
    else:
        yield 99
    yield 100


def in_both_loops(n):
    k = 0
    while k < n:
        k += 1
        yield k
        if k == 3:
            continue
        for j in range(k):
            if j == 2:
                break
            yield (k, j)
            if j == 1:
                continue
        else:
            yield "inner"
    else:
        yield from range(2)


def returning(n):
    for a in range(n):
        for b in range(a):
            if b % 2 == 0:
                yield a * b
            else:
                if a == 3:
                    return
                yield -a * b
                continue
            if a > 5:
                return


def in_branches(n):
    if n > 2:
        yield 1
        n -= 1
    elif n == 1:
        return
    else:
        for k in (5, 6):
            yield k + 1
    while True:
        if n > 6:
            break
        n += 1
        yield n
    yield


def at_the_end_of_a_round(n):
    for k in range(n):
        if k < 3:
            yield k
            continue
        break
    else:
        yield "else"
    for k in range(2):
        yield k


@pytest.mark.parametrize(
    "generator", [around_jumps, in_both_loops, returning, in_branches, at_the_end_of_a_round]
)
@pytest.mark.parametrize("n", range(8))
def test_it_gives_what_python_gives(generator, n):
    iterator, found = resumed_generator(generator)(n), []
    while iterator.advance():
        found.append(iterator.item())
    assert found == list(generator(n))
    assert not iterator.advance()
