def newton(a, tolerance):
    x = a
    returned = False
    result: ...
    def body():
        error = x * x - a
        def then():
            nonlocal result, returned
            result = x
            returned = True
        def else_():
            nonlocal x
            x = x - error / (2 * x)
        ag.if_(ag.call(abs, error) < tolerance, then, else_, 'x, result?, returned')
    ag.while_(lambda: True, body, 'x, result?, returned', until=lambda: returned)
    return result
