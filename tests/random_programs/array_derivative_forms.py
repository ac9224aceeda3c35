"""What random functions of arrays compute: forms with gaps, one a line.

`u` and `v` stand for vectors, `p` and `q` for matrices of 3 by 3, `n` for a number, `axis` for an
axis, `at` for a place, `sign` for an assignment, `regular` and `definite` for such matrices.
"""

from __future__ import annotations

VECTORS = """
np.convolve({u}, {v}, "same")
np.convolve({u}, {v})[:len(x)]
np.convolve({u}, {v}[:3], "same")
np.convolve(np.concatenate([{u}, {v}[:2]]), {v}[-3:], "valid")
np.correlate({u}, {v}, "same")
np.correlate({u}, {v}, "full")[:len(x)]
np.correlate({v}[1:4], {u}, "full")[:len(x)]
np.cumsum({u}) * {n}
np.cumsum({u}[::-1])[::-1] * 0.5
np.cumprod({u} + {n})
np.nancumsum({u}) * {n}
np.maximum.accumulate({u} + {v})
np.minimum.accumulate({u}) * {n}
np.add.accumulate({u} * {v})
np.multiply.accumulate({u})
np.subtract.accumulate({u})
np.logaddexp.accumulate({u} * {n})
np.sort({u} * {n})
np.sort({u})[::-1] * {v}
{u}[np.argsort({v})]
np.partition({u} * 1.0, 2) + np.min({v})
{u}[np.searchsorted(np.sort({v}), {u}) % len(x)] * {n}
np.interp({u}, np.sort({v}), {u} * {v})
np.interp({u}, np.array([-1.0, {n} * 0.1, 1.0]), {v}[:3])
np.interp({u} * {n}, np.linspace(-1, 1, len(x)), {v})
np.diff({u}, prepend={n})
np.gradient({u}) * {n}
np.roll({u}, 1) * {v}
np.roll({u}, k) - {v}
np.clip({u}, -0.4, abs({n}) + 0.1)
np.where({u} > {n}, {v}, {u} * {n})
np.select([{u} > {n}, {v} > 0.2], [{v} * 2.0, {u}], {n})
np.outer({u}, {v})[:, {at}]
np.outer({u}, {v}) @ x
np.diag(np.outer({u}, {v}))
np.min(np.outer({u}, {v}), axis=1)
np.ptp(np.outer({u}, {v}), axis=0)
np.linalg.norm(np.outer({u}, {v}) + 1.0, axis={axis})
np.repeat({u}, 2)[:len(x)] * {n}
np.tile({u}, 2)[1:len(x) + 1]
np.pad({u}, (1, 2))[1:-2] + {n}
np.flip({u}) - {v}
np.concatenate([{u}[2:], {p}[0, :2] * {n}])
np.append({u}[1:], {n})
np.insert({u}[:-1], 2, {n})
np.append(np.delete({u}, {at}), {v}[0])
np.fft.ifft(np.fft.fft({u}) * np.fft.fft({v})).real
np.abs(np.fft.fft({u}) + 1.5)
np.real(({u} + 1j * {v}) ** 2 * np.exp(1j * {n}))
np.take({u}, np.arange(len(x)) % 3) * {n}
({u} - np.mean({u})) / (np.std({u}) + 0.5)
np.exp({u} - np.max({u})) / np.sum(np.exp({u} - np.max({u})))
np.bincount(np.arange(len(x)) % 3, weights={u}, minlength=len(x))
np.sum(np.lib.stride_tricks.sliding_window_view(np.append({u}, {v}[:2]), 3), 1)
np.polyval({v}[:3], {u})
np.vander({u}, 3)[:, 0] + {n}
np.array([y * {n} for y in {u}])
np.max(np.stack([{u}, {v}]), axis=0)
"""
OF_ROWS = """
np.mean(rows, axis=0)
np.stack(rows)[-1] * {n}
sum(rows) * {n}
np.max(np.array(rows), axis=0)
"""
MATRICES = """
{p} @ {q}
np.inner({p}, {q})
np.dot({p}, {q}) * {n}
np.linalg.cholesky({definite})
np.linalg.inv({regular})
np.linalg.inv({definite}) * {n}
np.linalg.solve({regular}, {q})
np.linalg.solve({definite}, {q} * {n})
np.linalg.pinv({regular})
np.linalg.matrix_power({p} * 0.5, 3)
np.linalg.qr({regular})[0]
np.linalg.qr({regular})[1] * {n}
np.linalg.svd({regular} + np.diag([0.0, 1.0, 2.5]))[1] * {q}
np.linalg.eigh({definite} + np.diag([0.0, 2.0, 5.0]))[0] + {q}
np.cumsum({p}, axis={axis})
np.cumprod({p}, axis={axis}) + {n}
np.maximum.accumulate({p}, axis={axis})
np.sort({p}, axis={axis}) * {n}
np.sort({p} + {q}, axis={axis})[::-1]
np.take_along_axis({p}, np.argsort({q}, axis=1), axis=1)
np.diag({u}[:3]) + {p}
np.diag(np.diag({p})) * {n}
np.diag({u}[:2], 1)
np.tril({p}) + np.triu({q}, 1)
np.triu({p}, -1) * {n}
np.outer({u}[:3], {p}[{at}])
np.kron({p}[:1, :1], {q})
np.einsum("ij,kj->ik", {p}, {q})
np.einsum("ij,jk,k->ij", {p}, {q}, {u}[:3])
np.tensordot({p}, {q}, axes=1)
np.tensordot({p}, {q}, axes=([0], [1]))
np.cross({p}, {u}[:3])
np.stack([{u}[:3], {p}[0], {q}[:, 1]])
np.vstack([{u}[:3], {p}[1:]])
np.column_stack([{p}[:, :2], {u}[-3:]])
np.roll({p}, 1, axis={axis})
np.rot90({p})
np.where({p} > {q}, {n}, {q})
{p} - np.mean({p}, axis={axis}, keepdims=True)
np.gradient({p}, axis={axis})
np.linalg.multi_dot([{p}, {q}, {regular}])
"""
NUMBERS = """
np.trace({p} @ {q})
np.trace({p}, {at})
np.sum(np.diagonal({p}))
np.linalg.det({p} + np.eye(3))
np.linalg.slogdet({definite})[1]
np.linalg.norm({p} + 0.5)
np.linalg.norm({u}, 3)
np.linalg.norm({u} + 0.2, 1)
np.linalg.norm({regular}, 2)
np.linalg.eigvalsh({definite} + np.diag([0.0, 2.0, 5.0]))[1]
np.linalg.solve({definite}, {u}[:3]) @ {v}[-3:]
np.linalg.multi_dot([{u}[:3], {p}, {q}, {v}[:3]])
{u}[:3] @ {p} @ {v}[:3]
np.inner({u}, {v})
np.vdot({u}, {v})
np.einsum("ii", {p})
np.einsum("i,ij,j", {u}[:3], {p}, {v}[:3])
np.median({u} * {n})
np.percentile({u}, 30)
np.quantile({p}, 0.7)
np.prod({u} + 1.5)
np.max({p} * {n})
np.ptp({u})
np.std({u})
np.var({p}) * {n}
np.cov({u}, {v})[0, 1]
np.corrcoef({u}, {v} + x)[0, 1]
np.average({u}, weights=np.exp({v}))
np.interp({n}, np.sort({u}), {v})
np.trapezoid({u}, dx={n})
np.convolve({u}, {v})[{at}]
np.correlate({u}, {v})[0]
np.max(np.convolve({u}, {v}, "same"))
np.sort({u})[{at}]
np.cumsum({u})[-1]
{u}[np.argmax({v})]
np.nansum({u} / ({n} ** 2 + 1))
np.logaddexp.reduce({u})
np.subtract.reduce({u})
np.hypot.reduce(np.abs({u}) + 0.2)
np.fmax.reduce({p}, axis=0)[1]
np.log(np.sum(np.exp({u})))
np.polyval({u}[:3], {n})
"""
WRITES = """
u[{at}] {sign} {n}
v[1:] {sign} {u}[:-1] * {n}
u[::2] {sign} {n}
v[v > 0.3] {sign} {n}
u[[0, 2]] {sign} x[:2]
{p}[{at}] {sign} {u}[-3:]
{p}[:, k % 3] {sign} x[:3]
{p}[k % 3, 2] {sign} {n}
{p}[{p} < 0] {sign} {n}
{p}[np.diag_indices(3)] {sign} {n}
{p}[:2, 1:] {sign} {q}[1:, :2]
np.add.at(u, [0, 1, 1], x[:3])
np.fill_diagonal({p}, {n})
v.sort()
u[...] = np.cumsum({u}) * 0.3
v {sign} {u}[::-1]
u *= {n}
u += {n}
np.multiply(u, {v}, out=u)
w = u[1:]; w *= {n}
w = v[::-1]; w += {u}
for row in {p}: row *= x[:3]
np.copyto(v, x * {n})
np.put(u, [0, 2], {n})
{p} {sign} {q}.T
u[k % 4], u[0] = u[0], u[2] * {n}
"""
WRITES_OF_ROWS = """
rows.append(u * 1.0)
rows.append(np.sort(v))
rows[-1][0] *= {n}
rows[k % len(rows)] = {u} * {n}
"""
