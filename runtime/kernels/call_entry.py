"""The entry of calls of objects, as LLVM text; `calls` has the grammar of what it reads.

Comes in: where an object has the list of its records. Goes out: text, and the table of what it
needs from outside. Nothing runs here.
"""

from __future__ import annotations

import re

from runtime.kernels.entry import HEADER, ITEMS, Text

MOST = 32
"""How many parameters a record has at most."""
WORDS = 7
"""How many words stand before the parameters."""
DEAREST, COST = 1024, 64
"""At how many misses a target is not tried any more; how many calls with a result undo one."""

_OUTSIDE = re.compile(r"\$\((.*?)\)")


def call_text(slot: int) -> Text:
    """Return the module, for instances that hold the list of their records at a place."""
    table: dict[str, int] = {}
    lines = []
    for number, line in enumerate(_CALL.splitlines()):
        for name in _OUTSIDE.findall(line):
            place = table.setdefault(name, len(table))
            lines.append(f"  %at{number} = getelementptr ptr, ptr %table, i64 {place}")
            lines.append(f"  %outside{number} = load ptr, ptr %at{number}")
        lines.append(_OUTSIDE.sub(f"%outside{number}", line))
    text = "\n".join(lines)
    known = {"SLOT": slot, "ITEMS": ITEMS, "SIZE": HEADER, "TYPE": HEADER - 8, "LIST": HEADER + 8}
    known |= {"RANK": HEADER + 8, "EXTENTS": HEADER + 16, "DTYPE": HEADER + 40}
    known |= {"WORDS": WORDS, "MOST": MOST, "DEAREST": DEAREST, "COST": COST}
    for name, value in known.items():
        text = text.replace(f"${name}", str(value))
    return Text(text, tuple(table))


_CALL = """
@outside = internal global ptr null
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @begin(ptr %table) {
  store ptr %table, ptr @outside
  ret void
}

define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) {
start:
  %table = load ptr, ptr @outside
  %found = alloca [$MOST x ptr]
  %given = alloca [$MOST x ptr]
  %paused = load i64, ptr $(paused)
  %is_paused = icmp ne i64 %paused, 0
  %has_names = icmp ne ptr %names, null
  %records_at = getelementptr i8, ptr %self, i64 $SLOT
  %records = load ptr, ptr %records_at
  %has_none = icmp eq ptr %records, null
  %is_other = or i1 %is_paused, %has_names
  %is_python = or i1 %is_other, %has_none
  br i1 %is_python, label %python, label %each
each:
  %k = phi i64 [ 0, %start ], [ %after, %next ]
  %length_at = getelementptr i8, ptr %records, i64 $SIZE
  %length = load i64, ptr %length_at
  %is_left = icmp slt i64 %k, %length
  br i1 %is_left, label %look, label %python
look:
  %list_at = getelementptr i8, ptr %records, i64 $LIST
  %list = load ptr, ptr %list_at
  %item_at = getelementptr ptr, ptr %list, i64 %k
  %item = load ptr, ptr %item_at
  call void $(py:Py_IncRef)(ptr %item)
  %record = getelementptr i8, ptr %item, i64 $ITEMS
  %misses_at = getelementptr i64, ptr %record, i64 6
  %misses = load i64, ptr %misses_at
  %is_tired = icmp ugt i64 %misses, $DEAREST
  br i1 %is_tired, label %next, label %try
try:
  %fits = call i1 @fits(ptr %table, ptr %record, ptr %args, i64 %count, ptr %found)
  br i1 %fits, label %fitting, label %next
fitting:
  %check_at = getelementptr ptr, ptr %record, i64 2
  %check = load ptr, ptr %check_at
  %is_checked = icmp eq ptr %check, null
  br i1 %is_checked, label %valid, label %ask
ask:
  %answer = call ptr $(py:PyObject_CallNoArgs)(ptr %check)
  %has_raised = icmp eq ptr %answer, null
  br i1 %has_raised, label %raised, label %answered
answered:
  %is_true = icmp eq ptr %answer, $(object:True)
  call void $(py:Py_DecRef)(ptr %answer)
  br i1 %is_true, label %valid, label %next
next:
  call void $(py:Py_DecRef)(ptr %item)
  %after = add i64 %k, 1
  br label %each
raised:
  call void $(py:Py_DecRef)(ptr %item)
  ret ptr null
valid:
  %size_at = getelementptr i64, ptr %record, i64 4
  %size = load i64, ptr %size_at
  %offset_at = getelementptr i64, ptr %record, i64 5
  %offset = load i64, ptr %offset_at
  %words = getelementptr i8, ptr %record, i64 %offset
  br label %collect
collect:
  %j = phi i64 [ 0, %valid ], [ %j1, %put ]
  %is_ready = icmp eq i64 %j, %size
  br i1 %is_ready, label %run, label %take
take:
  %word_at = getelementptr i64, ptr %words, i64 %j
  %word = load i64, ptr %word_at
  %is_number = icmp ult i64 %word, $MOST
  br i1 %is_number, label %argument, label %put
argument:
  %argument_at = getelementptr ptr, ptr %found, i64 %word
  %own = load i64, ptr %argument_at
  br label %put
put:
  %object = phi i64 [ %word, %take ], [ %own, %argument ]
  %object_at = getelementptr i64, ptr %given, i64 %j
  store i64 %object, ptr %object_at
  %j1 = add i64 %j, 1
  br label %collect
run:
  %target_at = getelementptr ptr, ptr %record, i64 1
  %target = load ptr, ptr %target_at
  %result = call ptr $(py:PyObject_VectorcallDict)(ptr %target, ptr %given, i64 %size, ptr null)
  %gives_up_at = getelementptr i64, ptr %record, i64 3
  %gives_up = load i64, ptr %gives_up_at
  %may_be_none = icmp ne i64 %gives_up, 0
  %is_none = icmp eq ptr %result, $(object:None)
  %gave_up = and i1 %may_be_none, %is_none
  %missed = load i64, ptr %misses_at
  br i1 %gave_up, label %miss, label %hit
hit:
  %is_clean = icmp eq i64 %missed, 0
  br i1 %is_clean, label %leave, label %repent
repent:
  %less = sub i64 %missed, 1
  store i64 %less, ptr %misses_at
  br label %leave
leave:
  call void $(py:Py_DecRef)(ptr %item)
  %is_silent = icmp eq i64 %gives_up, 2
  %is_made = icmp ne ptr %result, null
  %is_dropped = and i1 %is_silent, %is_made
  br i1 %is_dropped, label %drop, label %done
drop:
  call void $(py:Py_DecRef)(ptr %result)
  %none = getelementptr i8, ptr $(object:None), i64 0
  call void $(py:Py_IncRef)(ptr %none)
  ret ptr %none
done:
  ret ptr %result
miss:
  %more = add i64 %missed, $COST
  store i64 %more, ptr %misses_at
  call void $(py:Py_DecRef)(ptr %result)
  call void $(py:Py_DecRef)(ptr %item)
  br label %python
python:
  br i1 %has_names, label %named, label %pass
named:
  %named_count = call i64 $(py:PyTuple_Size)(ptr %names)
  br label %pass
pass:
  %others = phi i64 [ 0, %python ], [ %named_count, %named ]
  %total = add i64 %count, %others
  %places = add i64 %total, 1
  %all = alloca ptr, i64 %places
  store ptr %self, ptr %all
  %rest = getelementptr ptr, ptr %all, i64 1
  %bytes = mul i64 %total, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 false)
  %own_count = add i64 %count, 1
  %function = getelementptr i8, ptr $(otherwise), i64 0
  %last = call ptr $(vectorcall)(ptr %function, ptr %all, i64 %own_count, ptr %names)
  ret ptr %last
}

define internal i1 @fits(ptr %table, ptr %record, ptr %args, i64 %count, ptr %found) {
start:
  %wanted = load i64, ptr %record
  %first = getelementptr i64, ptr %record, i64 $WORDS
  %too_many = icmp ugt i64 %count, %wanted
  br i1 %too_many, label %no, label %each
each:
  %k = phi i64 [ 0, %start ], [ %after, %next ]
  %parameter = phi ptr [ %first, %start ], [ %following, %next ]
  %is_end = icmp eq i64 %k, %wanted
  br i1 %is_end, label %yes, label %choose
choose:
  %is_given = icmp ult i64 %k, %count
  %given_at = getelementptr ptr, ptr %args, i64 %k
  %default_at = getelementptr i64, ptr %parameter, i64 1
  %from = select i1 %is_given, ptr %given_at, ptr %default_at
  %object = load ptr, ptr %from
  %is_missing = icmp eq ptr %object, null
  br i1 %is_missing, label %no, label %compare
compare:
  %found_at = getelementptr ptr, ptr %found, i64 %k
  store ptr %object, ptr %found_at
  %kind_at = getelementptr i64, ptr %parameter, i64 2
  %kind = load i64, ptr %kind_at
  %type_at = getelementptr ptr, ptr %parameter, i64 3
  %type = load ptr, ptr %type_at
  %value_at = getelementptr ptr, ptr %parameter, i64 4
  %value = load ptr, ptr %value_at
  %own_at = getelementptr i8, ptr %object, i64 $TYPE
  %own = load ptr, ptr %own_at
  %is_type = icmp eq ptr %own, %type
  switch i64 %kind, label %same [
    i64 1, label %typed
    i64 2, label %typed_array
    i64 3, label %typed_value
    i64 4, label %refer
  ]
same:
  %is_same = icmp eq ptr %object, %value
  br i1 %is_same, label %next, label %no
typed:
  br i1 %is_type, label %next, label %no
typed_value:
  br i1 %is_type, label %equal, label %no
equal:
  %answer = call i32 $(py:PyObject_RichCompareBool)(ptr %object, ptr %value, i32 2)
  %is_equal = icmp eq i32 %answer, 1
  br i1 %is_equal, label %next, label %no
refer:
  %held = call ptr $(py:PyObject_CallNoArgs)(ptr %value)
  %is_held = icmp eq ptr %held, %object
  call void $(py:Py_DecRef)(ptr %held)
  %is_gone = icmp eq ptr %object, $(object:None)
  %is_other = xor i1 %is_held, true
  %is_wrong = or i1 %is_gone, %is_other
  br i1 %is_wrong, label %no, label %next
typed_array:
  br i1 %is_type, label %array, label %no
array:
  %dtype_at = getelementptr i8, ptr %object, i64 $DTYPE
  %dtype = load ptr, ptr %dtype_at
  %is_dtype = icmp eq ptr %dtype, %value
  %rank_at = getelementptr i8, ptr %object, i64 $RANK
  %own_rank = load i32, ptr %rank_at
  %rank_of = getelementptr i64, ptr %parameter, i64 5
  %rank = load i64, ptr %rank_of
  %short = trunc i64 %rank to i32
  %is_rank = icmp eq i32 %own_rank, %short
  %is_kind = and i1 %is_dtype, %is_rank
  br i1 %is_kind, label %extents, label %no
extents:
  %extents_at = getelementptr i8, ptr %object, i64 $EXTENTS
  %sizes = load ptr, ptr %extents_at
  %known = getelementptr i64, ptr %parameter, i64 6
  br label %axis
axis:
  %j = phi i64 [ 0, %extents ], [ %j1, %fine ]
  %is_last = icmp eq i64 %j, %rank
  br i1 %is_last, label %next, label %extent
extent:
  %size_at = getelementptr i64, ptr %sizes, i64 %j
  %size = load i64, ptr %size_at
  %wants_at = getelementptr i64, ptr %known, i64 %j
  %wants = load i64, ptr %wants_at
  %is_any = icmp slt i64 %wants, 0
  %is_size = icmp eq i64 %size, %wants
  %is_fine = or i1 %is_any, %is_size
  br i1 %is_fine, label %fine, label %no
fine:
  %j1 = add i64 %j, 1
  br label %axis
next:
  %after = add i64 %k, 1
  %bytes = load i64, ptr %parameter
  %following = getelementptr i8, ptr %parameter, i64 %bytes
  br label %each
yes:
  ret i1 true
no:
  ret i1 false
}
"""
