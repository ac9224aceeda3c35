"""The families of random programs: how each is made and compared, and how many may be refused.

`check` is what the tests, the long run and the minimiser share. A finding is "same", "too long",
"refused: why" (only by the errors that say so), or anything else: a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.random_programs import (
    alias_programs,
    array_derivative_programs,
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
    identity_programs,
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


def _family(
    source: type[Any],
    everyday: int,
    refused: float = 0.0,
    *,
    by: Callable[..., str] = compare,
    given: Any = None,
) -> Family:
    """Return the family of a class of programs.

    Args:
        source: the class; its module says what its programs are given.
        everyday, refused: as for `Family`.
        by: compares a text, which has a name, for what programs are given, in a turn.
        given: that, if it is not `ARGUMENTS`.
    """
    arguments = getattr(sys.modules[source.__module__], "ARGUMENTS", None)
    arguments = arguments if given is None else given
    return Family(
        lambda seed: source(seed).program(),
        lambda text, name, turn: by(text, name, arguments, turn),
        everyday,
        refused,
    )


def _numpy(text: str, name: str, given: Any, turn: int | None) -> str:
    return compare_numpy(text, name, numpy_programs.arguments, numpy_programs.calls(turn))


def _identities(text: str, name: str, given: Any, turn: int | None) -> str:
    return identity_programs.compare_identities(text, name)


def _effects(text: str, name: str, given: Any, turn: int | None) -> str:
    return effect_programs.compare_effects(text, name)


FAMILIES = {
    "plain": _family(plain_programs.PlainPrograms, 40, by=compare_plain),
    "jumps": _family(plain_jumps.JumpPrograms, 40, by=compare_plain),
    "staged": _family(staged_programs.StagedPrograms, 20, 0.01),
    "scalar": _family(scalar_programs.ScalarPrograms, 6, 0.02),
    "array": _family(array_programs.ArrayPrograms, 10, 0.25),
    "shared": _family(array_programs.ArrayPrograms, 8, 0.25, given=array_programs.SHARED),
    "known": _family(known_programs.KnownPrograms, 20, 0.2),
    "container": _family(container_programs.ContainerPrograms, 16, 0.2),
    "write": _family(
        write_programs.WritePrograms, 20, 0.05, by=partial(compare_exceptions, chained=False)
    ),
    "exception": _family(exception_programs.ExceptionPrograms, 20, 0.1, by=compare_exceptions),
    "object": _family(object_programs.ObjectPrograms, 16, 0.1),
    "special": _family(special_programs.SpecialPrograms, 10, 0.2),
    "heap": _family(heap_programs.HeapPrograms, 4, 0.1),
    "list": _family(list_programs.ListPrograms, 8, 0.1),
    "nested": _family(nested_programs.NestedPrograms, 6, 0.2),
    "inner_set": _family(inner_set_programs.InnerSetPrograms, 2, 0.1),
    "list_recursion": _family(list_recursion_programs.ListRecursionPrograms, 2, 0.1),
    "effect": _family(effect_programs.EffectPrograms, 30, 0.1, by=_effects),
    "identity": _family(identity_programs.IdentityPrograms, 16, 0.1, by=_identities),
    "alias": _family(alias_programs.AliasPrograms, 4, 0.3),
    "condition": _family(condition_programs.ConditionPrograms, 2, 0.2),
    "target": _family(target_programs.TargetPrograms, 2, 0.25),
    "tuple": _family(tuple_programs.TuplePrograms, 2, 0.1),
    "keyed": _family(keyed_programs.KeyedPrograms, 2, 0.1),
    "rolled": _family(rolled_programs.RolledPrograms, 2, 0.1),
    "elementwise": _family(
        elementwise_programs.ElementwisePrograms,
        8,
        0.1,
        by=elementwise_programs.compare_elementwise,
    ),
    "part": _family(part_programs.PartPrograms, 6, 0.1, by=part_programs.compare_parts),
    "complex": _family(complex_programs.ComplexPrograms, 6, 0.1, by=part_programs.compare_parts),
    "buffer": _family(buffer_programs.BufferPrograms, 6, 0.2, by=part_programs.compare_parts),
    "batch": _family(batch_programs.BatchPrograms, 16, 0.1, by=batch_programs.compare_batch),
    "derivative": _family(
        derivative_programs.DerivativePrograms, 6, 0.1, by=derivative_programs.compare_derivatives
    ),
    "array_derivative": _family(
        array_derivative_programs.ArrayDerivativePrograms,
        6,
        0.1,
        by=array_derivative_programs.compare_array_derivatives,
    ),
    "numpy": _family(numpy_programs.NumpyPrograms, 6, 0.5, by=_numpy),
    "iterator": _family(iterator_programs.IteratorPrograms, 10, 0.6),
    "deque": _family(deque_programs.DequePrograms, 8, 0.1),
    "recursive": _family(recursive_programs.RecursivePrograms, 10, 0.05),
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
