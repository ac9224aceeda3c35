"""Functions whose branches, loops and calls of themselves make objects."""

from __future__ import annotations

import copy
import heapq
import math
from typing import Any

import numpy as np


class Node:
    weight = 1.0

    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt

    def heavier(self):
        self.weight += 1.0

    @property
    def twice(self):
        return self.v * 2

    @twice.setter
    def twice(self, value):
        self.v = value / 2


class Tagged(Node):
    def __init__(self, v, tag):
        super().__init__(v)
        self.tag = tag


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3 * self.radius**2


class Tree:
    def __init__(self, v):
        self.v = v
        self.left = None
        self.right = None


class Account:
    def __init__(self, name):
        self.name = name
        self.history = []
        self.limits = {"low": 0.0}
        self.balance = 0.0

    def book(self, v):
        if v < self.limits["low"]:
            raise ValueError(f"{self.name}: {v}")
        self.balance += v
        self.history.append(v)


OUTSIDE = Node(5.0)


def made_in_an_arm(x):
    node = Node(x) if x > 0 else Node(-x, OUTSIDE.v)
    return node.v, node


def made_in_rounds(x):
    node = Node(x)
    before = node
    while node.v < 20:
        before = node
        node = Node(node.v * 2 + 3, node.v)
        node.v += 1.0
    return node.v, before.v, node is before, node != before


def list_of_links(x):
    head = None
    for v in x:
        head = Node(v, head)
    total = 0.0
    node = head
    while node is not None:
        total = total * 2 + node.v
        node = node.nxt
    return total, head


def turned_around(x):
    head = None
    for v in x:
        head = Node(v, head)
    before = None
    while head is not None:
        after = head.nxt
        head.nxt = before
        before, head = head, after
    return before


def insert(tree, v):
    if tree is None:
        return Tree(v)
    if v < tree.v:
        tree.left = insert(tree.left, v)
    else:
        tree.right = insert(tree.right, v)
    return tree


def in_order(tree, found):
    if tree is not None:
        in_order(tree.left, found)
        found.append(tree.v)
        in_order(tree.right, found)


def tree_sort(x):
    tree = None
    for v in x:
        tree = insert(tree, v)
    found: list[Any] = []
    in_order(tree, found)
    return found


def of_several_classes(x):
    total, last = 0.0, None
    for v in x:
        if v > 2:
            last = Square(v)
        elif v > 0:
            last = Circle(v)
        if last is not None:
            total += last.area()
    return total, isinstance(last, Square), last


def in_lists(x):
    nodes = []
    for v in x:
        if v > 0:
            nodes.append(Node(v))
    for node in nodes:
        node.v *= 2
    nodes.sort(key=lambda node: -node.v)
    first = nodes[0]
    first.v += 100
    return [node.v for node in nodes], first is nodes[0], max(nodes, key=lambda p: p.v).v


def in_heaps_and_dicts(x):
    heap, nodes = [], {}
    for v in x:
        heapq.heappush(heap, (v, Node(v)))
        k = int(v)
        if k in nodes:
            nodes[k].v += 1
        else:
            nodes[k] = Node(v)
    total = 0.0
    while heap:
        total = total * 2 + heapq.heappop(heap)[1].v
    return total, {k: node.v for k, node in nodes.items()}


def with_errors(x):
    account = None
    for v in x:
        if account is None:
            account = Account("first")
        try:
            account.book(v)
        except ValueError as error:
            account = Account(str(error))
    return account


def attributes(x):
    node = Tagged(x, 1)
    while node.v < 20:
        node = Tagged(node.v + 7, node.tag * 2)
        node.twice = node.twice + 1
        if node.v > 15:
            node.heavier()
    asked = hasattr(node, "v"), hasattr(node, "z"), getattr(node, "z", 7)
    setattr(node, "tag", -1)  # noqa: B010
    return node, asked, type(node) is Tagged, isinstance(node, Node), node.weight


def copied(x):
    node = Node(x)
    if x > 0:
        node = Node(x + 1)
    other = copy.copy(node)
    other.v = 9.0
    return node.v, other.v, other is node


def in_circles(x):
    a = Node(x)
    b = Node(x + 1, a)
    a.nxt = b
    if x > 0:
        a = Node(9.0, b)
        b.nxt = a
    return a, a.nxt.nxt is a


def beside_others(x):
    best = OUTSIDE
    for k in range(3):
        if x * k > best.v:
            best = Node(x * k)
    return best.v, best is OUTSIDE


def of_changing_kinds(x):
    node = Node(None)
    for k in range(4):
        if x > k:
            node = Node(k) if node.v is None else Node(node.v + 0.5)
    function = Node(math.sin)
    if x > 0:
        function = Node(math.cos)
    text = Node("a")
    for k in range(4):
        if x > k:
            text = Node(text.v + "b")
    return node.v, function.v(x), text.v


def missing(x):
    node = None
    if x > 0:
        node = Node(x)
    node.v = node.v + 1.0
    return node.v


def returned_early(x):
    for k in range(10):
        node = Node(x + k)
        if node.v > 5:
            return node
    return None


NUMBERS = [(np.float64(2.0),), (np.float64(-2.0),), (np.float64(30.0),)]
ARRAYS = [(np.array([3.0, 1.0, 2.0, 5.0]),), (np.array([1.0, -2.0]),), (np.array([0.5]),)]
CASES = [
    (made_in_an_arm, NUMBERS),
    (made_in_rounds, NUMBERS),
    (list_of_links, ARRAYS),
    (turned_around, ARRAYS),
    (tree_sort, ARRAYS[1:]),
    (of_several_classes, ARRAYS),
    (in_lists, ARRAYS),
    (in_heaps_and_dicts, ARRAYS[:2]),
    (with_errors, ARRAYS),
    (attributes, NUMBERS),
    (copied, NUMBERS),
    (in_circles, NUMBERS),
    (beside_others, NUMBERS),
    (of_changing_kinds, NUMBERS),
    (missing, NUMBERS),
    (returned_early, NUMBERS),
]
