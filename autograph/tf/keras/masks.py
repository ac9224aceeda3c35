"""Masks that tensors carry: where there is something, as `Embedding` and `Masking` say.

A layer that is called with a tensor that has a mask is given it, if its `call` takes `mask` (of
the first argument) or `value_mask` and the like (of the argument `value`); and what it returns has
the mask that its `compute_mask` gives. Losses and metrics do not count what is masked.
"""

from __future__ import annotations

import inspect
import warnings
import weakref
from functools import partial
from typing import Any

from autograph.nn.loss_functions import aligned
from autograph.operators.calls.converting import do_not_convert
from runtime import trees
from runtime.tensor import TensorLike

_MASKS: dict[int, tuple[weakref.ref[Any], Any]] = {}
"""By the identity of a tensor: its mask, as long as it lives."""


@do_not_convert
def mask_of(tensor: Any) -> Any:
    """Return the mask of a tensor, `bool[batch, ...]`, or None."""
    found = _MASKS.get(id(tensor))
    return found[1] if found is not None and found[0]() is tensor else None


@do_not_convert
def keep_masks(tensors: Any, masks: Any) -> None:
    """Let tensors carry masks, of which some may be None; a mask that one has already stays."""
    leaves, found = trees.flatten(tensors)[0], flat(masks)
    for tensor, mask in zip(leaves, found, strict=False):
        key = id(tensor)
        if mask is not None and mask_of(tensor) is None:
            _MASKS[key] = weakref.ref(tensor, partial(_forget, key)), mask


def _forget(key: int, reference: Any) -> None:
    """Forget the mask of a tensor that is gone, but not that of another one in its place."""
    if key in _MASKS and _MASKS[key][0] is reference:
        del _MASKS[key]


def flat(masks: Any) -> list[Any]:
    """Return masks as a list."""
    return list(masks) if isinstance(masks, list | tuple) else [masks]


@do_not_convert
def masks_of(inputs: Any) -> Any:
    """Return the mask of an input; a list with those of several, None where no one has any."""
    leaves, structure = trees.flatten(inputs)
    found = [mask_of(x) for x in leaves]
    if all(x is None for x in found):
        return None
    return found[0] if structure == trees.flatten(0)[1] else found


@do_not_convert
def with_masks(layer: Any, mask: Any, args: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return arguments by name with the masks of a call's arguments among them."""
    if mask is None and not _MASKS:
        return options
    names = list(inspect.signature(layer.call).parameters)
    given = {**dict(zip(names[1:], args, strict=False)), **options}
    found = {"mask": mask, f"{names[0]}_mask": mask} if names else {}
    found.update({f"{name}_mask": masks_of(x) for name, x in given.items() if x is not None})
    return {
        **options,
        **{k: x for k, x in found.items() if x is not None and k in names and given.get(k) is None},
    }


@do_not_convert
def passes(layer: Any, mask: Any, computes: bool) -> bool:
    """Tell whether what a layer gives has a mask; warn where one is lost."""
    if computes or (mask is not None and layer.supports_masking):
        return True
    is_used = "mask" in inspect.signature(layer.call).parameters
    if mask is not None and layer.supports_masking is False and not is_used:
        warnings.warn(
            f"the input of the layer {layer.name!r} ({type(layer).__name__}) has a mask, which its "
            "result has no more; if it is still that of the result, set self.supports_masking = "
            "True, else define compute_mask(self, inputs, mask=None)",
            stacklevel=2,
        )
    return False


@do_not_convert
def weight_of(y_pred: Any, weight: Any) -> Any:
    """Return the weights of what is predicted for metrics: those that are given, and its mask."""
    mask = mask_of(y_pred)
    if mask is None:
        return weight
    marks = mask.astype("float32")
    return marks if weight is None else marks * aligned(weight, marks)


setattr(TensorLike, "_keras_mask", property(mask_of))  # noqa: B010  (its name in Keras)
