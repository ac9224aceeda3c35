def total(xs):
    result = 0
    def body(x):
        nonlocal result
        result += x
    ag.for_(xs, body, 'result')
    return result
