"""The page on builtins is what the table says."""

from __future__ import annotations

from pathlib import Path

from autograph.operators.builtins.builtin_table import RULES, Rule

PAGE = Path(__file__).parents[2] / "docs" / "builtins.md"
HEAD = """\
# Python's builtins on staged values

Made from the table in `autograph/operators/builtins/builtin_table.py`
(`pytest tests/docs --update-golden` writes it anew). With plain values every one of
them is Python's own, in converted code, too.

* **staged**: a part of the graph; happens when the graph runs;
* **static**: known while tracing, and then a plain Python value;
* **refused**: an error while tracing, which says what to write instead.

Errors that depend on values, such as that of `max` for an empty array or of `math.sqrt` for a
negative number, are raised when the graph runs, with the type and the text of the running Python. A
function of `math` that the running Python does not have is not there.
"""


def table(rules: list[Rule], *titles: str) -> str:
    """Return rows as a table in Markdown."""
    rows = [f"| `{rule.name}` | {rule.kind} | {rule.gives} |" for rule in rules]
    return "\n".join([f"| {' | '.join(titles)} |", "|---|---|---|", *rows]) + "\n"


def page() -> str:
    maths = [rule for rule in RULES if rule.name.startswith("math.")]
    tools = [rule for rule in RULES if rule.name.startswith(("itertools.", "functools."))]
    others = [rule for rule in RULES if rule not in (*maths, *tools)]
    return (
        f"{HEAD}\n## Builtins\n\n{table(others, 'builtin', 'is', 'gives, or what to write')}\n"
        f"## `itertools` and `functools`\n\n"
        f"{table(tools, 'function', 'is', 'gives, or what to write')}\n"
        f"## `math`\n\n{table(maths, 'function', 'is', 'of what')}"
    )


def test_the_page_is_made_of_the_table(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
