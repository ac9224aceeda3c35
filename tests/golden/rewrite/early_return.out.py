def root(x):
    def else_():
        y = x / 2
        def body(_):
            nonlocal y
            y = 0.5 * (y + x / y)
        ag.for_(range(10), body, 'y')
        return y
    return ag.if_(x < 0, lambda: 0.0, else_)
