"""The tool that runs the standard library's tests on converted modules."""

from __future__ import annotations

from tools.test_library import differences, outcomes_of


def test_a_converted_module_passes_its_own_tests() -> None:
    plain, converted = outcomes_of("colorsys", False), outcomes_of("colorsys", True)
    assert len(plain) > 3
    assert set(plain.values()) == {"ok"}
    assert converted == plain


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
