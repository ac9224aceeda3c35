"""The operators that converted code is made of.

Each decides at run time, by value: when nothing staged is involved it does exactly what Python
does, else it adds to the graph that is being built.
"""

from __future__ import annotations

import os
from builtins import slice
from types import MethodType

from autograph.files.written import converted
from autograph.operators.choices import STAGED
from autograph.operators.conditionals import assert_, if_, if_exp, keep
from autograph.operators.generators import generator_expression
from autograph.operators.iterables import ITERABLES, is_plain_iterable
from autograph.operators.iterating import (
    dict_comprehension,
    dict_of,
    list_comprehension,
    set_comprehension,
    set_of,
)
from autograph.operators.lists.items import (
    binary,
    change,
    change_item,
    del_item,
    items,
    joined,
    set_item,
    spread,
    unpack,
)
from autograph.operators.logic import KEYED, and_, compare, in_, is_, is_not, not_, not_in, or_
from autograph.operators.loops import (
    UNASKED,
    for_,
    mark,
    resume_for,
    resume_while,
    while_,
)
from autograph.operators.matching import match, matches
from autograph.operators.subscripts import INDICES, get_item
from autograph.operators.texts import field, percent, text
from autograph.operators.tries import try_
from runtime.errors import StagedValueError
from runtime.graph.location import hide_folder

from autograph.operators.calls import CallSite, call, is_itself  # isort: skip  (it hands this module to the converter)
from autograph.operators.hinted import hinted  # isort: skip  (it calls)

hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

__all__ = [
    "INDICES",
    "ITERABLES",
    "KEYED",
    "UNASKED",
    "CallSite",
    "MethodType",
    "StagedValueError",
    "STAGED",
    "and_",
    "assert_",
    "binary",
    "call",
    "change",
    "change_item",
    "compare",
    "converted",
    "del_item",
    "dict_comprehension",
    "dict_of",
    "field",
    "for_",
    "generator_expression",
    "get_item",
    "hinted",
    "if_",
    "if_exp",
    "in_",
    "is_",
    "is_itself",
    "is_not",
    "is_plain_iterable",
    "items",
    "joined",
    "list_comprehension",
    "keep",
    "mark",
    "match",
    "matches",
    "not_",
    "not_in",
    "or_",
    "percent",
    "resume_for",
    "resume_while",
    "set_comprehension",
    "set_item",
    "set_of",
    "slice",
    "spread",
    "text",
    "try_",
    "unpack",
    "while_",
]
