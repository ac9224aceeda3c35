"""The operators that converted code is made of.

Each decides at run time, by value: when nothing staged is involved it does exactly what Python
does, else it adds to the graph that is being built.
"""

from __future__ import annotations

import os
import sys
from builtins import slice

from autograph.files.written import converted
from autograph.operators import table
from autograph.operators.builtins.iterable_builtins import (
    dict_comprehension,
    dict_of,
    list_comprehension,
    merged,
    set_comprehension,
    set_of,
)
from autograph.operators.builtins.text_forms import percent
from autograph.operators.builtins.texts import field, text
from autograph.operators.builtins.type_queries import attribute
from autograph.operators.calls.call import call, entered, is_itself
from autograph.operators.calls.spread_calls import arguments, as_tuple
from autograph.operators.containers.items import (
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
from autograph.operators.control_flow.condition_hints import hinted
from autograph.operators.control_flow.conditionals import assert_, if_, if_exp, keep
from autograph.operators.control_flow.logic import (
    and_,
    compare,
    in_,
    is_,
    is_not,
    not_,
    not_in,
    or_,
)
from autograph.operators.control_flow.loops import for_, while_
from autograph.operators.control_flow.matching import match, matches
from autograph.operators.control_flow.tries import try_, try_star
from autograph.operators.control_flow.withs import with_
from autograph.operators.iteration.generators import generator_expression, generator_of_each
from autograph.operators.iteration.special_iteration import iterated
from autograph.operators.mutation.journal import looked_up, new, taken, written
from autograph.operators.objects.attributes import assigned, deleted, whole
from autograph.operators.objects.operands import unary
from autograph.operators.objects.presence import present
from autograph.operators.objects.subscripts import get_item
from runtime.graph.location import hide_folder

hide_folder(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
table.fill(sys.modules[__name__])

__all__ = [
    "and_",
    "arguments",
    "as_tuple",
    "assert_",
    "assigned",
    "attribute",
    "binary",
    "call",
    "change",
    "change_item",
    "compare",
    "converted",
    "del_item",
    "deleted",
    "dict_comprehension",
    "dict_of",
    "entered",
    "field",
    "for_",
    "generator_expression",
    "generator_of_each",
    "get_item",
    "hinted",
    "if_",
    "if_exp",
    "in_",
    "is_",
    "is_itself",
    "is_not",
    "items",
    "iterated",
    "joined",
    "list_comprehension",
    "keep",
    "looked_up",
    "match",
    "matches",
    "merged",
    "new",
    "not_",
    "not_in",
    "or_",
    "percent",
    "present",
    "set_comprehension",
    "set_item",
    "set_of",
    "slice",
    "spread",
    "taken",
    "text",
    "try_",
    "try_star",
    "unary",
    "unpack",
    "while_",
    "whole",
    "with_",
    "written",
]
