"""Texts and lists: `join` of a list or loop of texts, and the lists that `split` gives."""

from __future__ import annotations

from functools import partial
from typing import Any

import runtime.numpy as rnp
from autograph.operators.builtins.iterable_builtins import collected
from autograph.operators.builtins.text_forms import METHODS
from autograph.operators.builtins.texts import separated
from autograph.operators.builtins.type_queries import plain_type, type_name
from autograph.operators.containers.columns import need
from autograph.operators.containers.item_kinds import NOTHING, ItemKind, variant_of
from autograph.operators.containers.item_values import plain_leaves
from autograph.operators.containers.staged_containers import (
    StagedList,
    staged_list,
)
from autograph.operators.containers.storage import fresh, refused, rows_of
from autograph.operators.iteration.generators import is_lazy
from autograph.operators.iteration.staged_iterables import has_no_length
from autograph.operators.keyed.views import in_order
from autograph.operators.objects.union_values import each
from autograph.staging.text_join import as_one_text
from runtime.dispatch import apply
from runtime.errors import StagedValueError, exact
from runtime.ops.string_ops import string_reduce_join, string_split
from runtime.ops.text_ops import TEXT
from runtime.text_methods import OTHERS, as_text, text_value
from runtime.texts import StagedText, joined
from runtime.union import Choice

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
    texts = [_text_at(position, part) for position, part in enumerate(parts)]
    is_ours = StagedText in map(type, texts)
    return joined(separated(texts, separator)) if is_ours else separator.join(texts)


def _text_at(position: int, part: Any) -> Any:
    """Return a part as a text; one of several texts is a value of the graph."""
    if type(part) is Choice and type(part := as_one_text(part)) is Choice:  # or no text
        return as_one_text(each(part, partial(_text_at, position)))
    if not issubclass(plain_type(part), str):
        raise TypeError(f"sequence item {position}: expected str instance, {type_name(part)} found")
    return as_text(part)


def _join_staged(separator: Any, staged: StagedList) -> Any:
    if staged.kind == NOTHING:
        return ""
    rows = _texts_of(staged)
    if rows is None or type(separator) is not str:
        raise refused(staged, "str.join()", "join a list of texts, such as str(x), by a known text")
    return as_text(apply(string_reduce_join, [rows], separator=separator))


def _texts_of(staged: StagedList) -> Any:
    """Return the column of a list of texts; None for others. Any other item is a TypeError."""
    rows, variant = rows_of(staged), variant_of(staged.kind)
    if variant is None:
        return rows[0] if staged.kind == A_TEXT else None
    if A_TEXT not in variant.kinds:
        return None
    number = variant.kinds.index(A_TEXT)
    need(rnp.all(rows[0] == number), TypeError, "sequence item: expected str instance")
    return variant.by_kind(rows)[number][0]


def _split(text: Any, separator: str | None = None, maxsplit: int = -1) -> Any:
    """Return `text.split(separator)` as a list whose length is staged."""
    if separator == "":
        raise exact(ValueError("empty separator"))
    if type(separator) not in (str, type(None)) or maxsplit != -1:
        raise StagedValueError("split() of a staged text takes a known separator, and splits all")
    parts = apply(string_split, [text_value(text)], separator=separator)
    return fresh("text.split()", A_TEXT, [parts])


METHODS["join"] = join
OTHERS["join"] = join
OTHERS["split"] = _split
