"""Rows A-069 to A-078 and A-099 under both import names where both apply."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import tf
from autograph.lint import check_text

BOTH = pytest.mark.parametrize("module", [ag, tf], ids=["autograph", "tf"])


@pytest.fixture(autouse=True)
def _staged_again() -> Iterator[None]:
    yield
    ag.run_functions_eagerly(False)


def one(module: ModuleType) -> Any:
    return np.float32(1.0) if module is ag else tf.constant(1.0)


def test_a069_parameters() -> None:
    spec = [ag.TensorSpec([None], "float32")]
    f = ag.function(lambda x: x * 2, input_signature=spec, reduce_retracing=True, autograph=True)
    x = np.ones(2, np.float32)
    assert f(x).tolist() == ag.function(input_signature=spec)(lambda x: x * 2)(x).tolist()


def branching(x):
    if x > 0:
        return x
    return -x


def looping(x):
    while x > 0:
        x = x - 1
    return x


@BOTH
@pytest.mark.parametrize("function", [branching, looping])
def test_a070_without_autograph_only_calls_are_traced(
    module: ModuleType, function: Callable[..., Any]
) -> None:
    with pytest.raises(TypeError, match="truth of a staged value"):
        module.function(function, autograph=False)(one(module))
    assert module.function(lambda x: x + 1, autograph=False)(one(module)) == 2.0


@BOTH
def test_a071_methods_are_cached_for_each_instance(module: ModuleType) -> None:
    class Dense:
        def __init__(self, scale: float) -> None:
            self.w = module.Variable(np.float32(scale))

        @module.function
        def compute(self, x):
            return x * self.w

    a, b = Dense(2.0), Dense(3.0)
    for _ in range(2):
        assert float(a.compute(one(module))) == 2.0
        assert float(b.compute(one(module))) == 3.0
    assert (a.compute.trace_count, b.compute.trace_count) == (1, 1)


def test_a072_a_python_flag_makes_two_graphs() -> None:
    @ag.function
    def call(inputs, training=True):
        if training:
            return inputs * (ag.random.uniform(size=4) > 0.5)
        return inputs

    x = np.ones(4)
    assert "random" in call.graph(x, training=True)
    assert "random" not in call.graph(x, training=False)
    assert call(x, training=False).tolist() == [1.0] * 4


@BOTH
def test_a073_traces_are_counted_and_told(module: ModuleType) -> None:
    f = module.function(lambda x, n: x * n)
    for n in (2, 3, 3):
        f(one(module), n)
    assert f.trace_count == 2
    if module is tf:
        assert f.experimental_get_tracing_count() == 2
    told = f.explain_retraces()
    assert (told.count, told.traces[1].differences[0].name) == (2, "n")


@BOTH
def test_a076_frequent_retraces_are_warned_of_twice_at_most(
    module: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    f = module.function(lambda x, name: x)
    with caplog.at_level(logging.WARNING):
        for n in range(40):
            f(one(module), str(n))
    warnings = [x.getMessage() for x in caplog.records]
    assert len(warnings) == 2
    assert "was traced in 5 of its last 5 calls" in warnings[0]


@BOTH
def test_a078_the_python_function_is_there(module: ModuleType) -> None:
    assert module.function(looping).python_function is looping


class Keeper:
    kept: Any = None


box: list[Any] = []
table: dict[str, Any] = {}
keeper, shared = Keeper(), None


def in_a_global(x):
    global shared
    shared = x


def in_an_attribute(x):
    keeper.kept = x


def in_a_list(x):
    box.append(x + 1)


def in_a_nested_list(x):
    box.append([(x + 1, {"a": x})])


def in_a_dict(x):
    table["x"] = x


def in_a_class(x):
    Keeper.kept = x


def closure() -> Callable[..., Any]:
    held = None

    def function(x):
        nonlocal held
        held = [x, held]

    return function


in_a_closure = closure()


def what_leaked() -> Any:
    found = box[-1] if box else None
    while isinstance(found, list | tuple):
        found = found[0]
    return found


LEAKS = in_a_global, in_an_attribute, in_a_dict, in_a_class, in_a_closure
KEPT = in_an_attribute, in_a_dict, in_a_class, in_a_list, in_a_nested_list


@pytest.mark.parametrize("function", LEAKS)
def test_a078_symbols_that_leak_are_refused_at_once_where_they_are_assigned(
    function: Callable[..., Any],
) -> None:
    box.clear()
    with pytest.raises(TypeError, match="was assigned a staged value, while the function"):
        tf.function(function)(one(tf))
    assert (shared, keeper.kept, Keeper.kept, table) == (None, None, None, {})


@pytest.mark.parametrize("function", [in_a_list, in_a_nested_list])
def test_a078_symbols_that_leak_raise_with_both_places(function: Callable[..., Any]) -> None:
    box.clear()
    tf.function(function)(one(tf))
    leaked = what_leaked()
    uses = (lambda: leaked * 2, lambda: float(leaked), lambda: tf.function(looping)(leaked))
    for use in uses:
        with pytest.raises((TypeError, RuntimeError), match=r"staged|symbol"):
            use()
    with pytest.raises(RuntimeError, match=f"made here:\n.* in {function.__name__}\n") as raised:
        leaked * 2
    assert "test_a3_traces.py" in [entry.path.name for entry in raised.traceback]


@pytest.mark.parametrize("function", KEPT)
def test_a078_nothing_leaks_without_tensorflows_names(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "kept", None)
    monkeypatch.setattr(Keeper, "kept", None)
    found = []
    for call in (function, ag.function(function)):
        box.clear()
        table.clear()
        call(one(ag))
        found.append(repr((keeper.kept, Keeper.kept, table, box)))
    table.clear()
    assert found[0] == found[1]


def test_a078_recursion_and_globals_are_better_here() -> None:
    @ag.function
    def factorial(n):
        return factorial_of(n)

    def factorial_of(n, found=1):
        if n <= 1:
            return found
        return factorial_of(n - 1, found * n)

    assert factorial(np.int64(5)) == 120
    scale = np.float64(2.0)

    @ag.function
    def scaled(x):
        return x * scale

    assert scaled(1.0) == 2.0
    scale = np.float64(3.0)
    assert scaled(1.0) == 3.0


def test_a078_init_scope_and_jit_compile() -> None:
    seen = []

    @tf.function(jit_compile=True)
    def f(x):
        with tf.init_scope():
            seen.append(tf.constant(2.0) + 1.0)
        return x

    f(tf.constant(1.0))
    assert [float(x) for x in seen] == [3.0]


ADVICE = [
    ("seen = []\ndef f(x):\n    seen.append(1)\n    return x", "AG102"),
    (
        "def f(x):\n    s = {1, 2}\n    for row in x:\n        x = x * s.pop()\n    return x",
        "AG101",
    ),
    ("rate = 1.0\nrate = 2.0\ndef f(x):\n    return x * rate", "AG105"),
    ("def f(x, k):\n    return x * k\nfor k in range(9):\n    f(np.ones(3), k)", "AG108"),
    ("import secrets\ndef f(x):\n    return x + secrets.randbelow(6)", "AG103"),
]


@BOTH
@pytest.mark.parametrize(("text", "code"), ADVICE)
def test_a099_each_advice_is_a_lint(module: ModuleType, text: str, code: str) -> None:
    name = "ag" if module is ag else "tf"
    head = (
        f"import numpy as np\nimport autograph as ag\nfrom autograph import tf\n@{name}.function\n"
    )
    source = head.replace(f"@{name}.function\n", "") + text.replace(
        "def ", f"@{name}.function\ndef "
    )
    assert code in [finding.code for finding in check_text(source, "net.py")]
