"""What the sides of a comparison print."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


class Output:
    """What is printed: that of the plain function is shown, that of the others is not."""

    def __init__(self) -> None:
        self._written = io.StringIO()
        self._told = 0

    def since(self) -> str:
        """Return what was printed since this was asked last."""
        text = self._written.getvalue()[self._told :]
        self._told += len(text)
        return text

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Keep what is printed in a `with` block, and print it."""
        with self.hidden():
            try:
                yield
            finally:
                text = self._written.getvalue()
        sys.stdout.write(text)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Keep what is printed in a `with` block."""
        self._written, self._told = io.StringIO(), 0
        with redirect_stdout(self._written):
            yield
