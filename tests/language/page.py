"""The page of the language, made from the table."""

from __future__ import annotations

from tests.language import (
    branch_samples,
    expression_samples,
    function_samples,
    loop_samples,
    match_samples,
    newer_samples,
    statement_samples,
)
from tests.language.rows import ROWS, Row

SAMPLES = (
    branch_samples,
    match_samples,
    loop_samples,
    expression_samples,
    statement_samples,
    function_samples,
    newer_samples,
)
HEAD = """# The language

What becomes of each construct of Python, from 3.10 on. Each row is a sample function in
`tests/language/`, which a test runs plain, converted and staged; this page is made from the same
table (`pytest tests/language --update-golden`).

*In plain Python*: what a converted function does when nothing is staged. `same`: it is converted,
and does the same; `kept as Python`: nothing in the sample is converted.
*Staged*: how it is staged, with the ops of the graph; or the error that refuses it.
*TensorFlow's AutoGraph*: what the reference does with tensors there, by its documents and by what
was measured; LISTS and EQUALITY_OPERATORS are features of it that are off unless asked for.
"""


def text() -> str:
    """Return the page."""
    modules = [module.__name__ for module in SAMPLES]
    rows = sorted(ROWS, key=lambda row: modules.index(row.module))
    sections = list(dict.fromkeys(row.section for row in rows))
    return HEAD + "".join(map(_section, sections))


def _section(name: str) -> str:
    lines = [_line(row) for row in ROWS if row.section == name]
    head = "| construct | in plain Python | staged | TensorFlow's AutoGraph |\n|---|---|---|---|\n"
    return f"\n## {name}\n\n{head}{''.join(lines)}"


def _line(row: Row) -> str:
    plain = "kept as Python" if row.kept else "same"
    version = "" if row.since == (3, 10) else f" (Python {row.since[0]}.{row.since[1]})"
    cells = (f"{_cell(row.construct)}{version}", plain, _cell(staged(row)), _cell(row.reference))
    return f"| {' | '.join(cells)} |\n"


def staged(row: Row) -> str:
    """Return what the last column says."""
    if row.refused is None:
        return row.staged
    error, part = row.refused
    return f"refused: {error.__name__}, {part} ..."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
