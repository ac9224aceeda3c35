"""What the rows of the table of instructions say goes together."""

from __future__ import annotations

from runtime.kernels.instructions import TABLE, Trait, having


def test_what_may_be_computed_for_nothing_neither_traps_nor_touches_memory() -> None:
    others = Trait.TRAPS, Trait.ELEMENT, Trait.CALLS_C, Trait.BLOCKS
    for trait in others:
        assert not having(Trait.SPECULATABLE) & having(trait), trait


def test_checked_arithmetic_has_a_form_without_the_test() -> None:
    assert having(Trait.CHECKED)
    for name in having(Trait.CHECKED):
        row, plain = TABLE[name], TABLE[name.removesuffix("_overflow")]
        assert row.operands == plain.operands
        assert row.results == (*plain.results, "bool")


def test_what_has_blocks_is_a_loop_a_branch_or_a_function() -> None:
    others = {"if", "call"}
    assert {row.name for row in TABLE.values() if row.blocks} == having(Trait.REPEATS) | others
