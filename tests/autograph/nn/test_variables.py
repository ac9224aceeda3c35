"""Variables and parameters of objects: a structure, found in attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import autograph as ag
from autograph import nn, tf


@dataclass
class Model:
    """An object that is no layer, and has some."""

    second: Any = field(default_factory=lambda: nn.Dense(2))
    first: Any = field(default_factory=lambda: [nn.Dense(3), {"a b": ag.Variable(1.0)}])

    def __call__(self, x):
        return self.second(np.tanh(self.first[0](x)) * self.first[1]["a b"])


def test_variables_are_named_by_paths_in_the_order_of_attributes() -> None:
    model = Model()
    model(np.zeros((1, 4)))
    model.again = model.second
    model.itself = model
    names = ["second.kernel", "second.bias", "first[0].kernel", "first[0].bias", "first[1]['a b']"]
    assert list(nn.variables(model)) == names
    assert list(nn.variables([model])) == [f"[0].{name}" for name in names]
    assert nn.variables(model)["second.kernel"].name == f"{model.second.name}/kernel"


def test_parameters_leave_out_what_is_not_trained() -> None:
    model = Model()
    model(np.zeros((1, 4)))
    model.count = ag.Variable(0, trainable=False)
    model.first[0].trainable = False
    assert list(nn.parameters(model)) == ["second.kernel", "second.bias", "first[1]['a b']"]
    assert len(nn.variables(model)) == 6
    assert model.first[0].non_trainable_variables == model.first[0].variables


def test_names_are_counted_as_keras_counts() -> None:
    nn.reset_names()
    assert [nn.Dense(1).name, nn.Dense(1).name, nn.Dense(1, name="out").name] == [
        "dense",
        "dense_1",
        "out",
    ]


def test_what_variables_hold_is_written_and_read_by_path(tmp_path: Any) -> None:
    one, other = Model(), Model()
    x = np.ones((2, 4), np.float32)
    before = one(x)
    other(x)
    ag.save_variables(tmp_path / "model.npz", nn.variables(one))
    ag.load_variables(tmp_path / "model.npz", nn.variables(other))
    assert np.array_equal(other(x), before)


def test_a_module_of_tensorflows_name_finds_variables_of_layers() -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.out = nn.Dense(2)
            self.hidden = [nn.Dense(3)]

        def __call__(self, x: Any) -> Any:
            return self.out(self.hidden[0](x))

    net = Net()
    assert net(tf.constant([[1.0, 2.0]])).shape == (1, 2)
    assert [v.shape for v in net.trainable_variables] == [(2, 3), (3,), (3, 2), (2,)]
