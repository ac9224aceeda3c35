"""What the calls of one function are given: the variables of the state, and arguments.

Comes in: their values. Goes out: leaves, in which a number of several classes is a `ClassedNumber`
taken apart, and what they are leaves of. Lists, dicts and objects that are arguments are leaves:
all calls are given them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from autograph.staging.call_specs import Outputs, is_handed_on
from autograph.staging.classed_number import is_classed
from autograph.staging.copies import Values
from autograph.staging.join import flag_of, placeholder
from autograph.staging.lifting import ABSENT
from autograph.staging.number_join import are_classed, closed, opened
from autograph.staging.region import UNDEFINED
from autograph.staging.unify import TooManyOptions, unify
from runtime import trees
from runtime.aliasing import places_of, sources_of
from runtime.default_graph import building
from runtime.errors import CallMismatchError, MutationError
from runtime.graph.builder import Builder
from runtime.selected import roots_of
from runtime.spec import TensorSpec
from runtime.tensor import Place, Symbol, is_staged
from runtime.union import leaf_spec


class Given(NamedTuple):
    """What a call is given.

    Args:
        leaves: of the variables, then of the arguments.
        state: the structure of the variables.
        arguments: that of the arguments.
    """

    leaves: Sequence[Any]
    state: trees.Structure
    arguments: trees.Structure

    @property
    def structure(self) -> tuple[trees.Structure, trees.Structure]:
        """All but the leaves."""
        return self.state, self.arguments

    def values(self, leaves: Sequence[Any]) -> tuple[Any, Any]:
        """Return the variables and the arguments, as the program sees them, with other leaves."""
        count = self.state.count
        state = trees.unflatten(self.state, leaves[:count])
        arguments = trees.unflatten(self.arguments, leaves[count:])
        return closed(state), closed(arguments, is_handed_on)

    def path(self, names: Sequence[str], variables: int, k: int) -> str:
        """Return what messages call a leaf; the names are of so many variables, and arguments."""
        paths = [*trees.paths(self.state), *trees.paths(self.arguments)]
        number, _, rest = paths[k][1:].partition("]")
        offset = 0 if k < self.state.count else variables
        return f"{names[offset + int(number)]}{rest}"

    def parts(self) -> tuple[list[Any], Any]:
        """Return the leaves, with numbers of several classes put together, and of what they are."""
        count = self.state.count
        state = trees.unflatten(self.state, self.leaves[:count])
        arguments = trees.unflatten(self.arguments, self.leaves[count:])
        variables, first = trees.flatten_to(state, is_classed)
        others, second = trees.flatten_to(arguments, lambda x: is_classed(x) or is_handed_on(x))
        return [*variables, *others], (first, second)


def given(state: Any, arguments: Sequence[Any]) -> Given:
    """Return what a call is given, taken apart."""
    variables, first = trees.flatten(opened(state))
    others, second = trees.flatten_to(opened(tuple(arguments), is_handed_on), is_handed_on)
    return Given([*variables, *others], first, second)


def alike(calls: Sequence[Given], builders: Sequence[Builder]) -> list[Given]:
    """Return what two calls are given, with numbers of several classes where they differ in class.

    Args:
        calls: what they are given.
        builders: where each can be computed with.
    """
    (first, one), (second, other) = (call.parts() for call in calls)
    if one != other:
        calls = _one_structure(calls, builders)
        (first, one), (second, other) = (call.parts() for call in calls)
    if one != other:
        return [*calls]
    pairs = list(zip(first, second, strict=True))
    pairs = [_alike(x, builders) if _differ(x) else x for x in pairs]
    return [_given_parts(parts, one) for parts in zip(*pairs, strict=True)] if pairs else [*calls]


def _one_structure(calls: Sequence[Given], builders: Sequence[Builder]) -> list[Given]:
    """Return what two calls are given, with values that may be one of several things."""
    values = []
    for call, builder in zip(calls, builders, strict=True):
        with building(builder):  # where its numbers are, and what is made of them is to be
            state, arguments = call.values(call.leaves)
            values.append((opened(state), opened(arguments, is_handed_on)))
    try:
        pairs = [
            [_alike(pair, builders) for pair in zip(*both, strict=True)]
            for both in zip(*values, strict=True)
        ]
    except TooManyOptions:
        return list(calls)
    return [given(*(Values(pair[k] for pair in both) for both in pairs)) for k in range(len(calls))]


def _alike(parts: Sequence[Any], builders: Sequence[Builder]) -> Any:
    if any(map(is_handed_on, parts)):
        return parts
    first, second = unify(parts, builders, classes=True)
    return _filled(first, second), _filled(second, first)


def _filled(part: Any, other: Any) -> Any:
    """Return a part with zeros for the numbers that only another one has."""
    leaves, structure = trees.flatten(part)
    pairs = zip(leaves, trees.flatten(other)[0], strict=True)
    return trees.unflatten(
        structure, [placeholder(leaf_spec(y)) if x is ABSENT else x for x, y in pairs]
    )


def _differ(parts: Sequence[Any]) -> bool:
    return any(map(is_classed, parts)) or are_classed(parts)


def _given_parts(parts: Sequence[Any], structure: Any) -> Given:
    first, second = structure
    state = trees.unflatten(first, parts[: first.count])
    return given(state, trees.unflatten(second, parts[first.count :]))


def widened_params(
    params: Sequence[TensorSpec | None], before: Given, after: Given
) -> list[TensorSpec | None]:
    """Return the specs of the leaves where some have become numbers of several classes."""
    if before.structure != after.structure and len(before.parts()[0]) != len(after.parts()[0]):
        carried = after.state.count if after.state == before.state else 0
        rest = (leaf_spec(x) if is_staged(x) else None for x in after.leaves[carried:])
        return [*params[:carried], *rest]
    old = iter(params)
    found: list[TensorSpec | None] = []
    for x, y in zip(before.parts()[0], after.parts()[0], strict=True):
        own = [next(old) for _ in _leaves(x)]
        is_same = len(own) == len(_leaves(y)) and not is_classed(y)
        found += own if is_same else map(leaf_spec, _leaves(y))
    return found


def _leaves(part: Any) -> Sequence[Any]:
    return trees.flatten(part)[0] if is_classed(part) else (part,)


def places_given(builder: Builder, owners: Mapping[int, int], leaf: Any) -> frozenset[Any]:
    """Return where a result may be: numbers of arguments, and places outside.

    Args:
        builder: of the body.
        owners: the numbers of the arguments that its parameters stand for, by their ids.
        leaf: the result.
    """
    found: set[Any] = set()
    for place in sources_of(places_of(leaf), builder):
        number = owners.get(id(place.owner)) if isinstance(place, Place) else None
        if number is not None:
            found.add(number)
        elif place.builder is None or not builder.encloses(place.builder):
            found.add(place)
    return frozenset(found)


def check_defined(
    name: str, names: Sequence[str], before: Sequence[Any], after: Sequence[Any]
) -> None:
    """Raise CallMismatchError for a variable that some calls of a function leave undefined."""
    for variable, first, last in zip(names, before, after, strict=False):
        is_new = first is UNDEFINED and last is not UNDEFINED
        if is_new or flag_of((first, last)) is not None:
            raise CallMismatchError(
                f"{name} calls itself under a staged condition and assigns {variable!r}, "
                f"which may have no value. Give {variable!r} a value before {name} is called"
            )


def check_written(
    name: str,
    outputs: Outputs,
    arguments: Sequence[Any],
    is_captured: Callable[[Symbol], bool],
    path: Callable[[int], str],
) -> None:
    """Raise MutationError when an array that is written is reached in a second way, too.

    Args:
        name: of the function.
        outputs: what a call gives.
        arguments: what it is given.
        is_captured: tells whether the body has an array from outside.
        path: returns what messages call an argument.
    """
    roots = [roots_of(x) if type(x) is Symbol else [] for x in arguments]
    ids = [set(map(id, own)) for own in roots]
    written = [k for k, own in enumerate(ids) if own & set(map(id, outputs.boxes))]
    for k in dict.fromkeys((*outputs.written, *written)):
        if not roots[k]:
            raise MutationError(
                f"{name} writes into {path(k)}, which is an array that was made "
                "outside of the staged function. Pass it to the staged function"
            )
        is_outside = k in written or any(map(is_captured, roots[k]))
        if is_outside or sum(bool(own & ids[k]) for own in ids) > 1:
            raise MutationError(
                f"{name} writes into {path(k)}, and has that array from elsewhere, "
                "too: as another argument, or as a variable from outside. Use one of them"
            )
