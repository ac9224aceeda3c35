def area(shape):
    returned = False
    match shape:
        case ['circle', r]:
            size = 3.14 * r * r
        case ['square', a] if (a > 0):
            result: ...
            def then():
                nonlocal result, returned
                result = None
                returned = True
            def else_():
                nonlocal size
                size = a * a
            ag.if_(a > 10, then, else_, 'size, result?, returned')
        case _:
            size = 0
    return ag.if_(returned, lambda: result, lambda: size)
