"""The tool that runs the standard library's tests on converted modules."""

from __future__ import annotations

import re

import pytest

from tools.test_library import differences, main, outcomes_of


def test_a_converted_module_passes_its_own_tests(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["colorsys"]) == 0
    *_, row, verdict = capsys.readouterr().out.splitlines()
    tests, passed, different = map(int, re.findall(r"\d+", row))
    assert (row.split()[1], different, verdict) == ("colorsys", 0, "All tests end alike.")
    assert tests == passed > 3


def test_other_results_are_named() -> None:
    plain = {"a": "ok", "b": "ok", "c": "failure"}
    converted = {"a": "ok", "b": "error TypeError", "d": "ok"}
    assert differences(plain, converted) == [
        "b: ok, converted: error TypeError",
        "c: failure, converted: missing",
        "d: missing, converted: ok",
    ]


def test_a_module_without_tests_is_said_to_have_none() -> None:
    (outcome,) = outcomes_of("no_such_module", False).values()
    assert outcome.startswith("does not run: ModuleNotFoundError")
