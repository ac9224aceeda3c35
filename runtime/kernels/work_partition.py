"""How the work of a kernel over arrays is divided, as LLVM text.

Comes in: what writes lines. Goes out: functions

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

from runtime.kernels.arrays.layout import CHUNK, NEXT, RUN, TABLE, TOTAL
from runtime.kernels.llvm import Writer

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


_TAKE = f"""
  %chunk_at = getelementptr i64, ptr %context, i64 {CHUNK}
  %chunk = load i64, ptr %chunk_at
  %total_at = getelementptr i64, ptr %context, i64 {TOTAL}
  %total = load i64, ptr %total_at
  %next_at = getelementptr i64, ptr %context, i64 {NEXT}
  %run_at = getelementptr i64, ptr %context, i64 {RUN}
  %run = load ptr, ptr %run_at
  br label %take
take:
  %first = atomicrmw add ptr %next_at, i64 %chunk monotonic
  %some = icmp ult i64 %first, %total
  br i1 %some, label %do, label %done
do:
  %beyond = add i64 %first, %chunk
  %is_last = icmp ugt i64 %beyond, %total
  %end = select i1 %is_last, i64 %total, i64 %beyond
  call void %run(ptr %table, ptr %context, i64 %first, i64 %end)
"""

WORK = f"""
declare void @llvm.x86.sse2.pause()
declare i64 @llvm.readcyclecounter()

define internal ptr @work(ptr %slot) #0 {{
start:
  %signals = alloca [16 x i64]
  store [16 x i64] [{", ".join(["i64 -1"] * 16)}], ptr %signals
  %context_at = getelementptr i64, ptr %slot, i64 1
  %call_at = getelementptr i64, ptr %slot, i64 2
  %call = load ptr, ptr %call_at
  %mask_at = getelementptr i64, ptr %slot, i64 3
  %mask = load ptr, ptr %mask_at
  %control_at = getelementptr i64, ptr %slot, i64 4
  %blocked = call i32 %mask(i32 0, ptr %signals, ptr null)
  br label %again
again:
  %since = call i64 @llvm.readcyclecounter()
  br label %look
look:
  %state = load atomic i32, ptr %slot acquire, align 8
  switch i32 %state, label %wait [
    i32 {State.OFFERED}, label %begin
    i32 {State.ENDING}, label %leave
  ]
wait:
  call void @llvm.x86.sse2.pause()
  %now = call i64 @llvm.readcyclecounter()
  %passed = sub i64 %now, %since
  %spins = icmp ult i64 %passed, {SPIN}
  br i1 %spins, label %look, label %rest
rest:
  switch i32 %state, label %again [
    i32 {State.IDLE}, label %lie
    i32 {State.DONE}, label %lie
    i32 {State.ASLEEP}, label %sleep
    i32 {State.RESTING}, label %sleep
  ]
lie:
  %is_idle = icmp eq i32 %state, {State.IDLE}
  %lying = select i1 %is_idle, i32 {State.ASLEEP}, i32 {State.RESTING}
  %lies = cmpxchg ptr %slot, i32 %state, i32 %lying acq_rel acquire
  %is_down = extractvalue {{ i32, i1 }} %lies, 1
  br i1 %is_down, label %sleep, label %again
sleep:
  %own = phi i32 [ %state, %rest ], [ %state, %rest ], [ %lying, %lie ]
  %woken = call i64 (i64, ...) %call(i64 {FUTEX}, ptr %slot, i32 {WAIT}, i32 %own, ptr null)
  br label %again
begin:
  %begins = cmpxchg ptr %slot, i32 {State.OFFERED}, i32 {State.RUNNING} acq_rel acquire
  %is_mine = extractvalue {{ i32, i1 }} %begins, 1
  br i1 %is_mine, label %running, label %again
running:
  call void @llvm.x86.sse.ldmxcsr(ptr %control_at)
  %context = load ptr, ptr %context_at
  %table_at = getelementptr i64, ptr %context, i64 {TABLE}
  %table = load ptr, ptr %table_at
{_TAKE}
  br label %take
done:
  %before = atomicrmw xchg ptr %slot, i32 {State.DONE} acq_rel
  %is_awaited = icmp eq i32 %before, {State.AWAITED}
  br i1 %is_awaited, label %tell, label %told
tell:
  %heard = call i64 (i64, ...) %call(i64 {FUTEX}, ptr %slot, i32 {WAKE}, i32 1)
  br label %told
told:
  br label %again
leave:
  ret ptr null
}}

define internal void @quit(ptr %slots, ptr %call, ptr %wait) {{
start:
  br label %each
each:
  %k = phi i64 [ 0, %start ], [ %k1, %next ]
  %distance = mul i64 %k, {SLOT}
  %slot = getelementptr i8, ptr %slots, i64 %distance
  %idle = cmpxchg ptr %slot, i32 {State.IDLE}, i32 {State.ENDING} acq_rel acquire
  %was_idle = extractvalue {{ i32, i1 }} %idle, 1
  br i1 %was_idle, label %join, label %try
try:
  %asleep = cmpxchg ptr %slot, i32 {State.ASLEEP}, i32 {State.ENDING} acq_rel acquire
  %was_asleep = extractvalue {{ i32, i1 }} %asleep, 1
  br i1 %was_asleep, label %wake, label %next
wake:
  %woken = call i64 (i64, ...) %call(i64 {FUTEX}, ptr %slot, i32 {WAKE}, i32 1)
  br label %join
join:
  %thread_at = getelementptr i64, ptr %slot, i64 5
  %thread = load i64, ptr %thread_at
  %ended = call i32 %wait(i64 %thread, ptr null)
  store atomic i32 {State.ABSENT}, ptr %slot release, align 8
  br label %next
next:
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, {MOST_THREADS}
  br i1 %more, label %each, label %done
done:
  ret void
}}

define internal void @join(ptr %slot, ptr %call) {{
start:
  %left = cmpxchg ptr %slot, i32 {State.OFFERED}, i32 {State.IDLE} acq_rel acquire
  %is_late = extractvalue {{ i32, i1 }} %left, 1
  br i1 %is_late, label %joined, label %begin
begin:
  %since = call i64 @llvm.readcyclecounter()
  br label %look
look:
  %state = load atomic i32, ptr %slot acquire, align 8
  switch i32 %state, label %wait [
    i32 {State.DONE}, label %done
    i32 {State.RESTING}, label %rested
  ]
wait:
  call void @llvm.x86.sse2.pause()
  %now = call i64 @llvm.readcyclecounter()
  %passed = sub i64 %now, %since
  %spins = icmp ult i64 %passed, {SPIN}
  br i1 %spins, label %look, label %rest
rest:
  %waits = cmpxchg ptr %slot, i32 {State.RUNNING}, i32 {State.AWAITED} acq_rel acquire
  %woken = call i64 (i64, ...) %call(
    i64 {FUTEX}, ptr %slot, i32 {WAIT}, i32 {State.AWAITED}, ptr null)
  br label %look
done:
  %ends = cmpxchg ptr %slot, i32 {State.DONE}, i32 {State.IDLE} acq_rel acquire
  %is_idle = extractvalue {{ i32, i1 }} %ends, 1
  br i1 %is_idle, label %joined, label %rested
rested:
  store atomic i32 {State.ASLEEP}, ptr %slot release, align 8
  br label %joined
joined:
  ret void
}}
"""


def has_threads() -> bool:
    """Tell whether work is divided here: threads sleep by a call of Linux."""
    return sys.platform.startswith("linux")


def _function(w: Writer, name: str) -> str:
    """Return the address of a function of the C library; elsewhere none is ever called."""
    return w.outside(f"process:{name}") if has_threads() else "null"


def write_lead(w: Writer) -> None:
    """Write `lead`, which returns whether a signal handler raised."""
    given = "ptr %table, ptr %context, i64 %size, i64 %least, ptr %thread"
    w.lines.append(f"define internal i1 @lead({given}) #0 {{")
    w.begin("begin")
    w.line(f"%used_at = alloca [{MOST_THREADS} x ptr]")
    w.line("%seen_at = alloca i64")
    w.line("store i64 0, ptr %seen_at")
    allowed = w.new(f"load i64, ptr {w.outside('threads:')}")
    w.line(f"%slots = getelementptr i8, ptr {w.outside('slots:')}, i64 0")
    enough = w.new("icmp uge i64 %size, %least") if has_threads() else "false"
    w.line(f"%wanted = select i1 {enough}, i64 {allowed}, i64 1")
    w.line(f"%call = getelementptr i8, ptr {_function(w, 'syscall')}, i64 0")
    w.line("br label %offer")
    _offer(w)
    w.begin("start")
    w.lines.append(_TAKE.strip("\n"))
    seen = w.new("load i64, ptr %seen_at")
    more = w.new(f"add i64 {seen}, 1")
    w.line(f"store i64 {more}, ptr %seen_at")
    due = w.new(f"icmp eq i64 {w.new(f'urem i64 {more}, {LOOKS}')}, 0")
    w.line(f"br i1 {due}, label %look, label %take")
    w.begin("look")
    w.line("%raised = call preserve_allcc i1 @look(ptr %table, ptr %thread)")
    w.line("br i1 %raised, label %stop, label %take")
    w.begin("stop")
    w.line("store atomic i64 %total, ptr %next_at monotonic, align 8")
    w.line("br label %done")
    w.begin("done")
    w.line("%result = phi i1 [ false, %take ], [ true, %stop ]")
    w.line("br label %leave")
    w.begin("leave")
    w.line("%k = phi i64 [ 0, %done ], [ %k1, %leaving ]")
    w.line("%k1 = add i64 %k, 1")
    w.line("%is_left = icmp ult i64 %k, %count")
    w.line("br i1 %is_left, label %leaving, label %joined")
    w.begin("leaving")
    one = w.new(f"load ptr, ptr {w.new('getelementptr ptr, ptr %used_at, i64 %k')}")
    w.line(f"call void @join(ptr {one}, ptr %call)")
    w.line("br label %leave")
    w.begin("joined")
    w.line("ret i1 %result")
    w.lines.append("}")


def _offer(w: Writer) -> None:
    """Write that threads are offered work; those that have some from others are left to them."""
    w.begin("offer")
    w.line("%count = phi i64 [ 0, %begin ], [ %count1, %offered ], [ %count, %next ]")
    w.line("%slot_number = phi i64 [ 1, %begin ], [ %number1, %offered ], [ %number1, %next ]")
    w.line("%number1 = add i64 %slot_number, 1")
    w.line("%another = icmp slt i64 %slot_number, %wanted")
    w.line("br i1 %another, label %ask, label %start")
    w.begin("ask")
    distance = w.new(f"mul i64 %slot_number, {SLOT}")
    w.line(f"%slot = getelementptr i8, ptr %slots, i64 {distance}")
    w.line("%state = load atomic i32, ptr %slot acquire, align 8")
    w.line(f"%is_free = icmp ule i32 %state, {State.ASLEEP}")
    w.line("br i1 %is_free, label %reach, label %next")
    w.begin("next")
    w.line("br label %offer")
    w.begin("reach")
    taken = w.new(f"cmpxchg ptr %slot, i32 %state, i32 {State.TAKEN} acq_rel acquire")
    w.line(f"br i1 {w.new(f'extractvalue {{ i32, i1 }} {taken}, 1')}, label %fill, label %next")
    w.begin("fill")
    w.declare("void @llvm.x86.sse.stmxcsr(ptr)")
    w.declare("void @llvm.x86.sse.ldmxcsr(ptr)")
    control = w.new("getelementptr i64, ptr %slot, i64 4")
    w.line(f"call void @llvm.x86.sse.stmxcsr(ptr {control})")
    mask = _function(w, "pthread_sigmask")
    for word, value in enumerate(("ptr %context", "ptr %call", f"ptr {mask}"), 1):
        w.line(f"store {value}, ptr {w.new(f'getelementptr i64, ptr %slot, i64 {word}')}")
    w.line(f"store atomic i32 {State.OFFERED}, ptr %slot release, align 8")
    cases = f"i32 {State.ABSENT}, label %make i32 {State.ASLEEP}, label %wake"
    w.line(f"switch i32 %state, label %offered [ {cases} ]")
    w.begin("wake")
    given = f"i64 {FUTEX}, ptr %slot, i32 {WAKE}, i32 1"
    w.new(f"call i64 (i64, ...) %call({given})")
    w.line("br label %offered")
    w.begin("make")
    create, made = _function(w, "pthread_create"), w.new("getelementptr i64, ptr %slot, i64 5")
    failed = w.new(f"call i32 {create}(ptr {made}, ptr null, ptr @work, ptr %slot)")
    w.line(f"br i1 {w.new(f'icmp eq i32 {failed}, 0')}, label %offered, label %none")
    w.begin("none")
    w.line(f"store atomic i32 {State.ABSENT}, ptr %slot release, align 8")
    w.line("br label %next")
    w.begin("offered")
    place = w.new("getelementptr ptr, ptr %used_at, i64 %count")
    w.line(f"store ptr %slot, ptr {place}")
    w.line("%count1 = add i64 %count, 1")
    w.line("br label %offer")
