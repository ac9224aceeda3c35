"""Properties that are computed once, for each instance on its own."""

from __future__ import annotations

import threading

from autograph.lazy import lazy


class Slow:
    """Counts how often it is computed; the first instance takes its time."""

    def __init__(self, wait: threading.Event | None = None) -> None:
        self.wait, self.count, self.begun = wait, 0, threading.Event()

    @lazy
    def value(self) -> int:
        """What is computed."""
        self.begun.set()
        if self.wait is not None:
            self.wait.wait(60)
        self.count += 1
        return self.count


def test_a_property_is_computed_once() -> None:
    slow = Slow()
    assert (slow.value, slow.value, slow.count) == (1, 1, 1)
    assert Slow.value.__doc__ == "What is computed."


def test_instances_do_not_wait_for_each_other() -> None:
    go_on = threading.Event()
    first = Slow(go_on)
    thread = threading.Thread(target=lambda: first.value)
    thread.start()
    first.begun.wait(60)
    assert Slow().value == 1  # not later than the first, which is still at it
    go_on.set()
    thread.join()
    assert first.value == 1


def test_threads_that_ask_at_once_get_the_same_value() -> None:
    go_on = threading.Event()
    slow = Slow(go_on)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(slow.value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4
