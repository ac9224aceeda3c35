"""`tf.train`: checkpoints, which are files of NumPy's with what variables hold, by their paths."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from autograph.nn.optimizers import Optimizer
from autograph.nn.variables import variables
from autograph.tf.absent import missing_from
from runtime.state.checkpoint import load_variables, save_variables
from runtime.state.variable import Variable

__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint", "list_variables"]


class Checkpoint:
    """Objects whose variables are kept together in a file.

    Args:
        root: an object whose attributes are kept as if they were given themselves.
        objects: modules, models, optimisers and variables, by names.

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
        self.save_counter = Variable(np.int64(0), name="save_counter", trainable=False)
        vars(self).update(objects)
        self._objects = objects

    def _named(self) -> dict[str, Variable]:
        found: dict[str, Variable] = {} if self._root is None else variables(self._root)
        for name, x in self._objects.items():
            if isinstance(x, Optimizer):  # what it changes is kept with the models
                found.update({f"{name}.{k}": v for k, v in enumerate(x.variables)})
            else:
                found.update({f"{name}.{path}": v for path, v in variables(x).items()})
        return {**{_key(path): v for path, v in found.items()}, "save_counter": self.save_counter}

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write what the variables hold into the file `file_prefix.npz`; return its prefix."""
        prefix: str = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        save_variables(f"{prefix}.npz", self._named())
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Write a file with a number, one more than before; return its prefix."""
        self.save_counter.assign_add(1)
        return self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}", options)

    def restore(self, save_path: Any, options: Any = None) -> Status:
        """Assign what a file holds: to all variables, or to none.

        Args:
            save_path: what `write` or `save` returned; None does nothing.
            options: without an effect.

        Raises:
            KeyError: the file and the objects have other variables. Those that layers make when
                they are first called are to be there: call a model once before.
        """
        if save_path is not None:
            load_variables(f"{os.fspath(save_path)}.npz", self._named())
        return Status()

    read = restore


class Status:
    """What was restored: always all of it, so that there is nothing to ask."""

    def assert_consumed(self) -> Status:
        """Return itself: all variables of the file were assigned."""
        return self

    assert_existing_objects_matched = expect_partial = assert_nontrivial_match = assert_consumed


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
    """Return a path as a name: `model.layers[0].kernel` is `model.layers.0.kernel`."""
    return re.sub(r"\['?(.*?)'?\]", r".\1", path).replace("..", ".").strip(".")


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
    with np.load(f"{os.fspath(ckpt_dir_or_file)}.npz", allow_pickle=False) as held:
        return [(name, list(held[name].shape)) for name in sorted(held.files)]


__getattr__ = missing_from("autograph.tf.train", globals())
