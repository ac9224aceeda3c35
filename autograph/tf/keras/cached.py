"""Files that Keras has downloaded before: nothing is downloaded here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from autograph.tf.errors import NotFoundError


def home() -> Path:
    """Return the folder of Keras."""
    return Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")


def file(path: Any) -> Path:
    """Return a path; NotFoundError if there is nothing."""
    found = Path(path)
    if not found.exists():
        raise NotFoundError(
            f"{found} is not there, and nothing is downloaded here. Put the file there that Keras "
            "downloads, or read other data: sklearn.datasets.load_digits(), say"
        )
    return found
