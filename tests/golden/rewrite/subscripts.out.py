def window(xs, i, n):
    first = xs[0]
    xs[i] = ag.get_item(xs, i - 1) + first
    xs[i + 1] += 1
    return ag.get_item(xs, slice(i, i + n)), ag.get_item(xs, (slice(None, None), n)), xs[-1]
