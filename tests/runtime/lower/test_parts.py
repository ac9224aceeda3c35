"""Parts of arrays in native loops: the bits are NumPy's, and nothing is read that was written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.kernels.jit import is_available
from runtime.lower import control_nodes, loop_kernels, part_nodes, parts
from tests.random_programs import families
from tests.runtime.lower.same import all_same

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


def levinson(x: Any, y: Any, m: Any, n: Any) -> Any:
    for k in range(1, n):
        x[:k] += y[k] * np.flip(x[:k])
        x[k] = np.dot(np.flip(y[:k]), x[:k])
    return x


def triangular(x: Any, y: Any, m: Any, n: Any) -> Any:
    for i in range(n):
        for j in range(i):
            m[i, j] -= m[i, :j] @ m[:j, j]
        x[i] = (y[i] - m[i, :i] @ x[:i]) / (m[i, i] + 9)
    return x


def log_softmax(x: Any, y: Any, m: Any, n: Any) -> Any:
    found = 0.0
    for i in range(n):
        z = m[i : i + 2, :3]
        if np.any(z > 1e9):
            raise ValueError("too large")
        z = z - np.log(np.sum(np.exp(z), axis=-1, keepdims=True))
        found = found + np.sum(z[-1])
    return found


def rows(x: Any, y: Any, m: Any, n: Any) -> Any:
    found = y[0]
    for i, row in enumerate(m):
        a, b = row[:2]
        found = found + np.sum(row[::-1]) * a - np.max(row) + np.mean(row * b)
        m[i : i + 2] *= 0.5
    return found


def shifted(x: Any, y: Any, m: Any, n: Any) -> Any:
    for i in range(1, n):
        x[i:] = x[:-i] - 2 * x[i:]
        m[1:, :-1] = m[:-1, 1:] * 0.5
        y[::-2] *= 3
    return x


def products(x: Any, y: Any, m: Any, n: Any) -> Any:
    for i in range(n):
        x[:] = np.where(m.T @ x > 0, m @ y, x - m[:, i])
        m[:, 0] = (m[1:, :] @ m[:, 1:])[i % 2, :1]
    return x


def one_number(x: Any, y: Any, m: Any, n: Any) -> Any:
    found = y[0] - y[0]
    for i in range(n):
        found = np.dot(x[i : i + 1], y[i : i + 1])
    return found


def followed(x: Any, y: Any, m: Any, n: Any) -> Any:
    s = x[:3]
    for _ in range(n):
        a, b, c = s
        s = s + 0.01 * np.array([b - a, a * (2 - c) - b, a * b - c])
    return s


def crossed(x: Any, y: Any, m: Any, n: Any) -> Any:
    u, v, found = x, y, x[0]
    for i in range(n):
        u, v = v - u[::-1] * 0.5, u * 0.25 + y[i]
        found = found * 0.5 + u @ v
    return u - v + found


def descended(x: Any, y: Any, m: Any, n: Any) -> Any:
    u, found = x, x[0]
    for i in range(n):
        v = u
        for j in range(n):
            v = v * 0.5 + m[i]
            found = found + v[j] * 0.5
        u = u * 0.5 - v
        found = found * 0.25 + u.sum()
    return u * 2 + found


def appended(x: Any, y: Any, m: Any, n: Any) -> Any:
    found, kept = [y[0]], [x[0]]
    for i in range(1, n):
        row = [x[i]]
        while len(row) < i % 7:
            row.append(row[-1] * y[i])
        if row[-1] > found[-1]:
            found.append(row.pop())
        elif len(found) > 1:
            found[-2] -= m[i, 0]
        kept = row
    x[0] = kept[-1]
    return np.array(found)


def grown(x: Any, y: Any, m: Any, n: Any) -> Any:
    found = y[:1]
    for i in range(n):
        v = found * 2
        found = np.concatenate([found, m[i, :2]])
        if x[i] > 0:
            found = np.concatenate([found[1:], v[:1], found[:1]])
    return found


def chosen(x: Any, y: Any, m: Any, n: Any) -> Any:
    best, other = m[0].copy(), y.copy()
    for row in m:
        if row @ x > best @ x:
            best = row - other
        else:
            other = other * 0.5 + best
            other[0] = row[0]
    x[:] = best
    return other


def measured(x: Any, y: Any, m: Any, n: Any) -> Any:
    for i in range(1, n):
        x[i] = np.sum(m[:i, 1:] * m[:i, 1:]) + np.linalg.norm(m[i] - x) * np.linalg.norm(m * y)
        y[i] -= np.argmax(m[i] > 1) + np.argmin(x > 0) + np.std(m[i] * y)
        if np.any(m[:i] > 2) or np.linalg.norm(x[::2]) < np.mean(m - x):
            y[i] += np.sum(m[:i] > 0)
    return x


def selected(x: Any, y: Any, m: Any, n: Any) -> Any:
    order = np.argsort(m[0])
    for i in range(n):
        places = order[: i + 1] - n * (i % 2)
        x[i] = y[places] @ x[places] + np.sum(m[places] * 0.5, axis=0)[0]
        y[:] = y[order] * 0.5 - m[i][order]
    return x


def masked(x: Any, y: Any, m: Any, n: Any) -> Any:
    left = y
    for i in range(n):
        left = left[left != y[i]]
        rows = m[m[:, i] > x]
        x[i] = np.sum((x * 0.5)[y > x[i]]) + len(left) + len(rows)
        for row in rows:
            y[i] -= row[0]
    return left


def applied(x: Any, y: Any, m: Any, n: Any) -> Any:
    h = y
    for i in range(n):
        h = np.tanh(m @ h + np.exp(-x * x)) * 0.5
        m[i, :] = np.log1p(np.abs(m[:, i] - h[i])) ** 1.5 - np.arctan2(m[i, ::2].sum(), x)
        x[1:] = np.sin(x[:-1]) + np.hypot(m[1:], 0.5)[:, 0]
    return h


def scattered(x: Any, y: Any, m: Any, n: Any) -> Any:
    order = np.argsort(m[0])
    for i in range(n):
        x[order[i:]] = 1.0 - x[: n - i]
        np.add.at(y, order[:i] // 2, 1.0 - y[:i])
        m[order] = m[::-1] * 0.5 - m[i]
        m[i] += np.take_along_axis(m, order[:, None], axis=1)[:, 0] + np.repeat(x, 2)[i : i + n]
    return np.sum(m[:, None] * x[:2, None], axis=(0, 1))


PROGRAMS = [
    levinson, triangular, log_softmax, rows, shifted, products, one_number, followed, crossed,
    descended, appended, grown, chosen, measured, selected, masked, applied, scattered,
]  # fmt: skip


def _arguments(size: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    x, y, m = (rng.standard_normal(s) for s in (size, size, (size, size)))
    x[-1] = -0.0
    return x, y, m, np.int64(size)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda x: x.__name__)
@pytest.mark.parametrize("size", [3, 120])
def test_native_loops_over_parts_have_the_bits_of_numpy(function: Any, size: int) -> None:
    staged = ag.function(function)
    wanted, found = _arguments(size), _arguments(size)
    with np.errstate(all="ignore"):
        expected, outcome = function(*wanted), staged(*found)
    assert all_same((outcome, *found), (expected, *wanted))
    assert np.signbit(outcome).tolist() == np.signbit(expected).tolist()
    assert size == 3 or not staged.get_concrete_function(*found).executable.plan.refused


def test_large_arrays_that_are_there_are_written_by_one_loop() -> None:
    def relaxed(x: Any, y: Any, n: Any) -> Any:
        for _ in range(n):
            y[1:-1, 1:] = 0.25 * (x[:-2, 1:] + x[2:, 1:] + x[1:-1, :-1] * 2)
            x[1:] -= 0.5 * (y[1:] - y[:-1])
        return y

    size = math.isqrt(4 * parts.LARGEST)
    pairs = [np.random.default_rng(1).standard_normal((2, size, size)) for _ in range(2)]
    staged, n = ag.function(relaxed), np.int64(5)
    assert all_same((staged(*pairs[0], n), *pairs[0]), (relaxed(*pairs[1], n), *pairs[1]))
    assert not staged.get_concrete_function(*pairs[0], n).executable.plan.refused


def test_sizes_that_differ_leave_the_loop_to_numpy() -> None:
    def added(x: Any, n: Any) -> Any:
        for k in range(n):
            x[:k] += x[k:]
        return x

    with pytest.raises(ValueError, match="broadcast"):
        ag.function(added)(np.ones(6), np.int64(6))


def test_a_mask_of_another_size_raises() -> None:
    def total(x: Any, y: Any, n: Any) -> Any:
        return sum([x[y[k:] > 0].sum() for k in range(n)])

    staged, x, y = ag.function(total), np.arange(5.0), np.array([1.0, -1.0, 2.0, 0.0, 3.0])
    assert staged(x, y, np.int64(1)) == total(x, y, np.int64(1)) == 6
    with pytest.raises(IndexError, match="boolean index did not match"):
        staged(x, y, np.int64(3))


def test_places_out_of_range_raise_whoever_uses_what_is_read() -> None:
    def read(x: Any, places: Any) -> Any:
        total = x[0]
        for k in range(len(places)):
            x[places[k:]]
            total = total + x[places[: k - 1]].sum()
        return total

    staged, x = ag.function(read), np.arange(6.0)
    assert staged(x, np.array([2, -1, 5, 0] * 9)) == read(x, np.array([2, -1, 5, 0] * 9))
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        staged(x, np.array([2, -1, 5, 0] * 8 + [0, 0, 0, 6]))


def test_a_loop_that_stacks_vectors_is_left_to_numpy() -> None:
    def doubled(x: Any, n: Any) -> Any:
        v = np.zeros(1)
        for k in range(n):
            m = np.stack([v, x[k : k + 1]])
            v = v * 0.5 + m[0] + m[1]
        return v

    x = np.arange(5.0)
    assert ag.function(doubled)(x, np.int64(4)) == doubled(x, 4)


def test_vectors_are_whole_after_a_look_at_signals() -> None:
    def filled(x: Any, n: Any) -> Any:
        for _ in range(n):
            x[0] = 1.0
        return x

    for rounds in (54, 56, 200):
        assert np.all(ag.function(filled)(np.zeros((2, 150)), np.int64(rounds))[0] == 1)


@pytest.mark.parametrize(
    ("owner", "name", "planted", "family", "seed"),
    [
        (part_nodes, "is_same", lambda x, y: True, "part", 0),
        (loop_kernels.NodeWriter, "settle", lambda self, test: None, "part", 15),
        (control_nodes, "is_same", lambda x, y: True, "buffer", 23),
    ],
)
def test_random_programs_find_what_reads_what_was_written(
    owner: Any, name: str, planted: Any, family: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert families.check_seed(family, seed) == "same"
    monkeypatch.setattr(owner, name, planted)
    assert families.kind_of(families.check_seed(family, seed)) == "wrong"


def test_the_place_of_an_extreme_is_written_where_a_mask_selects() -> None:
    def placed(x: Any) -> Any:
        x[x > 2] = x.argmax()
        return np.fmin(x, x), sum(x)

    for size in (5, 1):
        given = [np.arange(size) + 1 for _ in range(2)]
        assert all_same(list(ag.function(placed)(given[0])), list(placed(given[1])))
        assert all_same(given[:1], given[1:])


def test_a_branch_by_itself_does_not_write_where_its_loop_begins() -> None:
    @ag.function
    def lowered(x: Any, n: Any) -> Any:
        x = x.copy()
        if n != 0:
            while x[n] != 0:
                x[n] -= 1
                n = (n + 1) % 4
            x += 1
        return x

    given = np.array([0, 2, 1, 0])  # its kernel is verified: it has to be given a copy
    for _ in range(2):
        assert all_same([lowered(given, np.int64(1))], [np.array([1, 2, 1, 1])])


def test_rows_that_move_within_an_array_move_as_if_all_were_read_before() -> None:
    def moved(x: Any, n: Any) -> Any:
        found = x.copy()
        for k in range(1, n):
            found[k:] = found[:-k]
            found[:-1] = found[1:]
            found[::2] = found[::-2]
            found[1:4] = found[2:5]
            found[0] += k
        return found

    staged = ag.function(moved)
    assert "array(" in str(staged.kernels(np.arange(9), np.int64(4)))
    for size in (5, 9, 41):
        for n in (0, 1, 3):
            given = np.arange(size) * 3, np.int64(n)
            assert all_same([staged(*given)], [moved(*given)])
