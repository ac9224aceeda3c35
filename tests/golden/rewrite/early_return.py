def root(x):
    if x < 0:
        return 0.0
    y = x / 2
    for _ in range(10):
        y = 0.5 * (y + x / y)
    return y
