"""What is said of changes in staged branches and loops that cannot be followed."""

from __future__ import annotations

from typing import Any


def message(name: str, container: Any) -> str:
    """Say that a container changes in a way that cannot be followed, and what to write."""
    return (
        f"the {type(container).__name__} {name!r} is changed in a staged branch or loop, which is "
        f"traced once, however often it runs. {_instead(name, container)}"
    )


def written_array(name: str, array: Any) -> str:
    """Say that an array that is known while tracing is written."""
    return (
        f"the array {name!r}, {array.dtype}{list(array.shape)}, is no array of the graph, and is "
        "written in a staged branch or loop, which is traced once, however often it runs. Pass it "
        f"as an argument, or make one of the graph before: {name} = np.array({name})"
    )


def taken(name: str, iterator: Any) -> str:
    """Say that an iterator gives an item."""
    return (
        f"the iterator {name!r}, of type {type(iterator).__name__}, gives an item in a staged "
        "branch or loop, which is traced once, however often it runs. Write items[i] of a list or "
        "an array, with a number that you count, or make the iterator where it is used"
    )


def _instead(name: str, container: Any) -> str:
    """Say what to write instead."""
    if isinstance(container, dict):
        return (
            f"Give it all of its keys before, such as {name} = {{'first': 0.0, 'second': 0.0}}: "
            "their values may change. New keys are numbers, texts or tuples of them, in a dict"
        )
    if isinstance(container, set):
        return "It may have numbers, texts and tuples of them for items"
    return f"Use a list: {name} = []"
