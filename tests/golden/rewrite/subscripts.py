def window(xs, i, n):
    first = xs[0]
    xs[i] = xs[i - 1] + first
    xs[i + 1] += 1
    return xs[i : i + n], xs[:, n], xs[-1]
