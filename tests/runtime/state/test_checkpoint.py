"""What variables hold is written and read by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag


def model() -> dict[str, Any]:
    return {
        "rate": ag.Variable(0.5),
        "layers": [ag.Variable(np.arange(3.0)), {"bias": ag.Variable([1, 2])}],
    }


def test_variables_are_restored_by_name(tmp_path: Path) -> None:
    saved, other = model(), model()
    saved["rate"].assign(0.25)
    saved["layers"][1]["bias"].assign([5, 6])
    ag.save_variables(tmp_path / "model.npz", saved)
    ag.load_variables(tmp_path / "model.npz", other)
    assert other["rate"] == 0.25
    assert other["layers"][1]["bias"].numpy().tolist() == [5, 6]
    with np.load(tmp_path / "model.npz") as file:
        assert sorted(file.files) == ["layers.0", "layers.1.bias", "rate"]
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_a_generator_goes_on_where_it_was(tmp_path: Path) -> None:
    draws = ag.random.Generator(3)
    draws.uniform()
    ag.save_variables(tmp_path / "draws.npz", draws.state)
    expected = draws.uniform(size=3)
    again = ag.random.Generator(99)
    ag.load_variables(tmp_path / "draws.npz", again.state)
    assert again.uniform(size=3).tolist() == expected.tolist()


def test_what_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    ag.save_variables(path, {"a": ag.Variable(1.0), "b": ag.Variable([1.0, 2.0])})
    a = ag.Variable(7.0)
    with pytest.raises(ag.ShapeError, match=r"is f64\[3\], and was assigned f64\[2\]"):
        ag.load_variables(path, {"a": a, "b": ag.Variable(np.zeros(3))})
    with pytest.raises(KeyError, match="there is no c in the file"):
        ag.load_variables(path, {"a": a, "b": ag.Variable(np.zeros(2)), "c": ag.Variable(0.0)})
    with pytest.raises(KeyError, match="there is no b in the variables"):
        ag.load_variables(path, {"a": a})
    with pytest.raises(TypeError, match=r"a checkpoint is of variables, and \['a'\] is 3"):
        ag.save_variables(path, {"a": 3})
    with pytest.raises(ValueError, match=r"ends with \.npz, not 'model'"):
        ag.save_variables("model", {"a": a})
    assert a == 7.0


def test_no_code_of_a_file_is_run(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, a=np.array([print], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        ag.load_variables(path, {"a": ag.Variable(0.0)})
