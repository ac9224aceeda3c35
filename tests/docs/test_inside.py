"""The guided tour and the README: their code runs and prints what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import check, run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page",
    ["README.md", *(f"docs/{x}.md" for x in ("inside", "derivatives", "batching", "training"))],
)
def test_page_prints_what_it_says(page: str, update_golden: bool) -> None:
    check(ROOT / page, update_golden)


def test_wrong_output_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    with pytest.raises(AssertionError):
        check(page, update=False)
    check(page, update=True)
    assert "\n2\n" in page.read_text()


def test_output_that_the_page_does_not_show_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\nMore.\n\n```text\n1\n```\n")
    with pytest.raises(AssertionError, match="no text block follows"):
        run(page)


def test_blocks_share_names_and_have_source(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nimport inspect\ndef f():\n    return 1\n```\n"
        "```python\nprint(inspect.getsource(f))\n```\n```text\n```\n"
    )
    assert "```text\ndef f():\n    return 1\n" in run(page)
