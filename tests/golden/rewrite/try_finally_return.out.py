def read(source):
    returned = False
    result: ...
    def body():
        def then():
            nonlocal result, returned
            result = ag.call(source.read)
            returned = True
        def else_():
            ag.call(source.wait)
        ag.if_(source.ready, then, else_, 'result?, returned')
    def final():
        ag.call(source.close)
    ag.try_(body, [], None, final, 'result?, returned')
    return ag.if_(returned, lambda: result, lambda: None)
