def scan(xs, limit):
    returned = False
    stop = False
    result: ...
    def body(x):
        def then():
            nonlocal result, returned, stop
            result = 'negative'
            returned = True
            stop = True
        def else_():
            def then_2():
                nonlocal stop
                stop = True
            ag.if_(x > limit, then_2, None, 'stop')
        ag.if_(x < 0, then, else_, 'result?, returned, stop')
    ag.for_(xs, body, 'result?, returned, stop', until=lambda: stop)
    return ag.if_(returned, lambda: result, lambda: 'done')
