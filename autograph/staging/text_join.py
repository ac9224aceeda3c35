"""Texts that arms or rounds leave in a variable, made one text of the graph.

A few texts that are known stay a `Choice`, which costs nothing. Texts of which one is known only
when the graph runs, or that would become more and more, are one value of dtype `string`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from autograph.staging.classed_number import is_classed
from autograph.staging.join import keeping_flag
from runtime import default_graph, trees
from runtime.default_graph import building
from runtime.dispatch import apply, as_known, as_value
from runtime.dtypes import STRING
from runtime.graph.builder import Builder
from runtime.graph.opdef import REGISTRY
from runtime.tensor import Symbol, is_staged
from runtime.text_methods import ONE, as_text, call_text, is_text, text_value
from runtime.texts import StagedText
from runtime.union import Choice, option_of, values_of


def texts_alike(values: Sequence[Any], builders: Sequence[Builder], all_: bool) -> Sequence[Any]:
    """Return values in which all texts are one kind of text, where that is needed.

    Args:
        values: of one variable.
        builders: where each can be computed with.
        all_: whether texts that are known become one, too.
    """
    if not all(map(is_text, values)):
        values = list(map(as_text, values))
    texts = list(filter(is_text, _options(values)))
    if len(texts) < 2 or not (all_ or any(type(x) is not str for x in texts)):
        return values
    pairs = zip(values, builders, strict=True)
    return [_with_one_text(value, builder) for value, builder in pairs]


def grow(before: Any, after: Any) -> bool:
    """Tell whether a round of a loop makes longer texts of those that it may begin with."""
    if type(before) is not Choice:
        return False
    old = {x for x in values_of(before) if type(x) is str}
    new = {x for x in _options([after]) if type(x) is str} - old
    return any(x and (y.startswith(x) or y.endswith(x)) for x in old for y in new)


def _options(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if type(value) is Choice:
            yield from values_of(value)
        else:
            yield value


def _with_one_text(value: Any, builder: Builder) -> Any:
    if type(value) is Choice:
        with building(builder):
            return _merged(value, builder)
    return _one_text(value, builder) if is_text(value) else value


def _one_text(value: Any, builder: Builder) -> StagedText:
    with building(builder):
        found = text_value(trees.map_tree(_number, value, is_classed))
        symbol = found if is_staged(found) else Symbol(builder, as_value(builder, found))
    return StagedText(ONE, (symbol,))


def _number(part: Any) -> Any:
    """Return a number of several classes, as a loop's state has it, as a text is made of it."""
    return part.symbol() if is_classed(part) else part


def as_one_text(value: Any) -> Any:
    """Return a text, or a choice between texts, as one text; anything else as it is."""
    if type(value) is str:
        return StagedText(ONE, (np.array(value, STRING),))
    builder = default_graph.current()
    is_one = is_text(value) or (type(value) is Choice and all(map(is_text, values_of(value))))
    return _with_one_text(value, builder) if is_one and builder is not None else value


def _merged(choice: Choice, builder: Builder) -> Any:
    """Return a choice of whose options at most one is a text."""
    options, which = values_of(choice), choice._which
    texts = [text_value(x) for x in options if is_text(x)]
    if not texts:
        return choice
    pairs = zip(choice._options, choice._leaves, options, strict=True)
    others = [(option, leaves) for option, leaves, x in pairs if not is_text(x)]
    position = renumbered(which, _numbers(options, True, 0), builder)
    text = _one_text(call_text("pick", position, *texts), builder)
    if not others:
        return text
    number = renumbered(which, _numbers(options, False, len(others)), builder)
    return Choice(number, *zip(*others, option_of(text), strict=True))


def _numbers(options: Sequence[Any], are_texts: bool, other: int) -> list[int]:
    """Return the numbers of texts, or of what is none, among themselves; `other` for the rest."""
    numbers = count()
    return [next(numbers) if is_text(x) is are_texts else other for x in options]


def renumbered(which: Any, numbers: Sequence[int], builder: Builder) -> Any:
    """Return the number that stands at a position, staged or not."""
    if numbers == list(range(len(numbers))):
        return which
    if isinstance(which, int | np.integer):
        return numbers[int(which)]
    with building(builder):
        table = as_known(builder, np.array(numbers))
        return keeping_flag(which, lambda number: apply(REGISTRY["item"], [table[number]]))
