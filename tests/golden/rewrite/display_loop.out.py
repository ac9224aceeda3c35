def horner(x):
    y = 0
    def body(c):
        nonlocal y
        y = y * x + c
    ag.for_((3, 2, 1), body, 'y')
    return y
