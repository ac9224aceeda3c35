"""The size budget, on small files that exceed it."""

from __future__ import annotations

from pathlib import Path

from tools.sizes import File, Function, measure, missed_shares, read_files, summary, too_long


def function_text(lines: int) -> str:
    return "def f():\n" + "    pass\n" * (lines - 1)


def functions(*sizes: int) -> list[Function]:
    return [Function(Path("a.py"), "f", 1, size) for size in sizes]


def test_function_is_measured_from_def_to_its_last_line() -> None:
    text = "import a\n\n\n@a.b(\n 1,\n)\ndef f(\n x,\n):\n    return (\n x\n )\n\ny = 1\n"
    assert measure(Path("a.py"), text).functions == (Function(Path("a.py"), "f", 7, 6),)


def test_methods_and_nested_functions_count_by_themselves() -> None:
    text = (
        "class A:\n    def f(self):\n        async def g():\n            pass\n        return g\n"
    )
    found = measure(Path("a.py"), text).functions
    assert [(function.name, function.size) for function in found] == [("f", 4), ("g", 2)]


def test_function_of_sixty_lines_is_within_the_limit() -> None:
    assert list(too_long([measure(Path("runtime/a.py"), function_text(60))])) == []


def test_function_of_sixty_one_lines_is_found() -> None:
    assert list(too_long([measure(Path("runtime/a.py"), "\n" + function_text(61))])) == [
        "runtime/a.py:2: f has 61 lines, the limit is 60"
    ]


def test_file_of_four_hundred_and_one_lines_is_found() -> None:
    assert list(too_long([File(Path("autograph/a.py"), 401, ())])) == [
        "autograph/a.py:1: 401 lines, the limit is 400; make two files of it"
    ]


REASON = "  # Long: it has many words."


def class_text(lines: int, reason: str = "") -> str:
    return f"class A:{reason}\n" + "    x = 1\n" * (lines - 1)


def test_class_of_two_hundred_and_fifty_one_lines_says_why() -> None:
    path = Path("runtime/a.py")
    assert list(too_long([measure(path, class_text(250))])) == []
    assert list(too_long([measure(path, class_text(251))])) == [
        "runtime/a.py:1: A has 251 lines, the limit is 250; make two of it, or say why:  "
        "# Long: ..."
    ]
    assert list(too_long([measure(path, "@final\n" + class_text(251, REASON))])) == []


def test_class_within_the_limit_needs_no_reason() -> None:
    assert list(too_long([measure(Path("runtime/a.py"), class_text(250, REASON))])) == [
        "runtime/a.py:1: A has 250 lines, and needs no reason"
    ]


def test_family_of_ops_may_have_five_hundred_lines() -> None:
    assert list(too_long([File(Path("runtime/ops/linear.py"), 500, ())])) == []
    assert len(list(too_long([File(Path("runtime/ops/linear.py"), 501, ())]))) == 1


def test_shares_that_are_reached_give_no_message() -> None:
    assert list(missed_shares(functions(7, 29, 7, 29))) == []


def test_shares_that_are_missed_are_told() -> None:
    assert list(missed_shares(functions(7, 8, 30))) == [
        "only 33 % of the functions are under 8 lines, not 50 %",
        "only 67 % of the functions are under 30 lines, not 90 %",
    ]


def test_no_functions_reach_every_share() -> None:
    assert list(missed_shares([])) == []
    assert summary([]) == "100 % under 8 lines, 100 % under 30 lines, the longest 0"


def test_files_of_the_packages_and_tools_are_read(tmp_path: Path) -> None:
    for path in ("runtime/ops/linear.py", "tools/dev.py", "tests/test_a.py"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(function_text(3))
    assert [str(file.path) for file in read_files(tmp_path)] == [
        "runtime/ops/linear.py",
        "tools/dev.py",
    ]
