"""The families of random programs: how each is made and compared, and how many may be refused.

`check` is what the tests, the long run and the minimiser share. A finding is "same", "too long",
"refused: why" (only by the errors that say so), or anything else: a bug.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.random_programs import (
    array_programs,
    batch_programs,
    buffer_programs,
    complex_programs,
    condition_programs,
    container_programs,
    deque_programs,
    derivative_programs,
    effect_programs,
    elementwise_programs,
    exception_programs,
    heap_programs,
    inner_set_programs,
    iterator_programs,
    keyed_programs,
    known_programs,
    list_programs,
    list_recursion_programs,
    nested_programs,
    numpy_programs,
    object_programs,
    part_programs,
    plain_jumps,
    plain_programs,
    recursive_programs,
    rolled_programs,
    scalar_programs,
    special_programs,
    staged_programs,
    target_programs,
    tuple_programs,
    write_programs,
)
from tests.random_programs.comparing import compare
from tests.random_programs.comparing_exceptions import compare_exceptions
from tests.random_programs.comparing_numpy import compare_numpy
from tests.random_programs.comparing_plain import compare_plain
from tests.random_programs.limits import SAME, TOO_LONG


@dataclass(frozen=True)
class Family:
    """A family of programs.

    Attributes:
        write: returns the text of the program of a seed.
        compare: returns the finding about a text, which gets a name, in some forms, or in all of
            them if its turn is None.
        everyday: how many programs the suite runs.
        refused: the share of programs that may be refused.
    """

    write: Callable[[int], str]
    compare: Callable[[str, str, int | None], str]
    everyday: int
    refused: float = 0.0


FAMILIES = {
    "plain": Family(
        lambda seed: plain_programs.PlainPrograms(seed).program(),
        lambda text, name, turn: compare_plain(text, name, plain_programs.ARGUMENTS, turn),
        everyday=40,
    ),
    "jumps": Family(
        lambda seed: plain_jumps.JumpPrograms(seed).program(),
        lambda text, name, turn: compare_plain(text, name, plain_jumps.ARGUMENTS, turn),
        everyday=40,
    ),
    "staged": Family(
        lambda seed: staged_programs.StagedPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, staged_programs.ARGUMENTS, turn),
        everyday=20,
        refused=0.01,
    ),
    "scalar": Family(
        lambda seed: scalar_programs.ScalarPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, scalar_programs.ARGUMENTS, turn),
        everyday=6,
        refused=0.02,
    ),
    "array": Family(
        lambda seed: array_programs.ArrayPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, array_programs.ARGUMENTS, turn),
        everyday=10,
        refused=0.25,
    ),
    "shared": Family(
        lambda seed: array_programs.ArrayPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, array_programs.SHARED, turn),
        everyday=8,
        refused=0.25,
    ),
    "known": Family(
        lambda seed: known_programs.KnownPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, known_programs.ARGUMENTS, turn),
        everyday=20,
        refused=0.2,
    ),
    "container": Family(
        lambda seed: container_programs.ContainerPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, container_programs.ARGUMENTS, turn),
        everyday=16,
        refused=0.2,
    ),
    "write": Family(
        lambda seed: write_programs.WritePrograms(seed).program(),
        lambda text, name, turn: compare_exceptions(
            text, name, write_programs.ARGUMENTS, turn, chained=False
        ),
        everyday=20,
        refused=0.05,
    ),
    "exception": Family(
        lambda seed: exception_programs.ExceptionPrograms(seed).program(),
        lambda text, name, turn: compare_exceptions(text, name, exception_programs.ARGUMENTS, turn),
        everyday=20,
        refused=0.1,
    ),
    "object": Family(
        lambda seed: object_programs.ObjectPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, object_programs.ARGUMENTS, turn),
        everyday=16,
        refused=0.1,
    ),
    "special": Family(
        lambda seed: special_programs.SpecialPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, special_programs.ARGUMENTS, turn),
        everyday=10,
        refused=0.2,
    ),
    "heap": Family(
        lambda seed: heap_programs.HeapPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, heap_programs.ARGUMENTS, turn),
        everyday=4,
        refused=0.1,
    ),
    "list": Family(
        lambda seed: list_programs.ListPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, list_programs.ARGUMENTS, turn),
        everyday=8,
        refused=0.1,
    ),
    "nested": Family(
        lambda seed: nested_programs.NestedPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, nested_programs.ARGUMENTS, turn),
        everyday=6,
        refused=0.2,
    ),
    "inner_set": Family(
        lambda seed: inner_set_programs.InnerSetPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, inner_set_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.1,
    ),
    "list_recursion": Family(
        lambda seed: list_recursion_programs.ListRecursionPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, list_recursion_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.1,
    ),
    "effect": Family(
        lambda seed: effect_programs.EffectPrograms(seed).program(),
        lambda text, name, turn: effect_programs.compare_effects(text, name),
        everyday=30,
        refused=0.1,
    ),
    "condition": Family(
        lambda seed: condition_programs.ConditionPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, condition_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.2,
    ),
    "target": Family(
        lambda seed: target_programs.TargetPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, target_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.25,
    ),
    "tuple": Family(
        lambda seed: tuple_programs.TuplePrograms(seed).program(),
        lambda text, name, turn: compare(text, name, tuple_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.1,
    ),
    "keyed": Family(
        lambda seed: keyed_programs.KeyedPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, keyed_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.1,
    ),
    "rolled": Family(
        lambda seed: rolled_programs.RolledPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, rolled_programs.ARGUMENTS, turn),
        everyday=2,
        refused=0.1,
    ),
    "elementwise": Family(
        lambda seed: elementwise_programs.ElementwisePrograms(seed).program(),
        lambda text, name, turn: elementwise_programs.compare_elementwise(
            text, name, elementwise_programs.ARGUMENTS, turn
        ),
        everyday=8,
        refused=0.1,
    ),
    "part": Family(
        lambda seed: part_programs.PartPrograms(seed).program(),
        lambda text, name, turn: part_programs.compare_parts(
            text, name, part_programs.ARGUMENTS, turn
        ),
        everyday=6,
        refused=0.1,
    ),
    "complex": Family(
        lambda seed: complex_programs.ComplexPrograms(seed).program(),
        lambda text, name, turn: part_programs.compare_parts(
            text, name, complex_programs.ARGUMENTS, turn
        ),
        everyday=6,
        refused=0.1,
    ),
    "buffer": Family(
        lambda seed: buffer_programs.BufferPrograms(seed).program(),
        lambda text, name, turn: part_programs.compare_parts(
            text, name, buffer_programs.ARGUMENTS, turn
        ),
        everyday=6,
        refused=0.2,
    ),
    "batch": Family(
        lambda seed: batch_programs.BatchPrograms(seed).program(),
        lambda text, name, turn: batch_programs.compare_batch(
            text, name, batch_programs.ARGUMENTS, turn
        ),
        everyday=16,
        refused=0.1,
    ),
    "derivative": Family(
        lambda seed: derivative_programs.DerivativePrograms(seed).program(),
        lambda text, name, turn: derivative_programs.compare_derivatives(
            text, name, derivative_programs.ARGUMENTS, turn
        ),
        everyday=6,
        refused=0.1,
    ),
    "numpy": Family(
        lambda seed: numpy_programs.NumpyPrograms(seed).program(),
        lambda text, name, turn: compare_numpy(
            text, name, numpy_programs.arguments, numpy_programs.calls(turn)
        ),
        everyday=6,
        refused=0.5,
    ),
    "iterator": Family(
        lambda seed: iterator_programs.IteratorPrograms(seed).program(),
        lambda text, name, turn: compare(text, name, iterator_programs.ARGUMENTS, turn),
        everyday=10,
        refused=0.6,
    ),
    "deque": Family(
        lambda seed: deque_programs.DequePrograms(seed).program(),
        lambda text, name, turn: compare(text, name, deque_programs.ARGUMENTS, turn),
        everyday=8,
        refused=0.1,
    ),
    "recursive": Family(
        lambda seed: recursive_programs.RecursivePrograms(seed).program(),
        lambda text, name, turn: compare(text, name, recursive_programs.ARGUMENTS, turn),
        everyday=10,
        refused=0.05,
    ),
}


def check(family: str, text: str, name: str) -> str:
    """Return the finding about a program in all its forms; what escapes is one, too."""
    return _checked(family, text, name, None)


def check_seed(family: str, seed: int) -> str:
    """Return the finding about the program of a seed in some forms, others for the next seed."""
    return _checked(family, FAMILIES[family].write(seed), str(seed), seed)


def _checked(family: str, text: str, name: str, turn: int | None) -> str:
    try:
        compile(text, name, "exec")
    except SyntaxError as error:
        return f"no program: {error}"
    try:
        return FAMILIES[family].compare(text, f"{family} {name}", turn)
    except Exception as error:
        return f"{type(error).__name__} escapes: {error}"


def kind_of(finding: str) -> str:
    """Return "same", "too long", "refused", "no program" or "wrong"."""
    for kind in (SAME, TOO_LONG, "refused", "no program"):
        if finding.startswith(kind):
            return kind
    return "wrong"
