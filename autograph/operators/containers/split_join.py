"""Texts and lists: `join` of a list or loop of texts, and the lists that `split` gives."""

from __future__ import annotations

from typing import Any

from autograph.operators.containers.dict_views import in_order
from autograph.operators.containers.item_kinds import NOTHING, ItemKind
from autograph.operators.containers.item_values import plain_leaves
from autograph.operators.containers.staged_containers import (
    StagedList,
    staged_list,
)
from autograph.operators.containers.storage import fresh, refused, rows_of
from autograph.operators.generators import is_lazy
from autograph.operators.iterable_builtins import collected
from autograph.operators.staged_iterables import has_no_length
from autograph.operators.text_forms import METHODS, join_texts
from runtime.dispatch import apply
from runtime.ops.string_ops import string_reduce_join, string_split
from runtime.ops.text_ops import TEXT
from runtime.text_methods import OTHERS, as_text, text_value

A_TEXT = ItemKind(plain_leaves("")[1], (TEXT,))
"""What the items of a list of texts are."""


def join(separator: Any, parts: Any) -> Any:
    """Return `separator.join(parts)`: of a list or a loop whose length is staged, too."""
    if is_lazy(parts) or has_no_length(parts):
        if staged_list(parts) is None:
            parts = collected(parts)
        staged = in_order(parts)
        if staged is not None:
            return _join_staged(separator, staged)
    return join_texts(separator, parts)


def _join_staged(separator: Any, staged: StagedList) -> Any:
    if staged.kind == NOTHING:
        return ""
    if staged.kind != A_TEXT or type(separator) is not str:
        raise refused(staged, "str.join()", "join a list of texts, such as str(x), by a known text")
    (rows,) = rows_of(staged)
    return as_text(apply(string_reduce_join, [rows], separator=separator))


def _split(text: Any, separator: str | None = None, maxsplit: int = -1) -> Any:
    """Return `text.split(separator)` as a list whose length is staged."""
    if type(separator) not in (str, type(None)) or separator == "" or maxsplit != -1:
        raise TypeError("split() of a staged text takes a known separator that is not empty")
    parts = apply(string_split, [text_value(text)], separator=separator)
    return fresh("text.split()", A_TEXT, [parts])


METHODS["join"] = join
OTHERS["join"] = join
OTHERS["split"] = _split
