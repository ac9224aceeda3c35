def read(source):
    returned = False
    try:
        result: ...
        def then():
            nonlocal result, returned
            result = ag.call(source.read)
            returned = True
        def else_():
            ag.call(source.wait)
        ag.if_(source.ready, then, else_, 'result?, returned')
    finally:
        ag.call(source.close)
    return ag.if_(returned, lambda: result, lambda: None)
