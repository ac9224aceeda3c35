def absolute(x):
    return ag.if_(x > 0, lambda: x, lambda: -x)
