"""Objects of NumPy that no spec describes: masked arrays, dates, records, texts of a fixed length.

Their programs are run staged and plain, twice, with other values of the same types.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import autograph as ag
from runtime.errors import DtypeError, GraphFormatError, RuntimeGraphError
from runtime.graph.interpret import interpret
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.ops.numpy_calls import read_call

X = np.array([1.0, -2.0, 3.0, 0.5])
M = np.array([[0.0, 1.0], [-2.0, 3.0]])
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
DAYS = np.array(["2020-01-01", "2020-02-03"], "M8[D]")
ROWS = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f8"), ("b", "i8")])


def masked(x):
    a = np.ma.masked_less(x * 2, 1)
    a[0] = np.ma.masked
    a.fill_value = 3.0
    a[1:] += 1
    return a, a.sum(), a.filled(), a.mask, a.count(), len(a), str(a), f"{a} {x[0]}"


def in_a_branch(x):
    a = np.ma.masked_less(x, 1) if x[0] > 0 else np.ma.masked_greater(x, 1)
    if a.mean() > 1:
        return a + 1
    return a * 2


def in_a_loop(x):
    a, n = np.ma.masked_less(np.abs(x), 1), 0
    while a.sum() < 100:
        a = a * 2 + 1
        n += 1
    return a, n


def dtype_of_values(m):
    w, v = np.linalg.eig(m)
    total = 0.0
    for one in w:
        total = total + np.abs(one)
    return w, v @ np.diag(w), np.sum(w), w.real, total, m[0] * w[0], m[w.imag == 0]


def texts(x):
    made = np.char.mod("%5.2f", x)
    return made, np.char.upper(made), np.array2string(x) + "!", np.base_repr(len(x)), x.tobytes()


def dates(x, days):
    moved = days + (x[:2] * 2).astype(int)
    return moved, moved.max() - days.min(), (moved > days[0]).sum(), moved.astype("int64")


def records(rows):
    rows["a"][:] = rows["b"] * 2.0
    return rows["b"].sum(), rows[0], np.rec.fromarrays([rows["a"], rows["b"]], names="p,q").p


def polynomials(x):
    p, q = np.poly1d(x), np.polynomial.Polynomial(x)
    return p(2.0), p.deriv()(x), p * p, q(x), q.deriv().coef, (q + 1).coef


def given(a, x):
    a[0] = x[0]
    return a, a + x[:3], a is a, isinstance(a, np.ma.MaskedArray)


def of_a_generator(n):
    rng = np.random.default_rng(n)
    return rng.normal(size=2) + rng.integers(5)


def numbered(m):
    total = 0.0
    for (i, j), one in np.ndenumerate(m):
        total = total + one * (i + 2 * j)
    return total, m.tolist(), [x * 2 for x in m.flat], m.flat[1:3]


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    masked: (X,),
    in_a_branch: (X,),
    in_a_loop: (X,),
    dtype_of_values: (M,),
    texts: (X,),
    dates: (X, DAYS),
    records: (ROWS,),
    polynomials: (X,),
    given: (MASKED, X),
    of_a_generator: (np.int64(3),),
    numbered: (M,),
}


def _other(value: Any) -> Any:
    """Return another value of the same type."""
    is_number = getattr(value, "dtype", None) in (np.dtype("f8"), np.dtype("i8"))
    return value * -2 + 7 if is_number else value


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_staged_program_with_objects_does_what_the_plain_one_does(program: Any) -> None:
    staged = ag.function(program)
    for change in (deepcopy, _other):
        ours, plain = (deepcopy([*map(change, PROGRAMS[program])]) for _ in range(2))
        assert repr(staged(*ours)) == repr(program(*plain))
        assert repr(ours) == repr(plain)
    assert staged.trace_count == 1


def _write_both(x):
    y = x * 2
    a = np.ma.array(y)
    a[0] = 9.0
    return y


def _write_array(x):
    y = x * 2
    a = np.ma.array(y)
    y[0] = 9.0
    return a[:2]


def _write_argument(x):
    np.ma.array(x)[0] = 9.0


def _by_memory(x):
    return x.data


@pytest.mark.parametrize("program", [_write_both, _write_array, _write_argument, _by_memory])
def test_what_shares_memory_with_an_array_of_the_graph_is_not_written_unseen(program: Any) -> None:
    with pytest.raises(RuntimeGraphError):
        ag.function(program)(X.copy())


def test_only_the_mask_is_written_of_what_holds_an_argument() -> None:
    @ag.function
    def f(x):
        a = np.ma.array(x, mask=x > 2)
        a[1] = np.ma.masked
        return a

    assert f(X).mask.tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    "text",
    ["_0._data", "_0.tofile('x')", "numpy.save('x', _0)", "os.remove(_0)", "eval(_0)",
     "operator.methodcaller('x')", "scipy.io.savemat('x', _0)", "_0.a.b", "set_member.x(_0)",
     "numpy.ma.core.builtins.eval('1')", "numpy.f2py.os.getcwd()", "numpy.ctypeslib.load_library()",
     "numpy.random.mtrand.warnings.warn('x')", "numpy.linalg(_0)", "numpy(_0)", "numpy.no_such(_0)",
     "scipy.stats.distributions.np.load('x')", "operator(_0)", "numpy.lib.npyio.NpzFile('x')"],
)  # fmt: skip
def test_a_text_that_does_more_than_to_compute_is_no_call(text: str) -> None:
    with pytest.raises(GraphFormatError):
        read_call(text)


def test_a_call_changes_no_class() -> None:
    with pytest.raises(GraphFormatError, match="changes no function and no class"):
        read_call("set_member(numpy.ma.MaskedArray, 'sum', _0)")(X)


def test_an_attribute_that_is_not_public_is_not_given() -> None:
    with pytest.raises(GraphFormatError):
        read_call("set_member(_0, '__class__', _1)")(X, 1)


def test_another_class_than_the_trials_gave_is_an_error() -> None:
    @ag.function
    def f(x):
        return np.ma.getmaskarray(np.ma.masked_greater(x, 1e9)).shape

    @ag.function
    def g(x):
        return np.min_scalar_type(x)

    assert f(np.array([2e9, 1.0])) == (2,)
    assert g(np.float64(2.0)) == np.dtype("f2")
    with pytest.raises(DtypeError, match="was expected from a trial"):
        g(np.float64(1e300))


def test_a_graph_with_objects_prints_and_reads_back() -> None:
    graph = ag.function(masked).get_concrete_function(X).traced_graph
    text = print_graph(graph, elide=False)
    assert "object[] = numpy_call(" in text
    read = read_graph(text)
    assert print_graph(read, elide=False) == text
    found = interpret(read, [X], np)
    assert repr(found[0]) == repr(masked(X)[0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.linalg.eigvals(np.outer(x, x)).real.sum(),
        lambda x: np.ma.masked_less(x, 1.0).sum(),
    ],
)
def test_what_follows_an_object_has_no_derivative_and_that_is_said(function: Any) -> None:
    for derive in (ag.grad(function), lambda x: ag.jvp(function, (x,), (x,))):
        with pytest.raises(ag.DerivativeError):
            derive(X)


def test_a_derivative_beside_an_object_is_there() -> None:
    def f(x):
        return (x * np.ma.getmaskarray(np.ma.masked_less(x, 1.0)).copy()).sum()

    assert ag.grad(f)(X).tolist() == [0.0, 1.0, 0.0, 1.0]
