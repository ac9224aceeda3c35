"""NumPy's public surface, and calls of it: what is called, with which arguments.

Comes in: the NumPy that is installed. Goes out: for every public function, method and ufunc method
some calls that plain NumPy takes, as texts over the names in `VALUES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np

from runtime.numpy.call_text import public_modules
from runtime.ops.public_names import FILES


def values(shift: int) -> dict[str, Any]:
    """Return the arguments of the calls; other ones, of the same types, for another shift."""
    rng = np.random.default_rng(shift)
    square = rng.normal(size=(3, 3))
    return {
        "x": rng.permutation(np.arange(1.0, 6.0) + shift),
        "y": np.sort(rng.uniform(0.5, 4.5, 5)),
        "i": rng.permutation(5) % 4,
        "m": square @ square.T + 3 * np.eye(3),
        "b": np.roll(np.array([True, False, True, False, True]), shift),
        "c": rng.normal(size=4) + 1j * rng.normal(size=4),
        "w": rng.uniform(0.5, 2.0, (2, 3)).astype(np.float32),
        "s": np.float64(1.5 + shift),
        "n": np.int64(2 + shift),
        "t": np.array(["ab", f"c {shift}", "Ba"], np.dtypes.StringDType()),
    }


PATTERNS = (
    "{}", "{}, {}", "{}, 2", "2, {}", "{}, {}, {}", "[{}, {}]", "[{}[0], {}[1], 2.0]", "{}, 2, 1",
    "1, 5, {}[0]", "{}, [0, 1], {}[0]", "{}, np.float64", "np.add, {}", "'i->', {}", "({},)",
    "{}, {}, 1", "{}, 2, {}", "{}, 'a'", "{}, (0, 1)", "{}, [1, 2, 3]",
)  # fmt: skip
"""Lists of arguments; each place is filled with some of the values."""

FORMS = (
    "{call}",
    "{call} if s > 0 else None",
    "[{call} for _ in range(2)][1]",
)
"""What a call is a part of."""

NOT_CALLED = FILES | {
    "add_newdoc", "asmatrix", "bmat", "byte_bounds", "bytes", "ctypes", "data", "empty",
    "empty_like", "errstate", "get_include", "ids", "info", "masked_all",
    "masked_all_like", "nested_iters", "printoptions",
    "seed", "set_bit_generator",
    "set_printoptions", "set_state", "setbufsize", "seterr", "seterrcall", "show_config",
    "show_runtime",
}  # fmt: skip
"""What reads files, prints, changes how NumPy computes, or gives or tells what never is equal."""


def names() -> list[str]:
    """Return the paths of all public functions and methods, sorted."""
    found = dict(_names())
    return sorted(found)


def _names() -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    for path, module in public_modules().items():
        for name, value in sorted(vars(module).items()):
            is_public = not name.startswith("_") and name not in NOT_CALLED and callable(value)
            if not is_public or isinstance(value, type) or id(value) in seen:
                continue
            if not str(getattr(value, "__module__", "numpy")).startswith("numpy"):
                continue
            seen.add(id(value))
            yield f"{path}.{name}".replace("numpy.", "np.", 1), value
            if isinstance(value, np.ufunc) and path == "numpy":
                is_binary = value.nin == 2 and value.nout == 1 and value.signature is None
                methods = ("reduce", "accumulate", "outer", "reduceat", "at")
                for method in methods if is_binary else ("at",):
                    yield f"np.{name}.{method}", value
    for name in dir(np.ndarray):
        if not name.startswith("_") and name not in NOT_CALLED:
            yield f"ndarray.{name}", getattr(np.ndarray, name)


MOST_TRIED = 150
"""How many texts are tried for each name."""

KEYWORDS = ("", "axis=0", "dtype=np.float32", "out=out", "keepdims=True", "axis=-1")


def calls(name: str, count: int) -> list[str]:
    """Return at most so many calls of a function that plain NumPy takes, as texts."""
    found: list[str] = []
    for text in islice(_texts(name), MOST_TRIED):
        if len(found) >= count:
            break
        if text and _is_taken(text):
            found.append(text)
    return found


def _texts(name: str) -> Iterator[str]:
    """Yield calls, those with few arguments first; keywords follow what is taken without."""
    owner = name.removeprefix("ndarray.")
    for pattern in PATTERNS:
        places = pattern.count("{}")
        for chosen in _choices(places):
            if "t" in chosen and not name.startswith("np.strings"):
                continue
            arguments = pattern.format(*chosen)
            if name.startswith("ndarray."):
                if not callable(getattr(np.ndarray, owner)):
                    yield f"{arguments}.{owner}"
                    continue
                first, _, rest = arguments.partition(", ")
                text = f"{first}.{owner}({rest}"
            else:
                text = f"{name}({arguments}"
            taken = False
            for keyword in KEYWORDS if places == 1 else ("",):
                if keyword and not taken:
                    break
                whole = f"{text}, {keyword})" if keyword else f"{text})"
                if keyword:
                    yield whole
                else:
                    taken = _is_taken(whole)
                    yield whole if taken else ""


def _choices(places: int) -> Iterator[tuple[str, ...]]:
    if places == 1:
        yield from product("xmsibct")
        return
    for first in "xmst" if places > 2 else "xmisct":
        for others in ("y", "i", "m", "t") if places > 2 else ("y", "i", "b", "m", "t"):
            yield (first, *(others * (places - 1)))


def run(text: str, shift: int) -> Any:
    """Return what an expression gives in plain Python."""
    given = {k: x.copy() if isinstance(x, np.ndarray) else x for k, x in _VALUES[shift].items()}
    return eval(text, {"np": np, "out": np.zeros(5), **given})


_VALUES = [values(0), values(1)]


def _is_taken(text: str) -> bool:
    """Tell whether plain NumPy takes a call, and gives something that can be compared."""
    try:
        run(text, 0)
    except Exception:
        return False
    return True
