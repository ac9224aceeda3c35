from __future__ import annotations

import gc
import linecache
from collections import Counter
from threading import Thread

import pytest

from runtime.lower import driver
from runtime.lower.driver import MOST_ENDED, Sources


class Program:
    """Something that goes."""


def test_a_source_is_readable_and_goes_some_time_after_its_last_program():
    found, program, other = Sources(), Program(), Program()
    file = found.add("x = 1\n")
    assert found.add("x = 1\n") == file
    assert linecache.getline(file, 1) == "x = 1\n"
    found.release_with(program, file)
    found.release_with(other, file)
    del program
    for k in range(2 * MOST_ENDED):
        found.release_with(Program(), found.add(f"y = {k}\n"))
    assert linecache.getline(file, 1) == "x = 1\n"
    del other
    for k in range(2 * MOST_ENDED):
        found.release_with(Program(), found.add(f"z = {k}\n"))
    assert linecache.getline(file, 1) == ""


def test_a_program_that_goes_is_counted_when_the_next_source_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "MOST_ENDED", 0)
    found, program = Sources(), Program()
    file = found.add("w = 1\n")
    found.release_with(program, file)
    del program  # the collector may do that in any thread, and while another one counts
    assert found._used == {file: 1}
    last = found.add("last = 1\n")
    assert found._used == {last: 1}


class Collecting(Counter[str]):
    """Counts, where the collector runs finalizers between the two halves of each `+= 1`."""

    def __setitem__(self, key: str, value: int) -> None:
        gc.collect(0)
        super().__setitem__(key, value)


def test_programs_that_go_in_threads_while_others_are_counted_are_counted_right() -> None:
    found = Sources()
    found._used = Collecting()

    def come_and_go() -> None:
        for k in range(200):
            file, program = found.add(f"x = {k // 100}"), Program()
            program.itself = program  # only the collector finds it, in whichever thread that runs
            found.release_with(program, file)
            del program

    threads = [Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    found.add("the last one")
    assert found._used.total() == len(found._ended) + 1 <= MOST_ENDED + 1
