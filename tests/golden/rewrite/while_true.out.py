def newton(a, tolerance):
    x = a
    stop = False
    def body():
        error = x * x - a
        def then():
            nonlocal stop
            stop = True
        def else_():
            nonlocal x
            x = x - error / (2 * x)
        ag.if_(ag.call(abs, error) < tolerance, then, else_, 'x, stop')
    ag.while_(lambda: True, body, 'x, stop', until=lambda: stop)
    return x
