"""The page on checks is what the table says."""

from __future__ import annotations

from pathlib import Path

from autograph.lint import RULES, Rule

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"
HEAD = """\
# What `autograph check` finds

Made from the table in `autograph/lint/table.py` (`pytest tests/docs --update-golden` writes it
anew). `autograph check FILE ...` reads files and runs nothing of them. It looks at the functions
that are decorated with `function` of this library, and at those that these call in the same file.
It takes their parameters for arrays, unless a default or an annotation says otherwise, so it may
find what is no hazard: `# noqa: AG101` at the end of the line excuses it. The exit code is 1 if
anything is found; `--json` writes it for programs.
"""


def section(rule: Rule) -> str:
    """Return a rule with its examples."""
    fix = rule.fix[0].lower() + rule.fix[1:]
    return (
        f"## {rule.code}\n\n{rule.title}\n\nWhy: {rule.reason}.\n\n"
        f"```python\n{rule.bad}\n```\n\nInstead, {fix}\n\n```python\n{rule.good}\n```\n"
    )


def page() -> str:
    return "\n".join([HEAD, *map(section, RULES)])


def test_the_page_is_made_of_the_table(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
