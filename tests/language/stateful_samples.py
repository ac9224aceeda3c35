"""Objects with a state of their own, whose method is called again and again.

Each call has to give what plain Python gives and to leave the object as that does, whatever is a
part of the graph by then.
"""

from __future__ import annotations

import math

import numpy as np


class Kalman:
    def __init__(self):
        self.x = np.zeros(2)
        self.P = np.eye(2)
        self.F = np.array([[1.0, 1.0], [0, 1.0]])
        self.H = np.array([[1.0, 0.0]])
        self.Q = np.eye(2) * 0.01
        self.R = np.eye(1)

    def step(self, z):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(2) - K @ self.H) @ self.P
        return self.x.copy()


class PID:
    def __init__(self):
        self.i = 0.0
        self.prev = None

    def step(self, e):
        self.i += e * 0.1
        d = 0.0 if self.prev is None else (e - self.prev) / 0.1
        self.prev = e
        out = 2 * e + 0.5 * self.i + 0.1 * d
        if out > 3:
            out = 3.0
        elif out < -3:
            out = -3.0
        return out


class Welford:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0
        self.min = math.inf
        self.max = -math.inf

    def step(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)
        self.min = min(self.min, x)
        self.max = max(self.max, x)
        return (self.mean, self.m2 / (self.n - 1) if self.n > 1 else 0.0)


class Ring:
    def __init__(self):
        self.buf = np.zeros(4)
        self.head = 0
        self.size = 0

    def step(self, x):
        self.buf[self.head] = x
        self.head = (self.head + 1) % len(self.buf)
        self.size = min(self.size + 1, 4)
        return self.buf.sum() / self.size


class Moving:
    def __init__(self):
        self.window = []
        self.total = 0.0

    def step(self, x):
        self.window.append(x)
        self.total += x
        if len(self.window) > 3:
            self.total -= self.window.pop(0)
        return self.total / len(self.window)


class Machine:
    def __init__(self):
        self.state = "idle"
        self.count = 0

    def step(self, x):
        if self.state == "idle":
            if x > 0:
                self.state = "run"
                self.count = 0
        elif self.state == "run":
            self.count += 1
            if x < 0 or self.count > 2:
                self.state = "stop"
        else:
            self.state = "idle"
        return (self.state, self.count)


class Net:
    def __init__(self):
        r = np.random.default_rng(0)
        self.w1 = r.normal(size=(2, 3))
        self.b1 = np.zeros(3)
        self.w2 = r.normal(size=(3, 1))
        self.losses = []

    def step(self, x):
        X = np.array([[x, 1.0], [x * 2, -1.0]])
        y = np.array([[1.0], [0.0]])
        h = np.tanh(X @ self.w1 + self.b1)
        o = h @ self.w2
        e = o - y
        gw2 = h.T @ e
        gh = e @ self.w2.T * (1 - h * h)
        self.w2 -= 0.1 * gw2
        self.w1 -= 0.1 * X.T @ gh
        self.b1 -= 0.1 * gh.sum(0)
        loss = (e**2).sum()
        self.losses.append(loss)
        return loss


class Adam:
    def __init__(self):
        self.t = 0
        self.m = np.zeros(2)
        self.v = np.zeros(2)
        self.p = np.array([1.0, -1.0])

    def step(self, g):
        g = np.array([g, -g])
        self.t += 1
        self.m[:] = 0.9 * self.m + 0.1 * g
        self.v[:] = 0.999 * self.v + 0.001 * g * g
        mh = self.m / (1 - 0.9**self.t)
        vh = self.v / (1 - 0.999**self.t)
        self.p -= 0.01 * mh / (np.sqrt(vh) + 1e-08)
        return self.p


class Layer:
    def __init__(self, k):
        self.w = np.full((2, 2), float(k))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.x = x
        return np.tanh(self.w @ x)

    def backward(self, g):
        self.w -= 0.1 * np.outer(g, self.x)
        return self.w.T @ g


class Deep:
    def __init__(self):
        self.layers = [Layer(1), Layer(2)]

    def step(self, x):
        h = np.array([x, 1.0])
        for l in self.layers:
            h = l.forward(h)
        g = h
        for l in reversed(self.layers):
            g = l.backward(g)
        return g


class Lcg:
    def __init__(self):
        self.state = 12345

    def step(self, x):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return self.state / 2**31 * x


class Resv:
    def __init__(self):
        self.rng = np.random.default_rng(1)
        self.items = np.zeros(3)
        self.n = 0

    def step(self, x):
        if self.n < 3:
            self.items[self.n] = x
        else:
            j = self.rng.integers(0, self.n + 1)
            if j < 3:
                self.items[j] = x
        self.n += 1
        return self.items.copy()


class Life:
    def __init__(self):
        self.g = np.zeros((5, 5), int)
        self.g[2, 1:4] = 1
        self.gen = 0

    def step(self, x):
        n = sum(
            (
                np.roll(np.roll(self.g, i, 0), j, 1)
                for i in (-1, 0, 1)
                for j in (-1, 0, 1)
                if (i, j) != (0, 0)
            )
        )
        self.g = ((n == 3) | (self.g == 1) & (n == 2)).astype(int)
        self.gen += 1
        return self.g.sum() + x


class Smooth:
    alpha = 0.5

    def __init__(self):
        self.level = None
        self.trend = 0.0

    def step(self, x):
        if self.level is None:
            self.level = x
            return x
        prev = self.level
        self.level = self.alpha * x + (1 - self.alpha) * (self.level + self.trend)
        self.trend = self.alpha * (self.level - prev) + (1 - self.alpha) * self.trend
        return self.level + self.trend


class Hist:
    def __init__(self):
        self.bins = np.zeros(4, int)
        self.edges = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])

    def step(self, x):
        k = np.searchsorted(self.edges, x) - 1
        if 0 <= k < 4:
            self.bins[k] += 1
        return self.bins.argmax()


class Stack:
    def __init__(self):
        self.items = []
        self.min = []

    def step(self, x):
        if x >= 0:
            self.items.append(x)
            if not self.min or x <= self.min[-1]:
                self.min.append(x)
        elif self.items:
            if self.items.pop() == self.min[-1]:
                self.min.pop()
        return self.min[-1] if self.min else None


class Particles:
    def __init__(self):
        self.pos = np.zeros((3, 2))
        self.vel = np.array([[1.0, 0], [0, 1.0], [1, 1]])
        self.bounces = 0

    def step(self, x):
        self.pos += self.vel * x
        out = np.abs(self.pos) > 2
        self.vel[out] *= -1
        self.bounces += out.sum()
        np.clip(self.pos, -2, 2, out=self.pos)
        return self.pos.sum()


class Perceptron:
    def __init__(self):
        self.w = [0.0, 0.0]
        self.errors = 0

    def step(self, x):
        y = 1 if x > 0.5 else -1
        p = 1 if self.w[0] * x + self.w[1] > 0 else -1
        if p != y:
            self.errors += 1
            self.w[0] += y * x
            self.w[1] += y
        return (p, self.errors)


class Newton:
    def __init__(self):
        self.guess = 1.0
        self.iters = 0

    def step(self, x):
        x = abs(x) + 1
        while abs(self.guess * self.guess - x) > 1e-09:
            self.guess = (self.guess + x / self.guess) / 2
            self.iters += 1
        return self.guess


class Elev:
    def __init__(self):
        self.floor = 0
        self.dir = 1
        self.queue = [3, 1]

    def step(self, x):
        if self.queue:
            t = self.queue[0]
            if t > self.floor:
                self.floor += 1
                self.dir = 1
            elif t < self.floor:
                self.floor -= 1
                self.dir = -1
            else:
                self.queue.pop(0)
        if x > 1:
            self.queue.append(int(x))
        return (self.floor, len(self.queue))


STATEFUL = (
    Kalman,
    PID,
    Welford,
    Ring,
    Moving,
    Machine,
    Net,
    Adam,
    Deep,
    Lcg,
    Resv,
    Life,
    Smooth,
    Hist,
    Stack,
    Particles,
    Perceptron,
    Newton,
    Elev,
)
