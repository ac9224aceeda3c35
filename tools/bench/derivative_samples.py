"""Functions whose derivatives are compared with JAX's, control flow among them.

Each is made twice of the same text: of NumPy and SciPy, and of JAX's modules of their names, which
run plain Python's control flow where nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tools.bench import derivative_lists, derivative_loops

Function = Callable[..., Any]
SIZE = 64


@dataclass(frozen=True, slots=True)
class World:
    """What the functions are made of.

    Args:
        np: NumPy, or what stands for it.
        special: `scipy.special`, or what stands for it.
        put: `(array, key, value) -> array` with what was written.
        put_add: the same with what was added.
    """

    np: Any
    special: Any
    put: Function
    put_add: Function


def added(array: Any, key: Any, value: Any) -> Any:
    """Return an array with something added at places, each time that they are named."""
    array = array.copy()
    np.add.at(array, key, value)
    return array


X = np.random.default_rng(0).uniform(0.2, 1.8, SIZE)
M = X.reshape(8, 8) + 3 * np.eye(8)
UNARY = (
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "square", "sin"),
    *("cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "absolute", "negative", "sign"),
    *("reciprocal", "sinc", "deg2rad", "rad2deg", "floor", "positive", "nan_to_num", "angle"),
)
SMALL = ("arcsin", "arccos", "arctanh")
BINARY = (
    *("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "arctan2", "hypot"),
    *("logaddexp", "logaddexp2", "remainder", "fmod", "copysign", "fmax", "fmin", "float_power"),
)
REDUCTIONS = (
    *("sum", "mean", "prod", "var", "std", "max", "min", "ptp", "nansum", "nanmean", "nanmax"),
    *("median", "cumsum", "cumprod", "average", "nanstd"),
)
SPECIAL = (
    *("erf", "erfc", "gammaln", "digamma", "expit", "i0", "i0e", "i1", "i1e", "ndtr", "log_ndtr"),
    *("entr", "gamma"),
)
SPECIAL_OF_TWO = ("xlogy", "xlog1py", "rel_entr", "kl_div", "betaln")


def elementwise(world: World) -> dict[str, Function]:
    """Return functions of each element, and of reductions."""
    np, special = world.np, world.special
    made: dict[str, Function] = {}

    def each(names: Sequence[str], form: Callable[[Function], Function], module: Any = np) -> None:
        made.update((name, form(getattr(module, name))) for name in names)

    def of_axes(f: Function) -> Function:
        return lambda x: np.sum(f(x.reshape(8, 8), axis=1) ** 2)

    each(UNARY, lambda f: lambda x: np.sum(f(x) * x * x))
    each(SMALL, lambda f: lambda x: np.sum(f(x * 0.5)))
    each(["arccosh"], lambda f: lambda x: np.sum(f(1 + x)))
    each(BINARY, lambda f: lambda x: np.sum(f(x, x[::-1] + 0.3) * x))
    each(REDUCTIONS, lambda f: lambda x: np.sum(f(x) * x * x))
    each(SPECIAL, lambda f: lambda x: np.sum(f(x) * x * x), special)
    each(SPECIAL_OF_TWO, lambda f: lambda x: np.sum(f(x, x[::-1] + 0.3)), special)
    along = [name for name in REDUCTIONS if not name.startswith("cum")]
    made.update((f"{name} of axis", of_axes(getattr(np, name))) for name in along)
    made["log of sum of exp"] = lambda x: np.log(np.sum(np.exp(x * x)))
    made["softmax"] = lambda x: np.sum(np.exp(x - np.max(x)) * x / np.sum(np.exp(x - np.max(x))))
    return made


def indexing(world: World) -> dict[str, Function]:
    """Return functions that move, choose and write elements."""
    np, put, put_add = world.np, world.put, world.put_add
    places = np.array([3, 1, 3, 0, 63, 3])
    return {
        "concatenate": lambda x: np.sum(np.concatenate([x, x[::2] * x[0]]) ** 2),
        "stack": lambda x: np.prod(np.sum(np.stack([x, x * x]), axis=1)),
        "flip and roll": lambda x: np.sum(np.flip(x) * np.roll(x, 3)),
        "slices": lambda x: np.sum(x[1:] * x[:-1] - x[::-1][1:] * x[5]),
        "take": lambda x: np.sum(np.take(x, places) ** 3),
        "places": lambda x: np.sum(x[places] ** 2 * x[-1]),
        "a mask": lambda x: np.sum(np.where(x > 1, x * x, 0.0)),
        "take_along_axis": lambda x: np.sum(
            np.take_along_axis(x.reshape(8, 8), np.argsort(x.reshape(8, 8), axis=1), axis=1)[:, :3]
            ** 2
        ),
        "where": lambda x: np.sum(np.where(x > 1, x**3, np.sin(x))),
        "clip": lambda x: np.sum(np.clip(x * x, 0.5, 1.5) * x),
        "select": lambda x: np.sum(np.select([x < 0.7, x < 1.2], [x**2, x**3], 1.0)),
        "sort": lambda x: np.sum(np.sort(x) * np.arange(64.0)),
        "sort of axis": lambda x: np.sum(np.sort(x.reshape(8, 8), axis=0)[2:4] ** 2),
        "argsort": lambda x: np.sum(x[np.argsort(-x)[:5]] ** 2),
        "argmax": lambda x: x[np.argmax(x)] * x[np.argmin(x)],
        "pad": lambda x: np.sum(np.pad(x, 2) ** 2) + np.sum(np.pad(x, 3, mode="edge") ** 3),
        "pad by reflection": lambda x: np.sum(np.pad(x, 3, mode="reflect") ** 3),
        "tile and repeat": lambda x: np.sum(np.tile(x, 2) * np.repeat(x, 2)),
        "transpose": lambda x: np.sum(x.reshape(8, 8).T * x.reshape(8, 8)[::-1]),
        "diag": lambda x: np.sum(np.diag(x.reshape(8, 8)) ** 2) + np.trace(x.reshape(8, 8)) ** 2,
        "tril and triu": lambda x: np.sum(np.tril(x.reshape(8, 8)) @ np.triu(x.reshape(8, 8))),
        "broadcast_to": lambda x: np.sum(np.broadcast_to(x, (3, 64)) ** 2 * x),
        "expand_dims": lambda x: np.sum(x[:, None] * x[None, :8] ** 2),
        "rot90": lambda x: np.sum(np.rot90(x.reshape(8, 8)) * x.reshape(8, 8)),
        "split": lambda x: np.sum(np.split(x, 4)[1] * np.split(x, 4)[3]),
        "diff": lambda x: np.sum(np.diff(x, 2) ** 2),
        "gradient": lambda x: np.sum(np.gradient(x) ** 2),
        "cumsum of axis": lambda x: np.sum(np.cumsum(x.reshape(8, 8), axis=1) ** 2),
        "trapezoid": lambda x: np.trapezoid(x * x, dx=0.1),
        "interp": lambda x: np.sum(np.interp(x, np.linspace(0.0, 2.0, 9), np.cumsum(x[:9])) ** 2),
        "convolve": lambda x: np.sum(np.convolve(x, x[:5], "same") ** 2),
        "correlate": lambda x: np.sum(np.correlate(x, x[:5], "valid") ** 2),
        "polyval": lambda x: np.polyval(x[:5], x[7]),
        "quantile": lambda x: np.sum(np.quantile(x, np.array([0.1, 0.5, 0.9])) ** 2),
        "percentile": lambda x: np.percentile(x, 30.0) ** 2,
        "write": lambda x: np.sum(put(x, 3, x[4] * 2.0) ** 2 * x),
        "write a slice": lambda x: np.sum(put(x, slice(2, 10), x[20:28] ** 2) ** 2),
        "write places": lambda x: np.sum(put(x, np.array([5, 1, 9]), x[:3] ** 2) ** 2 * x),
        "scatter add": lambda x: np.sum(put_add(x * x, places, x[:6]) ** 2),
        "scatter into rows": lambda x: np.sum(
            put_add(x.reshape(8, 8), (np.array([1, 1, 2]),), x[:24].reshape(3, 8)) ** 2
        ),
        "meshgrid": lambda x: np.sum(np.meshgrid(x[:4], x[4:7])[0] * np.meshgrid(x[:4], x[4:7])[1]),
        "fft-like sum": lambda x: np.sum(np.cos(np.outer(np.arange(8.0), x)) @ x),
        "complex": lambda x: np.sum(np.abs(np.exp(1j * x) * (x + 0.5j)) ** 2 + np.real(x * 1j)),
    }


def products(world: World) -> dict[str, Function]:
    """Return functions of a matrix of 8 by 8, most of linear algebra."""
    np, of = world.np, world.np.linalg
    made = {
        "matmul": lambda m: np.sum(m @ m.T @ m),
        "dot": lambda m: np.dot(m[0], m[1]) * np.vdot(m[2], m[3]),
        "inner and outer": lambda m: np.sum(np.inner(m, m) + np.outer(m[0], m[1])),
        "einsum": lambda m: np.sum(np.einsum("ij,kj->ik", m, m) ** 2),
        "einsum of three": lambda m: np.einsum("ij,jk,ki->", m, m, m),
        "tensordot": lambda m: np.sum(np.tensordot(m, m, 1) ** 2),
        "kron": lambda m: np.sum(np.kron(m[:2, :2], m[2:5, :3]) ** 2),
        "cross": lambda m: np.sum(np.cross(m[:, :3], m[:, 3:6]) ** 2),
        "det": lambda m: of.det(m * 0.2),
        "slogdet": lambda m: of.slogdet(m)[1],
        "inv": lambda m: np.sum(of.inv(m) ** 2),
        "solve": lambda m: np.sum(of.solve(m, m[0]) ** 2),
        "solve of matrices": lambda m: np.sum(of.solve(m, m @ m.T) ** 2),
        "cholesky": lambda m: np.sum(of.cholesky(m @ m.T) ** 3),
        "eigvalsh": lambda m: np.sum(of.eigvalsh(m + m.T) ** 3),
        "eigh": lambda m: np.sum(np.abs(of.eigh(m + m.T)[1][:, 0]) * np.arange(8.0)),
        "svd": lambda m: np.sum(of.svd(m, compute_uv=False) ** 3),
        "qr": lambda m: np.sum(np.abs(of.qr(m)[1]) ** 3),
        "pinv": lambda m: np.sum(of.pinv(m[:, :5]) ** 2),
        "matrix_power": lambda m: np.sum(of.matrix_power(m * 0.2, 5)),
        "norm": lambda m: of.norm(m) * of.norm(m[0]) + of.norm(m[1], 1),
        "norms of rows": lambda m: np.sum(of.norm(m, axis=1) ** 3),
        "multi_dot": lambda m: np.sum(of.multi_dot([m[:2], m, m[:, :3]]) ** 2),
    }
    return {f"{name} of a matrix": f for name, f in made.items()}


def samples(world: World) -> dict[str, dict[str, tuple[Function, Any]]]:
    """Return all functions, by group and name, with what they are called with."""
    return {
        "elements, reductions, special": {k: (f, X) for k, f in elementwise(world).items()},
        "indices, moves, scatters, sorts": {k: (f, X) for k, f in indexing(world).items()},
        "products, linear algebra": {k: (f, M) for k, f in products(world).items()},
        "control flow": {
            k: (f, X) for k, f in derivative_loops.made_of(world.np, world.put).items()
        },
        "lists and stencils": {
            k: (f, X) for k, f in derivative_lists.made_of(world.np, world.put).items()
        },
    }
