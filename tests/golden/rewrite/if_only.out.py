def clip(x, limit):
    def then():
        nonlocal x
        x = limit
    ag.if_(x > limit, then, None, 'x')
    return x
