"""The texts that `repr` makes of staged lists, and of other staged containers."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from autograph.operators import table
from autograph.operators.containers import item_loops
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, holds_handles, is_mixed
from autograph.operators.containers.staged_containers import StagedList
from autograph.operators.containers.staged_tuple import StagedTuple
from autograph.operators.containers.storage import refused
from autograph.operators.keyed.key_codes import KEYS, VALUES, has_order, part_of
from autograph.operators.keyed.views import NAMES, View, in_slots, view
from autograph.operators.objects.special_methods import runs_code
from runtime import trees
from runtime.dispatch import apply
from runtime.ops.effects import literal
from runtime.ops.text_ops import container_text
from runtime.text_methods import as_text
from runtime.texts import StagedText


def text_of_list(staged: StagedList) -> Any:
    """Return what `repr` writes of a container, when the graph runs."""
    if type(staged.python) is StagedTuple:
        return table.operators.if_exp(
            staged.content.length == 1,
            lambda: _text(staged, ("(", ",)", "()")),
            lambda: _text(staged, ("(", ")", "()")),
        )
    return _text(staged, _around(staged))


def _text(staged: StagedList, around: tuple[str, str, str]) -> Any:
    if type(staged.python) is OrderedDict and sys.version_info < (3, 12):
        return _text_of_pairs(staged)
    if is_mixed(staged.kind) or holds_handles(staged.kind) or _is_of_the_program(staged.kind):
        return _text_by_items(staged, around)
    content = staged.content
    structure = content.kind.structure
    is_ordered = has_order(content)
    if is_ordered:
        content = in_slots(content)
    elif type(staged.python) is set and structure is not None and _is_nested(structure):
        raise refused(staged, "the text", "write sorted(...) of it")
    specs = content.kind.specs
    parts = [content]
    if isinstance(staged.python, dict):
        parts = [part_of(content, KEYS), part_of(content, VALUES)]
    shown = [part.kind for part in parts if content.kind != NOTHING]
    orders: dict[Any, str] = {set: "hash", Counter: "count"}
    attrs = {
        "forms": tuple(_form(kind.structure, len(kind.specs)) for kind in shown),
        "counts": tuple(len(kind.specs) for kind in shown),
        "weak": tuple(spec.weak for spec in specs),
        "around": around,
        "order": "" if is_ordered else orders.get(type(staged.python), ""),
    }
    return as_text(apply(container_text, [content.length, *content.buffers], **attrs))


def _text_of_pairs(staged: StagedList) -> Any:
    pairs, around = view(staged, None).python, ("OrderedDict([", "])")
    return table.operators.if_exp(
        staged.content.length > 0,
        lambda: table.operators.call(item_loops.text_of_items, pairs, *around),
        lambda: "OrderedDict()",
    )


def _text_by_items(staged: StagedList, around: tuple[str, str, str]) -> Any:
    """Return what `repr` writes of a container whose items are written one by one."""
    if type(staged.python) in (set, Counter) and not has_order(staged.content):
        raise refused(staged, "the text", "write sorted(...) of it, or its items in a loop")
    first, last, empty = around
    is_dict = isinstance(staged.python, dict)
    items = view(staged, None).python if is_dict else staged.python
    text_of: Any = item_loops.text_of_pairs if is_dict else item_loops.text_of_items
    return table.operators.if_exp(
        staged.content.length > 0,
        lambda: table.operators.call(text_of, items, first, last),
        lambda: empty,
    )


def _is_nested(structure: trees.Structure) -> bool:
    return any(entry is not None for entry in structure.entries[1:])


def _is_of_the_program(kind: ItemKind) -> bool:
    """Tell whether a class of the program's says how an item is written, or a part of it."""
    if kind == NOTHING or kind.structure is None:
        return False
    return runs_code(trees.unflatten(kind.structure, [None] * len(kind.specs)))


class _Place:
    """A leaf of an item; what it is written as is put in its place."""

    def __repr__(self) -> str:
        return "\0"


def _form(structure: trees.Structure, count: int) -> str:
    """Return what `repr` writes of an item, with places for its leaves."""
    item = trees.unflatten(structure, [_Place() for _ in range(count)])
    leaves, whole = trees.flatten_to(item, lambda x: type(x) is StagedText)
    places = [_Place() if type(x) is StagedText else x for x in leaves]
    return literal(repr(trees.unflatten(whole, places))).replace("\0", "{!r}")


def _around(staged: StagedList) -> tuple[str, str, str]:
    """Return what stands around the items of a container, and the text of an empty one."""
    python = staged.python
    if isinstance(staged, View):
        name = f"dict_{'items' if staged.part is None else NAMES[staged.part]}"
        return f"{name}([", "])", f"{name}([])"
    if type(python) is deque:
        end = "])" if python.maxlen is None else f"], maxlen={python.maxlen})"
        return "deque([", end, f"deque([{end}"
    if type(python) is defaultdict:
        start = f"defaultdict({python.default_factory!r}, {{"
        return start, "})", f"{start}}})"
    around: dict[Any, tuple[str, str, str]] = {
        list: ("[", "]", "[]"),
        dict: ("{", "}", "{}"),
        set: ("{", "}", "set()"),
        Counter: ("Counter({", "})", "Counter()"),
        OrderedDict: ("OrderedDict({", "})", "OrderedDict()"),
    }
    return around[type(python)]
