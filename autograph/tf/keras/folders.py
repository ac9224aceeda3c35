"""Datasets of the files of a folder, which has a folder for each class."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograph.tf.data import Dataset
from autograph.tf.errors import NotFoundError

PARTS = ("training", "validation", "both")


def text_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Sequence[str] | None = None,
    batch_size: int | None = 32,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    verbose: bool = True,
    **others: Any,
) -> Any:
    """Return batches of the texts of a folder, with the numbers of their classes.

    Args:
        directory: it has a folder for each class, with files `*.txt` in it and in folders there.
        labels: "inferred", from the folders; None for texts alone.
        label_mode: "int", "binary" (`f32[n, 1]`), "categorical" (rows of 0 and 1), or None.
        class_names: the folders in the order of their numbers; by default that of names.
        batch_size: how many texts a batch has; None for texts one by one.
        shuffle: whether their order is random; the same for each seed.
        seed: of the order, which parts of one folder must have in common.
        validation_split: which part is kept for validation.
        subset: "training", "validation" or "both", of a folder that is split.
        verbose: whether it is told what was found.
        others: TensorFlow's, without an effect here.

    Raises:
        NotFoundError: there is no such folder, or no text in it.
        ValueError: options do not go together.
    """
    if (validation_split is None) != (subset is None) or subset not in (None, *PARTS):
        raise ValueError("validation_split goes with subset: 'training', 'validation' or 'both'")
    if subset is not None and shuffle and seed is None:
        raise ValueError("parts of one folder that is shuffled need one seed")
    if labels not in ("inferred", None) or label_mode not in ("int", "binary", "categorical", None):
        raise ValueError("labels are 'inferred' or None; label_mode is one of Keras' or None")
    names, files, numbers = _found(Path(os.fspath(directory)), class_names)
    if shuffle:
        order = np.random.default_rng(seed).permutation(len(files))
        files, numbers = [files[k] for k in order], numbers[order]
    kept = int(validation_split * len(files)) if validation_split is not None else 0
    told = f"Found {len(files)} files belonging to {len(names)} classes.\n"
    parts = {"training": slice(0, len(files) - kept), "validation": slice(len(files) - kept, None)}
    wanted = [x for x in parts if subset in (x, "both")] if subset else ["training"]
    if subset:
        sizes = {x: len(files[parts[x]]) for x in wanted}
        told += "".join(f"Using {size} files for {x}.\n" for x, size in sizes.items())
    if verbose:
        sys.stdout.write(told)
    if labels is None or label_mode is None:
        targets = None
    else:
        targets = _targets(numbers, label_mode, len(names))
    made = [_dataset(files[parts[x]], targets, parts[x], batch_size, names) for x in wanted]
    return made[0] if len(made) == 1 else tuple(made)


def _found(folder: Path, class_names: Sequence[str] | None) -> tuple[list[str], list[Path], Any]:
    """Return the classes of a folder, its texts, and the numbers of their classes."""
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {folder}")
    names = sorted(x.name for x in folder.iterdir() if x.is_dir())
    if class_names is not None:
        if sorted(class_names) != names:
            raise ValueError(f"class_names are {names} in some order, not {list(class_names)}")
        names = list(class_names)
    rows = [sorted((folder / name).rglob("*.txt")) for name in names]
    files = [path for row in rows for path in row]
    if not files:
        raise NotFoundError(f"{folder} has no folders with files *.txt in them")
    return names, files, np.repeat(np.arange(len(names), dtype=np.int32), list(map(len, rows)))


def _targets(numbers: Any, label_mode: str, count: int) -> Any:
    if label_mode == "int":
        return numbers
    if label_mode == "categorical":
        return (numbers[:, None] == np.arange(count)).astype(np.float32)
    if count != 2:
        raise ValueError(f"label_mode='binary' is for 2 classes, and there are {count}")
    return numbers[:, None].astype(np.float32)


def _dataset(
    files: Sequence[Path], targets: Any, part: slice, batch_size: int | None, names: list[str]
) -> Any:
    texts = [path.read_text(encoding="utf-8") for path in files]
    elements = texts if targets is None else (texts, targets[part])
    made: Any = Dataset.from_tensor_slices(elements)
    made = made if batch_size is None else made.batch(batch_size)
    made.class_names, made.file_paths = names, [str(path) for path in files]
    return made
