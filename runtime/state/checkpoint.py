"""Checkpoints: what variables hold, in a file of NumPy's, by name. Nothing in it is run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.state.variable import Variable
from runtime.trees import flatten, paths

Path = str | os.PathLike[str]


def save_variables(path: Path, variables: Any) -> None:
    """Write what variables hold into a file.

    Args:
        path: the file, which ends with `.npz`. It is replaced as a whole, or not at all.
        variables: a variable, or a structure of them: a dict by names, or lists and dicts of them.

    Raises:
        TypeError: there is something else than variables, or there are two of one name.
        ValueError: the name of the file does not end with `.npz`.
    """
    named = dict(_named(variables))
    path = _checked(path)
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            np.savez(file, **{name: variable.numpy() for name, variable in named.items()})
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def load_variables(path: Path, variables: Any) -> None:
    """Assign to variables what a file holds: to all of them, or to none.

    Args:
        path: a file that `save_variables` wrote.
        variables: a structure of the same form.

    Raises:
        KeyError: the file and the variables have other names.
        DtypeError: an array has another dtype than its variable.
        ShapeError: an array has another shape than its variable.

    >>> import os, tempfile
    >>> v = Variable([1.0, 2.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_variables(os.path.join(folder, "v.npz"), {"v": v})
    ...     v.assign_add([1.0, 1.0])
    ...     load_variables(os.path.join(folder, "v.npz"), {"v": v})
    array([2., 3.])
    >>> v
    Variable(array([1., 2.]))
    """
    named = dict(_named(variables))
    with np.load(_checked(path), allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    for missing, where in ((held.keys() - named, "variables"), (named.keys() - held, "file")):
        if missing:
            names = ", ".join(sorted(missing))
            raise KeyError(f"{os.fspath(path)}: there is no {names} in the {where}")
    for name, variable in named.items():
        variable.check(held[name])
    for name, variable in named.items():
        variable.assign(held[name])


def _named(variables: Any) -> Iterator[tuple[str, Variable]]:
    """Yield the variables with the names of their places."""
    leaves, structure = flatten(variables)
    for leaf, path in zip(leaves, paths(structure), strict=True):
        if not isinstance(leaf, Variable):
            raise TypeError(f"a checkpoint is of variables, and {path or 'this'} is {leaf!r}")
        yield _key(path) or leaf.name, leaf


def _key(path: str) -> str:
    """Return a place as a name: `['layers'][0]` is `layers.0`."""
    return path.replace("']['", ".").replace("][", ".").strip("[]'.").replace("'", "")


def _checked(path: Path) -> str:
    name = os.fspath(path)
    if not name.endswith(".npz"):
        raise ValueError(f"a checkpoint is a file of NumPy's that ends with .npz, not {name!r}")
    return name
