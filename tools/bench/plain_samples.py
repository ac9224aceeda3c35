"""Programs without arrays, as people write them: the benchmark of plain code converts them."""

from __future__ import annotations

from typing import Any


def collatz(n: int) -> int:
    """Count the steps to 1, for many starts."""
    steps = 0
    for start in range(1, n):
        k = start
        while k != 1:
            if k % 2 == 1:
                k = 3 * k + 1
                steps += 1
            k = k // 2
            steps += 1
    return steps


def primes(n: int) -> list[int]:
    """Find primes by trial division."""
    found: list[int] = []
    for k in range(2, n):
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
    return found


def sort(n: int) -> list[int]:
    """Sort a list by swapping neighbours."""
    xs = [(i * 7919) % n for i in range(n)]
    for i in range(n):
        for j in range(n - i - 1):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def histogram(n: int) -> dict[int, int]:
    """Count remainders in a dictionary."""
    counts: dict[int, int] = {}
    for k in range(n):
        key = k * k % 97
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return counts


def logic(n: int) -> int:
    """Count by conditions of several parts."""
    count = i = 0
    while i < n and count >= 0:
        if i % 3 == 0 or (i % 5 == 0 and not i % 7):
            count += 1
        count = count if 0 <= count < 1000 else 0
        i += 1
    return count


def halved(x: int) -> int:
    """Return half of an even number, and an odd one as it is."""
    if x % 2 == 0:
        return x // 2
    return x


def calls(n: int) -> int:
    """Call a small function in a loop."""
    total = 0
    for i in range(n):
        total += halved(i)
    return total


class Account:
    """An amount that grows."""

    def __init__(self) -> None:
        self.amount = 0

    def add(self, amount: int) -> None:
        """Add an even amount."""
        if amount % 2 == 0:
            self.amount += amount


def methods(n: int) -> Any:
    """Call a small method in a loop."""
    account = Account()
    for i in range(n):
        account.add(i)
    return account.amount


def fibonacci(n: int) -> int:
    """Call itself twice."""
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)
