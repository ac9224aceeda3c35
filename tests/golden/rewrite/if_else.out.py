def sign(x):
    y: ...
    def then():
        nonlocal y
        y = 1
    def else_():
        def then_2():
            nonlocal y
            y = -1
        def else_2():
            nonlocal y
            y = 0
        ag.if_(x < 0, then_2, else_2, 'y')
    ag.if_(x > 0, then, else_, 'y')
    return y
