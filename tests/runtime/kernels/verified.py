"""Every kernel that tests make is verified, after each step that makes or changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.kernels import load
from runtime.kernels.kernel import Block
from runtime.kernels.kernel_verifier import verify, verify_block
from runtime.lower import array_loops, elementwise_kernels, loop_kernels, scatters

STEPS = (
    (loop_kernels, "lean", False),
    (scatters, "lean", False),
    (elementwise_kernels, "inlined", True),
    (elementwise_kernels, "merged", True),
    (array_loops, "merged", True),
)
"""Where blocks are changed, and whether they are those of kernels over arrays."""


def verify_all(patch: pytest.MonkeyPatch) -> None:
    """Have kernels be verified from here on: after each step, and before they are printed."""
    for module, name, is_map in STEPS:
        patch.setattr(module, name, _step(getattr(module, name), is_map))
    text_of = load.text_of

    def verified(kernel: Any) -> Any:
        verify(kernel)
        return text_of(kernel)

    patch.setattr(load, "text_of", verified)


def _step(change: Callable[..., Block], is_map: bool) -> Callable[..., Block]:
    def changed(block: Block, *others: Any) -> Block:
        verify_block(block, is_map)
        found = change(block, *others)
        verify_block(found, is_map)
        return found

    return changed
