"""How the work of a kernel over arrays is divided, as routines.

Comes in: what writes lines. Goes out: functions

    look(table, thread)                          lets other threads run, asks for signals
    resume(table, thread)                        takes the interpreter's lock again
    lead(table, context, size, least, thread)    does all the work, with other threads where there
                                                 is as much of it as `least`
    work(slot)                                   what each of them does
    quit(slots, call, wait)                      ends those that have no work, before a fork

Threads take chunk after chunk, until none is left. They stay: each has a slot, a few words of
memory that processes do not share (`threads.SLOTS`). A thread without work looks at its slot for a
tenth of a millisecond, since the next kernel often follows soon, and sleeps then. The thread that
leads looks at signals now and then. It does not wait for a thread that has not begun when all is
done, which on a busy machine may take longer than the work. A slot is in one of these states:

    absent -> taken                          by who leads, and makes the thread
    idle, asleep -> taken -> offered         by who leads
    offered -> running -> done               by the thread; awaited instead, by who leads and sleeps
    idle -> asleep, done -> resting          by the thread, which sleeps
    offered, done -> idle, resting -> asleep by who leads
    idle, asleep -> ending -> absent         by who forks
"""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Any

from runtime.kernels.arrays.layout import CHUNK, NEXT, RUN, TABLE, TOTAL
from runtime.kernels.llvm import Writer
from runtime.kernels.routine_values import Function, Value
from runtime.kernels.routines import routines

MOST_THREADS = 64
LOOKS = 64
"""After so many chunks the leading thread looks at signals."""
SLOT = 64
"""The bytes of a slot: state, context, the functions `syscall` and `pthread_sigmask`, how the
processor of who leads rounds, and the thread."""
SPIN = 250_000
"""How long a thread without work looks before it sleeps, in ticks of the processor's clock."""
FUTEX, WAIT, WAKE = 202, 128, 129
"""Numbers of Linux: a system call, and what it is to do within this process."""


class State(IntEnum):
    """What a slot is in; memory of zeros has no threads."""

    ABSENT = 0
    IDLE = 1
    ASLEEP = 2
    TAKEN = 3
    OFFERED = 4
    RUNNING = 5
    AWAITED = 6
    DONE = 7
    RESTING = 8
    ENDING = 9


_WORK = """
def _work(slot: ptr) -> ptr:
    signals, mask = space(i64, 16), function(i32, slot.ptr[3])
    for k in range(0, 16):
        signals.i64[k] = -1
    mask(i32(0), signals, null)
    call = function(syscall, slot.ptr[2])
    while true:
        state, since = acquired(slot), clock()
        while state != State.OFFERED and state != State.ENDING and clock() - since < SPIN:
            pause()
            state = acquired(slot)
        if state == State.ENDING:
            return null
        if state == State.OFFERED:
            if exchanged(slot, State.OFFERED, State.RUNNING):
                set_control(slot + 32)
                context = slot.ptr[1]
                table, run = context.ptr[TABLE], function(void, context.ptr[RUN])
                chunk, total = context.i64[CHUNK], context.i64[TOTAL]
                first = taken(context + 8 * NEXT, chunk)
                while first < total:
                    run(table, context, first, min(first + chunk, total))
                    first = taken(context + 8 * NEXT, chunk)
                if swapped(slot, State.DONE) == State.AWAITED:
                    call(FUTEX, slot, i32(WAKE), i32(1))
        elif state == State.IDLE or state == State.DONE:
            lying = i32(State.ASLEEP) if state == State.IDLE else i32(State.RESTING)
            if exchanged(slot, state, lying):
                call(FUTEX, slot, i32(WAIT), lying, null)
        elif state == State.ASLEEP or state == State.RESTING:
            call(FUTEX, slot, i32(WAIT), state, null)

def quit(slots: ptr, call: ptr, wait: ptr):
    for k in range(0, MOST_THREADS):
        slot = slots + k * SLOT
        ends = exchanged(slot, State.IDLE, State.ENDING)
        if not ends:
            ends = exchanged(slot, State.ASLEEP, State.ENDING)
            if ends:
                function(syscall, call)(FUTEX, slot, i32(WAKE), i32(1))
        if ends:
            function(i32, wait)(slot.i64[5], null)
            release(slot, State.ABSENT)

def _join(slot: ptr, call: ptr):
    if not exchanged(slot, State.OFFERED, State.IDLE):
        state, since = acquired(slot), clock()
        while state != State.DONE and state != State.RESTING:
            pause()
            if clock() - since >= SPIN:
                exchanged(slot, State.RUNNING, State.AWAITED)
                function(syscall, call)(FUTEX, slot, i32(WAIT), i32(State.AWAITED), null)
            state = acquired(slot)
        if state == State.RESTING:
            release(slot, State.ASLEEP)
        elif not exchanged(slot, State.DONE, State.IDLE):
            release(slot, State.ASLEEP)

def lead(table: ptr, context: ptr, size: i64, least: i64, thread: ptr) -> i1:
    used, count, number = space(ptr, MOST_THREADS), 0, 1
    wanted = outside("threads:").i64[0] if size >= least and has_threads else 1
    slots, call = outside("slots:"), outside_function("syscall")
    while below(number, wanted):
        slot = slots + number * SLOT
        state = acquired(slot)
        number += 1
        if state <= State.ASLEEP:
            if exchanged(slot, state, State.TAKEN):
                get_control(slot + 32)
                slot.ptr[1] = context
                slot.ptr[2] = call
                slot.ptr[3] = outside_function("pthread_sigmask")
                release(slot, State.OFFERED)
                is_there = true
                if state == State.ASLEEP:
                    function(syscall, call)(FUTEX, slot, i32(WAKE), i32(1))
                elif state == State.ABSENT:
                    create = function(i32, outside_function("pthread_create"))
                    is_there = create(slot + 40, null, worker, slot) == 0
                    if not is_there:
                        release(slot, State.ABSENT)
                if is_there:
                    used.ptr[count] = slot
                    count += 1
    run, chunk, total = function(void, context.ptr[RUN]), context.i64[CHUNK], context.i64[TOTAL]
    seen, raised = 0, false
    first = taken(context + 8 * NEXT, chunk)
    while first < total:
        run(table, context, first, min(first + chunk, total))
        seen += 1
        if seen % LOOKS == 0:
            raised = look(table, thread)
            if raised:
                skip(context + 8 * NEXT, total)
        first = taken(context + 8 * NEXT, chunk)
    for k in range(0, count):
        _join(used.ptr[k], call)
    return raised
"""


_LOOK = """
def look(table: ptr, thread: ptr) -> i1:
    state = thread.ptr[0]
    if state != null:
        thread.ptr[0] = null
        py.PyEval_RestoreThread(state)
        if py.PyErr_CheckSignals() != 0:
            return true
    thread.ptr[0] = py.PyEval_SaveThread()
    return false
"""
_RESUME = """
def resume(table: ptr, thread: ptr):
    state = thread.ptr[0]
    if state != null:
        py.PyEval_RestoreThread(state)
"""


def write_look(w: Writer, head: str = "define internal") -> None:
    """Write what lets other threads run, and asks whether a signal handler raised.

    It keeps all registers, so that loops have their floats in registers where they call it;
    LLVM would clear the upper halves of vectors at its end, after it has put them back.
    """
    features = ",".join(filter(None, (w.target.features, "-vzeroupper")))
    tail = f'noinline cold "target-features"="{features}"'
    routines(w, _LOOK, f"{head} preserve_allcc", tail)
    routines(w, _RESUME, head, "")


def has_threads() -> bool:
    """Tell whether work is divided here: threads sleep by a call of Linux."""
    return sys.platform.startswith("linux")


def write_lead(w: Writer) -> None:
    """Write `lead`, which returns whether a signal handler raised, and `quit`."""
    for each in ("void @llvm.x86.sse2.pause()", "i64 @llvm.readcyclecounter()"):
        w.declare(each)
    for each in ("stmxcsr", "ldmxcsr"):
        w.declare(f"void @llvm.x86.sse.{each}(ptr)")

    def outside_function(name: str) -> Value:
        """Return a function of the C library; elsewhere none is ever called."""
        return Value("ptr", w.outside(f"process:{name}") if has_threads() else "null")

    own: dict[str, Any] = {
        "acquired": lambda at: Value("i32", w.new(f"load atomic i32, ptr {at} acquire, align 8")),
        "release": lambda at, x: w.line(f"store atomic i32 {x}, ptr {at} release, align 8"),
        "swapped": lambda at, x: Value("i32", w.new(f"atomicrmw xchg ptr {at}, i32 {x} acq_rel")),
        "taken": lambda at, n: w.new(f"atomicrmw add ptr {at}, i64 {n} monotonic"),
        "skip": lambda at, n: w.line(f"store atomic i64 {n}, ptr {at} monotonic, align 8"),
        "pause": Function("void", "@llvm.x86.sse2.pause"),
        "clock": Function("i64", "@llvm.readcyclecounter"),
        "get_control": Function("void", "@llvm.x86.sse.stmxcsr"),
        "set_control": Function("void", "@llvm.x86.sse.ldmxcsr"),
        "look": Function("i1", "@look", "preserve_allcc "), "worker": Value("ptr", "@_work"),
        "syscall": "i64 (i64, ...)",
    }  # fmt: skip
    known: dict[str, Any] = {
        "State": State,
        "FUTEX": FUTEX,
        "WAIT": WAIT,
        "WAKE": WAKE,
        "SPIN": SPIN,
    }
    known |= {"SLOT": SLOT, "MOST_THREADS": MOST_THREADS, "LOOKS": LOOKS}
    known |= {"TABLE": TABLE, "NEXT": NEXT, "TOTAL": TOTAL, "CHUNK": CHUNK, "RUN": RUN}
    known |= {"has_threads": has_threads(), "outside_function": outside_function}
    routines(w, _WORK, "define", **own, **known)
