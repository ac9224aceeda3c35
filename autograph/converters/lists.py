"""What else becomes calls of operators in code that is traced: containers may have staged items.

    x[0]              ->  ag.get_item(x, 0)
    x[i] = v          ->  ag.set_item(v, x, i)
    x[i] += v         ->  ag.change_item("+=", x, i, lambda: v)
    del x[i]          ->  ag.del_item(x, i)
    a, b = x          ->  a, b = ag.unpack(x, 2)
    x += y            ->  x = ag.change("+=", x, y)
    x + y, x == y     ->  ag.binary("+", x, y), ag.binary("==", x, y)
    f(*x)             ->  f(*ag.arguments(x))
    [1, *x]           ->  ag.joined([1], ag.spread(x))
    (1, *x)           ->  ag.binary("+", (1,), ag.as_tuple(x))
    a, *b = x         ->  a, b = ag.unpack(x, 2, 1)
    {x, y}, {x: y}    ->  ag.set_of([x, y]), ag.dict_of([(x, y)])
    {"a": 1, **x}     ->  ag.merged({"a": 1}, x)

On other values all of these do what Python does. Text for people leaves them as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import gast

from autograph.analysis.support import is_constant
from autograph.converters.base import (
    Block,
    Frame,
    call_operator,
    handed_on,
    statement,
    valued,
)
from autograph.converters.functions import convert_comprehension
from autograph.converters.logic import convert_compare
from autograph.converters.subscripts import convert_subscript, index_of
from autograph.converters.texts import convert_percent, is_format
from autograph.converters.thunks import can_thunk, thunk
from autograph.source.quote import constant, make, name
from autograph.source.signs import sign_of

_OF_IDENTITY = frozenset({"is", "is not", "in", "not in"})


def convert_item(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a subscript that is read; that a loop or a `with` assigns stays."""
    if not isinstance(node.ctx, gast.Load):
        return convert_subscript(node, frame)
    arguments = [frame.expression(node.value), index_of(node.slice, frame)]
    return call_operator("get_item", frame, at=node, arguments=arguments)


def convert_binary(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert an operator of two operands, which may be containers, or objects of the user's."""
    if is_format(node):
        return convert_percent(node, frame)
    if is_constant(node.left) and is_constant(node.right):
        return node
    operands = [frame.expression(node.left), frame.expression(node.right)]
    arguments = [constant(sign_of(node.op), at=node), *operands]
    return call_operator("binary", frame, at=node, arguments=arguments)


def convert_comparison(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a comparison of two values."""
    sign, *others = map(sign_of, node.ops)
    if others or sign in _OF_IDENTITY:
        return convert_compare(node, frame)
    operands = [frame.expression(node.left), frame.expression(node.comparators[0])]
    arguments = [constant(sign, at=node), *operands]
    return call_operator("binary", frame, at=node, arguments=arguments)


def convert_starred(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert `*x` where it is given to a function."""
    if isinstance(node.ctx, gast.Load):
        arguments = [frame.expression(node.value)]
        node.value = call_operator("arguments", frame, at=node, arguments=arguments)
    return node


def convert_tuple(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a tuple in which there are stars to a sum of tuples."""
    if not isinstance(node.ctx, gast.Load) or not any(map(_is_starred, node.elts)):
        node.elts = [frame.expression(part) for part in node.elts]
        return node
    parts = list(_tuples(node, frame))
    if len(parts) == 1:
        parts.append(make(gast.Tuple, at=node, elts=[], ctx=gast.Load()))
    total, *others = parts
    for part in others:
        arguments = [constant("+", at=node), total, part]
        total = call_operator("binary", frame, at=node, arguments=arguments)
    return total


def _tuples(node: gast.AST, frame: Frame) -> Iterator[gast.AST]:
    """Yield a tuple for each star, and one for what stands between two."""
    for starred, run in groupby(node.elts, _is_starred):
        if starred:
            for part in run:
                value = frame.expression(part.value)
                yield call_operator("as_tuple", frame, at=part, arguments=[value])
        else:
            elements = [valued(part, frame) for part in run]
            yield make(gast.Tuple, at=node, elts=elements, ctx=gast.Load())


def convert_list(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a list in which there are stars to lists that are joined."""
    if not isinstance(node.ctx, gast.Load) or not any(map(_is_starred, node.elts)):
        node.elts = [valued(part, frame) for part in node.elts]
        return node
    parts: list[gast.AST] = []
    for starred, run in groupby(node.elts, _is_starred):
        if starred:
            values = (frame.expression(part.value) for part in run)
            parts += [call_operator("spread", frame, at=x, arguments=[x]) for x in values]
        else:
            elements = [valued(part, frame) for part in run]
            parts.append(make(gast.List, at=node, elts=elements, ctx=gast.Load()))
    return call_operator("joined", frame, at=node, arguments=parts)


def convert_set(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a set of items that are written down."""
    if all(map(is_constant, node.elts)):
        return node
    items = frame.expression(make(gast.List, at=node, elts=node.elts, ctx=gast.Load()))
    return call_operator("set_of", frame, at=node, arguments=[items])


def convert_dict(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a dict of keys that are written down, or of parts."""
    if None not in node.keys:
        return _of_pairs(node, list(zip(node.keys, node.values, strict=True)), frame)
    parts = []
    for is_written, run in groupby(zip(node.keys, node.values, strict=True), lambda x: bool(x[0])):
        if is_written:
            parts.append(_of_pairs(node, list(run), frame))
        else:
            parts += [frame.expression(value) for _, value in run]
    return call_operator("merged", frame, at=node, arguments=parts)


def _of_pairs(at: gast.AST, pairs: list[tuple[gast.AST, gast.AST]], frame: Frame) -> gast.AST:
    pairs = [(frame.expression(key), valued(value, frame)) for key, value in pairs]
    if all(is_constant(key) for key, _ in pairs):
        keys, values = map(list, zip(*pairs, strict=True)) if pairs else ([], [])
        return make(gast.Dict, at=at, keys=keys, values=values)
    elts = [make(gast.Tuple, at=x[0], elts=list(x), ctx=gast.Load()) for x in pairs]
    items = make(gast.List, at=at, elts=elts, ctx=gast.Load())
    return call_operator("dict_of", frame, at=at, arguments=[items])


def _is_starred(node: gast.AST) -> bool:
    return isinstance(node, gast.Starred)


def convert_parts_of_comprehension(node: gast.AST, frame: Frame) -> gast.AST:
    """Convert a comprehension, and what it goes over."""
    convert_comprehension(node, frame)
    for part in node.generators:
        part.iter = call_operator("items", frame, at=part.iter, arguments=[part.iter])
    return node


def convert_expression(node: gast.AST, frame: Frame) -> Block:
    """Convert an expression that is a statement."""
    node.value = handed_on(node.value, frame)
    return [node]


def convert_return(node: gast.AST, frame: Frame) -> Block:
    """Convert what is returned."""
    node.value = None if node.value is None else valued(node.value, frame)
    return [node]


def convert_assign(node: gast.AST, frame: Frame) -> Block:
    """Convert an assignment: items are assigned by an operator, after what is unpacked."""
    value = handed_on(node.value, frame)
    targets, start = node.targets, []
    if len(targets) > 1 and any(isinstance(x, _SEVERAL) for x in targets):
        given = frame.function.namer.fresh("value")
        start = [_assign(make(gast.Name, at=node, id=given, ctx=gast.Store()), value)]
        return [*start, *(x for y in targets for x in _assigned(y, name(given, at=node), frame))]
    if len(targets) == 1:
        return _assigned(targets[0], value, frame, at=node)
    after: Block = []
    node.value, node.targets = value, [_taken(target, after, frame) for target in targets]
    return [node, *after]


_SEVERAL = (gast.Tuple, gast.List)


def _assigned(target: gast.AST, value: gast.AST, frame: Frame, at: gast.AST | None = None) -> Block:
    """Return what assigns a value to a target, and to what stands inside of this, one by one."""
    value = _unpacked(target, value, frame)
    if isinstance(target, gast.Subscript):
        return [_set_item(target, value, frame)]
    after: Block = []
    if isinstance(target, _SEVERAL):
        target.elts = [_taken(part, after, frame) for part in target.elts]
    else:
        target = frame.expression(target)
    return [_assign(target, value, at), *after]


def _assign(target: gast.AST, value: gast.AST, at: gast.AST | None = None) -> gast.AST:
    fields = {"targets": [target], "value": value, "type_comment": None}
    return make(gast.Assign, at=at or target, **fields)


def _unpacked(target: gast.AST, value: gast.AST, frame: Frame) -> gast.AST:
    """Return the value that a target of several names takes apart."""
    if not isinstance(target, (gast.Tuple, gast.List)) or isinstance(value, gast.Tuple):
        return value
    numbers = [len(target.elts), *(k for k, x in enumerate(target.elts) if _is_starred(x))]
    target.elts = [part.value if _is_starred(part) else part for part in target.elts]
    arguments = [value, *(constant(number, at=value) for number in numbers)]
    return call_operator("unpack", frame, at=value, arguments=arguments)


def _taken(target: gast.AST, after: Block, frame: Frame) -> gast.AST:
    """Return what takes a part for a target: itself, or a temporary name, assigned afterwards.

    What stands behind an item, or behind what is taken apart itself, is assigned after it, as that
    may raise.
    """
    if isinstance(target, gast.Starred):
        target.value = _taken(target.value, after, frame)
        return target
    if not (isinstance(target, (gast.Subscript, *_SEVERAL)) or after):
        return frame.expression(target)
    item = frame.function.namer.fresh("item")
    after += _assigned(target, name(item, at=target), frame)
    return make(gast.Name, at=target, id=item, ctx=gast.Store())


def _set_item(target: gast.AST, value: gast.AST, frame: Frame) -> gast.AST:
    arguments = [value, frame.expression(target.value), index_of(target.slice, frame)]
    return statement(call_operator("set_item", frame, at=target, arguments=arguments))


def convert_augmented(node: gast.AST, frame: Frame) -> Block:
    """Convert `x += y` and `x[i] += y`."""
    sign = f"{sign_of(node.op)}="
    target = node.target
    if isinstance(target, gast.Subscript) and can_thunk(frame, node.value):
        arguments = [constant(sign, at=node), frame.expression(target.value)]
        arguments += [index_of(target.slice, frame), thunk(node.value, frame, at=node)]
        return [statement(call_operator("change_item", frame, at=node, arguments=arguments))]
    node.value = frame.expression(node.value)
    if isinstance(target, gast.Subscript):
        node.target = frame.expression(target)
        return [node]
    before = _owned_once(target, frame)
    arguments = [constant(sign, at=node), _read(target), node.value]
    value = call_operator("change", frame, at=node, arguments=arguments)
    changed = make(gast.Assign, at=node, targets=[target], value=value, type_comment=None)
    return [*before, changed]


def _owned_once(target: gast.AST, frame: Frame) -> Block:
    """Return what gives the owner of an attribute a name, so that it is evaluated once."""
    if isinstance(target, gast.Name) or isinstance(target.value, gast.Name):
        return []
    owner, value = frame.function.namer.fresh("owner"), frame.expression(target.value)
    named = make(gast.Name, at=target, id=owner, ctx=gast.Store())
    target.value = name(owner, at=target)
    return [make(gast.Assign, at=target, targets=[named], value=value, type_comment=None)]


def _read(target: gast.AST) -> gast.AST:
    """Return a name or an attribute as it is read."""
    if isinstance(target, gast.Name):
        return name(target.id, at=target)
    owner = name(target.value.id, at=target)
    return make(gast.Attribute, at=target, value=owner, attr=target.attr, ctx=gast.Load())


def convert_delete(node: gast.AST, frame: Frame) -> Block:
    """Convert `del x[i]`."""
    return list(_deleted(node, frame))


def _deleted(node: gast.AST, frame: Frame) -> Iterator[gast.AST]:
    for target in node.targets:
        if isinstance(target, gast.Subscript):
            arguments = [frame.expression(target.value), index_of(target.slice, frame)]
            yield statement(call_operator("del_item", frame, at=target, arguments=arguments))
        else:
            yield make(gast.Delete, at=node, targets=[target])
