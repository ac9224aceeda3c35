"""`IoU` and its kin: how much of what is expected or predicted to be of a class is both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.nn.loss_functions import EPSILON
from autograph.tf.keras.gathering import Metric, weighted
from autograph.tf.tensors import convert_to_tensor


class IoU(Metric):
    """The mean over classes of intersection over union.

    Args:
        num_classes: how many classes there are.
        target_class_ids: the numbers of those that count.
        name, dtype: of the metric.
        ignore_class: the number of a class that is not counted where it is expected.
        sparse_y_true, sparse_y_pred: whether classes are given as numbers, and not as rows whose
            largest element is theirs.
        axis: that of such rows.

    >>> found = IoU(num_classes=2, target_class_ids=[0])
    >>> found.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> round(float(found.result().numpy()), 4)
    0.3333
    """

    threshold: float | None = None
    """From which on a probability says that the second of two classes is meant."""

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name, dtype)
        if max(target_class_ids) >= num_classes:
            raise ValueError(f"class {max(target_class_ids)} is none of {num_classes}")
        self.num_classes, self.targets = num_classes, [*map(int, target_class_ids)]
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.counts = self.add_weight(
            (num_classes, num_classes), name="total_confusion_matrix", dtype="float64"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count the elements of a batch; those of no class that there is do not count."""
        y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
        y_true = y_true if self.sparse_y_true else np.argmax(y_true, axis=self.axis)
        y_pred = y_pred if self.sparse_y_pred else np.argmax(y_pred, axis=self.axis)
        y_pred = y_pred if self.threshold is None else y_pred >= self.threshold
        _, weight = weighted(y_true, sample_weight)
        if self.ignore_class is not None:
            weight = np.where(y_true == self.ignore_class, 0.0, weight)
        rows, columns = self._marked(y_true), self._marked(y_pred)
        self.counts.assign_add((rows * np.reshape(weight, (-1, 1))).T @ columns)

    def _marked(self, classes: Any) -> Any:
        """Return for each element a row that is 1 at its class."""
        numbers = np.reshape(classes, (-1, 1)).astype(np.int64)
        return (numbers == np.arange(self.num_classes)).astype(np.float64)

    def result(self) -> Any:
        """Return the mean over the classes that occur."""
        counts = self.counts.read()
        both = np.diagonal(counts)[self.targets]
        either = (np.sum(counts, axis=0) + np.sum(counts, axis=1))[self.targets] - both
        parts = np.where(either > 0, both / (either + EPSILON), 0.0)
        count = np.sum((either > 0).astype(np.float64))
        return (np.sum(parts) / (count + EPSILON)).astype(self.dtype)


class MeanIoU(IoU):
    """The mean over all classes of intersection over union.

    Args:
        num_classes: how many classes there are.
        name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis: as for `IoU`.
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        given = name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis
        super().__init__(num_classes, range(num_classes), *given)


class OneHotIoU(IoU):
    """`IoU` of rows whose largest element is that of the class.

    Args:
        num_classes, target_class_ids, name, dtype, ignore_class, sparse_y_pred, axis: as for `IoU`.
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        given = name, dtype, ignore_class, False, sparse_y_pred, axis
        super().__init__(num_classes, target_class_ids, *given)


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` of rows whose largest element is that of the class.

    Args:
        num_classes, name, dtype, ignore_class, sparse_y_pred, axis: as for `IoU`.
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)


class BinaryIoU(IoU):
    """`IoU` of two classes, by probabilities of the second one.

    Args:
        target_class_ids: the numbers of the classes that count.
        threshold: from which on a probability says that the second one is meant.
        name, dtype: of the metric.
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold
