"""The table of the language: one row for each construct, with a sample function that shows it.

Comes in: sample functions, each with arguments. Goes out: rows, in the order of the page. A row
says what becomes of the construct when the function is converted, and when it is staged.
"""

from __future__ import annotations

import linecache
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Version = tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A construct of the language.

    Args:
        section: the part of the page.
        construct: what the first column says.
        calls: tuples of arguments; floats in them are staged, everything else is static.
        staged: how it is staged; ops of the graph are written as `op`.
        refused: instead, the error that staging it ends with, and a part of its message.
        kept: whether converting leaves it as it is.
        reference: what TensorFlow's AutoGraph does.
        since: the first version of Python that has it.
        sample: the function; None when this Python is older.
        module: the module that it stands in, which orders the page.
    """

    section: str
    construct: str
    calls: tuple[tuple[Any, ...], ...]
    staged: str
    refused: tuple[type[Exception], str] | None
    kept: bool
    reference: str
    since: Version
    sample: Callable[..., Any] | None
    module: str


ROWS: list[Row] = []
NEWER = "tests.language.newer_samples"


def row(
    section: str,
    construct: str,
    *calls: tuple[Any, ...],
    staged: str = "",
    refused: tuple[type[Exception], str] | None = None,
    kept: bool = False,
    reference: str = "",
) -> Callable[[F], F]:
    """Enter a sample function into the table; see `Row`."""

    def enter(sample: F) -> F:
        ROWS.append(
            Row(
                section,
                construct,
                calls,
                staged,
                refused,
                kept,
                reference,
                (3, 10),
                sample,
                sample.__module__,
            )
        )
        return sample

    return enter


def newer(
    since: Version,
    section: str,
    construct: str,
    source: str,
    *calls: tuple[Any, ...],
    staged: str = "",
    refused: tuple[type[Exception], str] | None = None,
    kept: bool = False,
    reference: str = "",
) -> None:
    """Enter a sample that older versions of Python cannot read: the text of a function `sample`."""
    sample = None
    if sys.version_info >= since:
        text = textwrap.dedent(source)
        file = f"<{construct}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"__name__": __name__}
        exec(compile(text, file, "exec"), namespace)
        sample = namespace["sample"]
    ROWS.append(
        Row(section, construct, calls, staged, refused, kept, reference, since, sample, NEWER)
    )
