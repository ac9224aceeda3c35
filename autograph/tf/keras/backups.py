"""`BackupAndRestore`: what an interrupted training goes on from."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from autograph.tf.keras import saving
from autograph.tf.keras.watching import Callback, Logs


class BackupAndRestore(Callback):
    """Writes after each epoch what a later `fit` goes on from, if this one is interrupted.

    Args:
        backup_dir: the folder; it has one file of NumPy's, with the variables of the model and of
            its optimiser, and the number of the epoch.
        save_freq: `"epoch"`.
        delete_checkpoint: whether a training that comes to its end removes the file.
    """

    def __init__(
        self, backup_dir: Any, save_freq: str = "epoch", delete_checkpoint: bool = True
    ) -> None:
        if save_freq != "epoch":
            raise ValueError(f"save_freq of BackupAndRestore is 'epoch' here, not {save_freq!r}")
        self.backup_dir, self.delete_checkpoint = os.fspath(backup_dir), delete_checkpoint
        self._around: BaseException | None = None

    @property
    def _file(self) -> str:
        return os.path.join(self.backup_dir, "backup.npz")

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Go on where an earlier training was left."""
        self._around = sys.exc_info()[1]
        if os.path.exists(self._file):
            with np.load(self._file, allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            self.model.first_epoch = int(arrays.pop("epoch"))
            saving.assign_state(self.model, arrays)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write what the variables hold."""
        os.makedirs(self.backup_dir, exist_ok=True)
        beside = f"{self._file}.part"
        with open(beside, "wb") as file:
            np.savez(file, epoch=np.int64(epoch + 1), **saving.state_of(self.model))
        os.replace(beside, self._file)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Remove the file, unless an error or Ctrl-C ends the training."""
        is_done = sys.exc_info()[1] is self._around
        if is_done and self.delete_checkpoint and os.path.exists(self._file):
            os.remove(self._file)
