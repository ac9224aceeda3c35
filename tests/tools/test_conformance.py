"""The run of CPython's own tests says what it needs, and which losses count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import conformance


def test_a_clone_without_the_runner_skips_the_short_run_and_fails_the_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conformance, "RUNNER", Path("nowhere/run.py"))
    assert conformance.main(["--short"]) == 0
    assert capsys.readouterr().out.startswith("skipped: conformance: there is no nowhere")
    assert conformance.main([]) == 1


def test_a_python_without_its_tests_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "RUNNER", Path(__file__))
    monkeypatch.setattr(conformance.importlib.util, "find_spec", lambda name: None)
    assert "no Lib/test" in conformance.what_is_missing()


def test_tests_that_look_inside_or_have_an_excuse_do_not_count_as_lost() -> None:
    inside, excused = "test.a.T.test_lines", "test.datetimetester.M.test_name_cleanup"
    row = {
        "job": "test_a",
        "lost": {inside: "fail", excused: "fail", "test.a.T.test_b": "error"},
        "inside": {inside: ["f_lineno"]},
    }
    assert conformance.unexcused([row]) == [("test_a", "test.a.T.test_b")]
