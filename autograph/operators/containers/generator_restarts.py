"""Why a trace begins again with generators that are staged, or are left to Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.staging.copies import Restart
from runtime.errors import StagedBoolError


class GeneratorsNeeded(Restart):
    """Generators have to be staged.

    Args:
        found: what identifies them.
    """

    def __init__(self, found: Iterable[Any]) -> None:
        super().__init__(found)
        self.found = frozenset(found)


class GeneratorRefused(Restart):
    """A generator that cannot be staged asked for the truth of a staged value.

    Args:
        error: what is raised in the end; no handler of the generator's may catch it.
    """

    def __init__(self, error: StagedBoolError) -> None:
        super().__init__(error)
        self.error = error
