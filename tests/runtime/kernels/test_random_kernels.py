"""Random kernels: machine code gives what the interpreter gives, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.kernels import in_place, llvm
from runtime.kernels.jit import is_available
from runtime.kernels.kernel_verifier import verify
from runtime.kernels.loops.value_ranges import Ranges
from runtime.kernels.loops.versioning import _Checks
from runtime.kernels.semantics import UndefinedError
from tests.runtime.kernels.random_kernels import RandomWriter, compare

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no machine code here")


@pytest.mark.parametrize("first", range(0, 80, 8))
def test_machine_code_gives_what_the_interpreter_gives(first: int) -> None:
    results, given = (sum(x) for x in zip(*map(compare, range(first, first + 8)), strict=True))
    assert given / 5 < results


def test_a_seed_stands_for_a_kernel() -> None:
    first, second = RandomWriter(7).kernel(), RandomWriter(7).kernel()
    verify(first)
    assert str(first) == str(second)


@pytest.mark.parametrize(
    ("owner", "name", "planted"),
    [
        (_Checks, "is_inside", lambda self, place, facts: True),
        (Ranges, "place", lambda self, place: self.passed.add(place)),
    ],
)
def test_a_test_that_is_left_out_wrongly_is_seen(
    owner: Any, name: str, planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, planted)
    with pytest.raises(UndefinedError, match=r"load\(|store\("):
        compare_all()


def compare_all() -> None:
    """Compare some kernels."""
    for seed in range(50):
        compare(seed)


def wrong(w: Any, x: Any) -> str:
    return llvm_plain(w, x).replace("icmp slt", "icmp sle")


llvm_plain = llvm.plain


@pytest.mark.parametrize(
    ("owner", "name", "planted"),
    [(llvm, "plain", wrong), (in_place.InPlace, "undo", lambda self: None)],
)
def test_wrong_machine_code_is_seen(
    owner: Any, name: str, planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, planted)
    with pytest.raises(AssertionError, match="machine"):
        compare_all()
