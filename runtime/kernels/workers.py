"""How the work of a kernel over arrays is divided, as LLVM text.

Comes in: what writes lines. Goes out: functions

    lead(table, context, size, least, thread)    does all the work, with other threads where there
                                                 is as much of it as `least`
    follow(own)                                  what each of them does

Threads take chunk after chunk, until none is left. They are made for one call and end with it: that
costs some 20 us, is only done for work of ten times as much, and leaves nothing that a fork could
break. The thread that leads looks at signals now and then. It does not wait for a thread that has
not begun when all is done, which on a busy machine may take longer than the work: each has three
words of its own (`state`, the context, where `free` is), and whoever sets the state first decides.
"""

from __future__ import annotations

import os

from runtime.kernels.layout import CHUNK, NEXT, RUN, TABLE, TOTAL
from runtime.kernels.llvm import Writer

MOST_THREADS = 64
LOOKS = 64
"""After so many chunks the leading thread looks at signals."""

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

FOLLOW = f"""
define internal ptr @follow(ptr %own) #0 {{
start:
  %state = cmpxchg ptr %own, i64 0, i64 1 acq_rel acquire
  %begins = extractvalue {{ i64, i1 }} %state, 1
  br i1 %begins, label %begin, label %late
late:
  %free_at = getelementptr i64, ptr %own, i64 2
  %free = load ptr, ptr %free_at
  call void %free(ptr %own)
  ret ptr null
begin:
  %context_at = getelementptr i64, ptr %own, i64 1
  %context = load ptr, ptr %context_at
  %table_at = getelementptr i64, ptr %context, i64 {TABLE}
  %table = load ptr, ptr %table_at
{_TAKE}
  br label %take
done:
  ret ptr null
}}
"""


def thread_function(w: Writer, name: str) -> str:
    """Return the address of a function of POSIX threads; elsewhere none is ever called."""
    return w.outside(f"process:{name}") if os.name == "posix" else "null"


def write_lead(w: Writer) -> None:
    """Write `lead`, which returns whether a signal handler raised."""
    given = "ptr %table, ptr %context, i64 %size, i64 %least, ptr %thread"
    w.lines.append(f"define internal i1 @lead({given}) #0 {{")
    w.begin("begin")
    w.line(f"%made_at = alloca [{MOST_THREADS} x i64]")
    w.line(f"%own_at = alloca [{MOST_THREADS} x ptr]")
    w.line("%seen_at = alloca i64")
    w.line("store i64 0, ptr %seen_at")
    allowed = w.new(f"load i64, ptr {w.outside('threads:')}")
    enough = w.new("icmp uge i64 %size, %least")
    if os.name != "posix":
        enough = "false"
    w.line(f"%wanted = select i1 {enough}, i64 {allowed}, i64 1")
    w.line("br label %make")
    _make(w)
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
    w.line("br label %join")
    _join(w)
    w.line("ret i1 %result")
    w.lines.append("}")


def _make(w: Writer) -> None:
    """Write that threads are made; where that fails, there are fewer of them."""
    w.begin("make")
    w.line("%count = phi i64 [ 0, %begin ], [ %count1, %made ]")
    w.line("%count1 = add i64 %count, 1")
    w.line("%another = icmp slt i64 %count1, %wanted")
    w.line("br i1 %another, label %making, label %start")
    w.begin("making")
    allocate, free = thread_function(w, "malloc"), thread_function(w, "free")
    own = w.new(f"call ptr {allocate}(i64 24)")
    w.line(f"br i1 {w.new(f'icmp eq ptr {own}, null')}, label %start, label %filling")
    w.begin("filling")
    for k, value in enumerate(("i64 0", "ptr %context", f"ptr {free}")):
        w.line(f"store {value}, ptr {w.new(f'getelementptr i64, ptr {own}, i64 {k}')}")
    w.line(f"store ptr {own}, ptr {w.new('getelementptr ptr, ptr %own_at, i64 %count')}")
    place = w.new("getelementptr i64, ptr %made_at, i64 %count")
    create = thread_function(w, "pthread_create")
    failed = w.new(f"call i32 {create}(ptr {place}, ptr null, ptr @follow, ptr {own})")
    w.line(f"br i1 {w.new(f'icmp eq i32 {failed}, 0')}, label %made, label %none")
    w.begin("made")
    w.line("br label %make")
    w.begin("none")
    w.line(f"call void {free}(ptr {own})")
    w.line("br label %start")


def _join(w: Writer) -> None:
    """Write that threads which have begun are waited for, and the others left to themselves."""
    w.begin("join")
    w.line("%k = phi i64 [ 0, %done ], [ %k1, %left ]")
    w.line("%some_left = icmp ult i64 %k, %count")
    w.line("br i1 %some_left, label %leaving, label %joined")
    w.begin("leaving")
    one = w.new(f"load i64, ptr {w.new('getelementptr i64, ptr %made_at, i64 %k')}")
    own = w.new(f"load ptr, ptr {w.new('getelementptr ptr, ptr %own_at, i64 %k')}")
    state = w.new(f"cmpxchg ptr {own}, i64 0, i64 2 acq_rel acquire")
    is_late = w.new(f"extractvalue {{ i64, i1 }} {state}, 1")
    w.line(f"br i1 {is_late}, label %detaching, label %joining")
    w.begin("detaching")
    w.new(f"call i32 {thread_function(w, 'pthread_detach')}(i64 {one})")
    w.line("br label %left")
    w.begin("joining")
    w.new(f"call i32 {thread_function(w, 'pthread_join')}(i64 {one}, ptr null)")
    w.line(f"call void {thread_function(w, 'free')}(ptr {own})")
    w.line("br label %left")
    w.begin("left")
    w.line("%k1 = add i64 %k, 1")
    w.line("br label %join")
    w.begin("joined")
