"""Having operators inlined from the first call and the first round on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from autograph import conversion
from autograph.operators import loops


@contextmanager
def at_once() -> Iterator[None]:
    """Compile what is converted or runs a loop meanwhile with operators inlined."""
    with patch.object(loops, "MANY_ROUNDS", 0), patch.object(conversion, "OFTEN", 0):
        yield
