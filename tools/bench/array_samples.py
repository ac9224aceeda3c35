"""The workloads over arrays of the list that peers are measured with, as their user writes them."""

from __future__ import annotations

from typing import Any

import numpy as np


def add2(a: Any, b: Any) -> Any:
    """Add two small arrays."""
    return a + b


def add10(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any) -> Any:
    """Add ten small arrays."""
    return a + b + c + d + e + f + g + h + i + j


def power(x: Any) -> Any:
    """Multiply by a small matrix a hundred times."""
    r = np.eye(10, dtype=np.int32)
    for _ in range(100):
        r = np.matmul(x, r)
    return r


def dense(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """Apply two dense layers."""
    return np.maximum(x.reshape(-1, 784) @ w1 + b1, 0) @ w2 + b2


def mandelbrot(cr: Any, ci: Any) -> Any:
    """Count the rounds until the points of a plane escape."""
    zr, zi = np.zeros_like(cr), np.zeros_like(ci)
    count = np.zeros(cr.shape, np.int32)
    active = np.ones(cr.shape, bool)
    i = 0
    while i < 100 and np.any(active):
        zr2, zi2 = zr * zr, zi * zi
        active = zr2 + zi2 <= 4
        count = count + active
        zi = np.where(active, 2 * zr * zi + ci, zi)
        zr = np.where(active, zr2 - zi2 + cr, zr)
        i += 1
    return count


def logistic(x: Any, steps: Any) -> Any:
    """Follow the logistic map for some rounds."""
    for _ in range(steps):
        x = 3.7 * x * (1 - x)
    return x


def cube_roots(a: Any, tolerance: Any) -> Any:
    """Find cube roots by Newton's method, until all of them are exact enough."""
    x = a
    while np.max(np.abs(x * x * x - a)) > tolerance:
        x = x - (x * x * x - a) / (3 * x * x)
    return x


def rnn(x: Any, h: Any, wx: Any, wh: Any, b: Any, lengths: Any, steps: Any) -> Any:
    """Run a recurrent network over sequences of several lengths."""
    xt = x.transpose(1, 0, 2)
    out = np.zeros((xt.shape[0], *h.shape), np.float32)
    for t in range(steps):
        new = np.tanh(xt[t] @ wx + h @ wh + b)
        live = (t < lengths)[:, None]
        out[t] = np.where(live, new, 0)
        h = np.where(live, new, h)
    return out.transpose(1, 0, 2), h


def sigmoid(x: Any) -> Any:
    """Map numbers to 0 to 1."""
    return 1 / (1 + np.exp(-x))


def lstm(x: Any, h: Any, c: Any, wx: Any, wh: Any, b: Any, lengths: Any, steps: Any) -> Any:
    """Run a network with long memory over sequences of several lengths."""
    xt, n = x.transpose(1, 0, 2), h.shape[1]
    out = np.zeros((xt.shape[0], *h.shape), np.float32)
    for t in range(steps):
        z = xt[t] @ wx + h @ wh + b
        i, f = sigmoid(z[:, :n]), sigmoid(z[:, n : 2 * n])
        g, o = np.tanh(z[:, 2 * n : 3 * n]), sigmoid(z[:, 3 * n :])
        new = f * c + i * g
        shown = o * np.tanh(new)
        live = (t < lengths)[:, None]
        out[t] = np.where(live, shown, 0)
        h, c = np.where(live, shown, h), np.where(live, new, c)
    return out.transpose(1, 0, 2), h, c


def cross_entropy(z: Any, y: Any) -> Any:
    """Return the mean cross-entropy of logits against labels, and its gradient."""
    z = z - np.max(z, axis=1, keepdims=True)
    e = np.exp(z)
    s = np.sum(e, axis=1, keepdims=True)
    hot = y[:, None] == np.arange(z.shape[1])
    loss = np.mean(np.log(s[:, 0]) - np.sum(np.where(hot, z, 0), axis=1))
    return loss, (e / s - hot) / np.float32(z.shape[0])


def sgd(x: Any, y: Any, w: Any, b: Any, steps: Any) -> Any:
    """Train a linear classifier."""
    loss = np.float32(0)
    for i in range(steps):
        rows = x[i % 10]
        loss, g = cross_entropy(rows @ w + b, y[i % 10])
        w = w - np.float32(0.1) * (rows.T @ g)
        b = b - np.float32(0.1) * np.sum(g, axis=0)
    return w, b, loss


def gelu(x: Any) -> Any:
    """Apply the Gaussian error linear unit, by tanh."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def normal(d: Any) -> Any:
    """Return the normal distribution by a polynomial of five terms."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    p = -0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))
    tail = 0.3989422804 * np.exp(-0.5 * d * d) * (k * (0.31938153 + k * p))
    return np.where(d > 0, 1 - tail, tail)


def black_scholes(s: Any, k: Any, t: Any) -> Any:
    """Return the prices of options to buy and to sell."""
    r, v = 0.02, 0.3
    root = np.sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / (v * root)
    d2 = d1 - v * root
    c1, c2 = normal(d1), normal(d2)
    ke = k * np.exp(-r * t)
    return s * c1 - ke * c2, ke * (1 - c2) - s * (1 - c1)


def softmax(x: Any) -> Any:
    """Normalise the exponentials of rows."""
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layernorm(x: Any, gain: Any, bias: Any) -> Any:
    """Normalise rows."""
    d = x - np.mean(x, axis=-1, keepdims=True)
    v = np.mean(d * d, axis=-1, keepdims=True)
    return d / np.sqrt(v + np.float32(1e-5)) * gain + bias


def logsumexp(x: Any) -> Any:
    """Return the logarithm of the sum of exponentials of rows."""
    m = np.max(x, axis=-1, keepdims=True)
    return (np.log(np.sum(np.exp(x - m), axis=-1, keepdims=True)) + m)[:, 0]


def meanvar(x: Any) -> Any:
    """Return mean and variance of rows."""
    return np.mean(x, axis=-1), np.var(x, axis=-1)


def argmax(x: Any) -> Any:
    """Return where rows are greatest."""
    return np.argmax(x, axis=-1)


def attention(q: Any, k: Any, v: Any) -> Any:
    """Return what queries find under keys."""
    return softmax((q @ k.swapaxes(-1, -2)) * np.float32(0.125)) @ v


def mlp_step(x: Any, y: Any, p: Any, m: Any, v: Any, t: Any) -> Any:
    """Train a network of three layers for one step of Adam."""
    w1, b1, w2, b2, w3, b3 = p
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    loss, g3 = cross_entropy(h2 @ w3 + b3, y)
    g2 = (g3 @ w3.T) * (h2 > 0)
    g1 = (g2 @ w2.T) * (h1 > 0)
    grads = [x.T @ g1, np.sum(g1, 0), h1.T @ g2, np.sum(g2, 0), h2.T @ g3, np.sum(g3, 0)]
    t = t + 1
    c1, c2 = np.float32(1 - 0.9**t), np.float32(1 - 0.999**t)
    m = [np.float32(0.9) * a + np.float32(0.1) * g for a, g in zip(m, grads, strict=True)]
    v = [np.float32(0.999) * a + np.float32(0.001) * g * g for a, g in zip(v, grads, strict=True)]
    p = [
        w - np.float32(1e-3) * (a / c1) / (np.sqrt(b / c2) + np.float32(1e-8))
        for w, a, b in zip(p, m, v, strict=True)
    ]
    return loss, p, m, v, t


def life(g: Any, steps: Any) -> Any:
    """Play the game of life on a torus."""
    for _ in range(steps):
        a = g + np.roll(g, 1, 0) + np.roll(g, -1, 0)
        n = a + np.roll(a, 1, 1) + np.roll(a, -1, 1) - g
        g = ((n == 3) | ((n == 2) & (g == 1))).astype(np.uint8)
    return g
