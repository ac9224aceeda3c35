def root(x):
    def else_():
        y = x / 2
        for _ in range(10):
            y = 0.5 * (y + x / y)
        return y
    return ag.if_(x < 0, lambda: 0.0, else_)
