"""A child that is forked while other threads are at work goes on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from runtime.forks import Lock

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

TRACING = """
import os
import sys
import threading
import numpy as np
import autograph as ag

inside, go_on, is_first = threading.Event(), threading.Event(), [True]

@ag.do_not_convert
def wait():
    if is_first.pop() if is_first else False:
        inside.set()
        go_on.wait(60)

@ag.function
def halve(x):
    wait()
    while np.sum(x) > 1:
        x = x / 2
    return x

thread = threading.Thread(target=halve, args=(np.ones(2),))
thread.start()
inside.wait(60)
child = os.fork()
if child == 0:
    os._exit(0 if halve(np.ones(2)).sum() == 1 else 1)
print(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
"""

COMPILING = """
import os
import threading
import numpy as np
from runtime.kernels import jit
from runtime.kernels.target import host_target

inside, go_on = threading.Event(), threading.Event()
optimise = jit._optimise

def slowly(text, target):
    inside.set()
    go_on.wait(60)
    return optimise(text, target)

jit._optimise = slowly
text = "define i32 @entry() { ret i32 %d }"
thread = threading.Thread(target=jit.link, args=(text % 1, ["entry"], host_target()))
thread.start()
inside.wait(60)
threading.Timer(0.2, go_on.set).start()
child = os.fork()
if child == 0:
    jit._optimise = optimise
    os._exit(0 if jit.link(text % 2, ["entry"], host_target()) else 1)
print(go_on.is_set(), os.waitpid(child, 0)[1])
thread.join()
"""


def run(program: str) -> str:
    """Return what a program prints, that has no more than a minute."""
    environment = {**os.environ, "AUTOGRAPH_CACHE_DIR": "", "PYTHONWARNINGS": "ignore"}
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    return found.stdout + found.stderr


@forks
def test_a_child_traces_what_another_thread_was_tracing_at_the_fork() -> None:
    assert run(TRACING) == "0\n"


@forks
def test_a_fork_waits_for_machine_code_that_is_being_made() -> None:
    pytest.importorskip("llvmlite")
    assert run(COMPILING) == "True 0\n"


def test_a_lock_of_another_thread_is_renewed_and_ones_own_is_not() -> None:
    lock, inside, go_on = Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        lock.__enter__()  # and never comes out: in a child the thread is not there
        inside.set()
        go_on.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(60)
    lock.renew()
    with lock:  # would wait for ever
        lock.renew()
    go_on.set()


def test_locks_and_what_forks_do_are_made_in_one_place() -> None:
    root = Path(__file__).parents[2]
    words = re.compile(r"threading\.R?Lock\(|register_at_fork|@(functools\.)?cached_property")
    files = (
        file for package in ("autograph", "runtime") for file in (root / package).rglob("*.py")
    )
    found = {str(file.relative_to(root)) for file in files if words.search(file.read_text())}
    assert found == {"runtime/forks.py"}
