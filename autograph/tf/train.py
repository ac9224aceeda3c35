"""`tf.train`: checkpoints, which are files of NumPy's with what variables hold, by their paths."""

from __future__ import annotations

import json
import os
import re
from contextlib import nullcontext
from typing import Any

import numpy as np

from autograph.nn.arrivals import wait
from autograph.nn.optimizers import Optimizer
from autograph.nn.variables import variables
from autograph.tf.absent import missing_from
from autograph.tf.dtype import as_dtype
from autograph.tf.errors import NotFoundError
from autograph.tf.examples import BytesList, Example, Feature, Features, FloatList, Int64List
from autograph.tf.module import Module
from runtime import default_graph
from runtime.state.checkpoint import save_variables
from runtime.state.variable import Variable

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "Example",
    "Feature",
    "Features",
    "FloatList",
    "Int64List",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]


SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""What a file holds besides variables: the bytes of their names, as JSON."""


class Checkpoint:
    """Objects whose variables are kept together in a file. Places of iterators are not kept.

    Args:
        root: an object whose attributes are kept as if they were given themselves.
        objects: modules, models, optimisers and variables, by names; more may be assigned as
            attributes later.

    >>> import os, tempfile
    >>> from autograph import tf
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(v=v)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = checkpoint.write(os.path.join(folder, "kept"))
    ...     _ = v.assign(5.0)
    ...     _ = checkpoint.restore(path)
    >>> float(v)
    1.0
    """

    def __init__(self, root: Any = None, **objects: Any) -> None:
        self._root = root
        self._awaited: dict[str, Any] = {}
        self.save_counter = Variable(np.int64(0), name="save_counter", trainable=False)
        vars(self).update(objects)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name.startswith("_") or not self._awaited:
            return
        self._complete()
        beyond = [x for x in self._awaited if x.startswith(f"{name}/")]
        if beyond and isinstance(value, list | dict):
            raise NotImplementedError(
                f"{name!r} was restored with {beyond[0].removesuffix(SUFFIX)}, which is not in it, "
                "and nobody sees what is put into a list or dict later; assign it with its items"
            )

    def _named(self) -> dict[str, Variable]:
        """Return the variables that there are now, by the paths to them."""
        found: dict[str, Variable] = {} if self._root is None else _parts(self._root)
        for name, x in vars(self).items():
            if not name.startswith("_") and name != "save_counter":
                found.update(
                    {f"{name}/{path}" if path else name: v for path, v in _parts(x).items()}
                )
        return {f"{path}{SUFFIX}": v for path, v in found.items()}

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write what the variables hold into the file `file_prefix.npz`; return its prefix."""
        return self._write(file_prefix, self._named())

    def _write(self, file_prefix: Any, named: dict[str, Variable]) -> str:
        prefix: str = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        text = np.frombuffer(json.dumps(sorted(named)).encode(), np.uint8)
        save_variables(f"{prefix}.npz", {**named, GRAPH: Variable(text, trainable=False)})
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Write a file with a number, one more than before; return its prefix."""
        self.save_counter.assign_add(1)
        named = {**self._named(), f"save_counter{SUFFIX}": self.save_counter}
        return self._write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}", named)

    def restore(self, save_path: Any, options: Any = None) -> Status:
        """Assign what a file holds to the variables that there are, and to others when they come.

        Those that layers, modules and optimisers make later are assigned when they are made.

        Args:
            save_path: what `write` or `save` returned; None does nothing.
            options: without an effect.

        Raises:
            KeyError: there is a variable of which the file holds nothing.
            DtypeError, ShapeError: it holds something else. Nothing is assigned then.
        """
        if save_path is None:
            return Status(self)
        held = _held(save_path)
        held.pop(GRAPH, None)
        counter = f"save_counter{SUFFIX}"
        named = self._named()
        named.update({counter: self.save_counter} if counter in held else {})
        if named.keys() - held:
            names = ", ".join(sorted(x.removesuffix(SUFFIX) for x in named.keys() - held))
            raise KeyError(f"{os.fspath(save_path)}.npz: there is no {names} in the file")
        for name, variable in named.items():
            variable.check(held[name])
        self._awaited = held
        if not self._complete(named):
            wait(self._complete)
            Module.watch_attributes()
        return Status(self)

    read = restore

    def _complete(self, named: dict[str, Variable] | None = None) -> bool:
        """Assign what is awaited to the variables that there are; tell whether that is all."""
        for name, variable in (self._named() if named is None else named).items():
            if name in self._awaited:
                value = self._awaited.pop(name)
                variable.check(value)
                # One that a graph gives its first value is assigned there, others at once.
                with default_graph.building(None) if variable.has_value else nullcontext():
                    variable.assign(value)
        return not self._awaited


class Status:
    """What was restored.

    Args:
        checkpoint: what was.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint

    def assert_consumed(self) -> Status:
        """Return itself; AssertionError if the file holds more than there are variables for."""
        left = sorted(x.removesuffix(SUFFIX) for x in self._checkpoint._awaited)
        if left:
            raise AssertionError(f"no variables are there yet for {', '.join(left)}")
        return self

    def assert_existing_objects_matched(self) -> Status:
        """Return itself: all variables that were there were assigned."""
        return self

    expect_partial = assert_nontrivial_match = assert_existing_objects_matched


class Reader:
    """What a file of a checkpoint holds.

    Args:
        held: arrays, by their names.
    """

    def __init__(self, held: dict[str, Any]) -> None:
        self._held = held

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes, by the names."""
        return {name: list(x.shape) for name, x in self._held.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Return the dtypes, by the names."""
        return {
            name: as_dtype("string" if x.dtype.kind == "U" else x.dtype)
            for name, x in self._held.items()
        }

    def has_tensor(self, name: str) -> bool:
        """Tell whether there is something of a name."""
        return name in self._held

    def get_tensor(self, name: str) -> Any:
        """Return what is held under a name, as an array of NumPy."""
        return self._held[name]


def load_checkpoint(ckpt_dir_or_file: Any) -> Reader:
    """Return what tells of a file that `Checkpoint` wrote, or of the last one in a folder."""
    return Reader(_held(_file_of(ckpt_dir_or_file)))


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Return what a file holds under a name, as an array of NumPy."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def _file_of(given: Any) -> str:
    """Return the prefix of a file, or that of the last one in a folder."""
    path: str = os.fspath(given)
    if not os.path.isdir(path):
        return path
    last = latest_checkpoint(path)
    if last is None:
        raise NotFoundError(f"there is no checkpoint in {path}")
    return last


def _held(prefix: Any) -> dict[str, Any]:
    path = f"{os.fspath(prefix)}.npz"
    if not os.path.exists(path):
        raise NotFoundError(f"{path} is not there")
    with np.load(path, allow_pickle=False) as file:
        held = {name: file[name] for name in file.files}
    if GRAPH in held:
        held[GRAPH] = np.array(held[GRAPH].tobytes().decode())
    return held


def _parts(x: Any) -> dict[str, Variable]:
    """Return the variables of an object by the paths to them: "layers/0/kernel"."""
    if isinstance(x, Checkpoint):
        return {name.removesuffix(SUFFIX): v for name, v in x._named().items()}
    if isinstance(x, Optimizer):  # what it changes is kept with the models
        return {str(k): v for k, v in enumerate(x.variables)}
    return {_key(path): v for path, v in variables(x).items()}


class CheckpointManager:
    """Keeps the last files of a checkpoint in a folder.

    Args:
        checkpoint: whose files they are.
        directory: the folder.
        max_to_keep: how many stay; None for all.
        checkpoint_name: the beginning of their names.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        checkpoint_name: str = "ckpt",
    ) -> None:
        self.checkpoint, self.directory = checkpoint, os.fspath(directory)
        self._most, self._name = max_to_keep, checkpoint_name

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the files, the last one at the end."""
        return [x for x in _prefixes(self.directory) if os.path.basename(x).startswith(self._name)]

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the last file, or None."""
        return self.checkpoints[-1] if self.checkpoints else None

    def save(self, checkpoint_number: Any = None, **others: Any) -> str:
        """Write a file, and remove those before the last ones; return its prefix."""
        if checkpoint_number is not None:
            self.checkpoint.save_counter.assign(int(checkpoint_number) - 1)
        made = self.checkpoint.save(os.path.join(self.directory, self._name))
        for prefix in self.checkpoints[: -self._most] if self._most is not None else ():
            os.remove(f"{prefix}.npz")
        return made

    def restore_or_initialize(self) -> str | None:
        """Restore the last file, if there is one; return its prefix."""
        self.checkpoint.restore(self.latest_checkpoint)
        return self.latest_checkpoint


def _key(path: str) -> str:
    """Return a path as a name.

    >>> _key("layers[0].parts['a'].kernel")
    'layers/0/parts/a/kernel'
    """
    return re.sub(r"\['?(.*?)'?\]", r".\1", path).strip(".").replace(".", "/")


def _prefixes(folder: str) -> list[str]:
    """Return the prefixes of numbered files in a folder, by their numbers."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = [(int(m[2]), m[1]) for name in names if (m := re.fullmatch(r"(.*-(\d+))\.npz", name))]
    return [os.path.join(folder, prefix) for _, prefix in sorted(found)]


def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """Return the prefix of the last file that `Checkpoint.save` wrote in a folder, or None."""
    found = _prefixes(os.fspath(checkpoint_dir))
    return found[-1] if found else None


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Return the names and shapes of what a file holds."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())


__getattr__ = missing_from("autograph.tf.train", globals())
