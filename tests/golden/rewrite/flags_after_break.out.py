def simulate(x, steps):
    stop = False
    step: ...
    def body(item):
        nonlocal step
        step = item
        y = x * x
        def then():
            nonlocal stop
            stop = True
        def else_():
            nonlocal x
            x = y + 1
        ag.if_(y > 4, then, else_, 'x, stop')
    ag.for_(ag.call(range, steps), body, 'step, x, stop', until=lambda: stop)
    return ag.if_(ag.not_(stop), lambda: -1, lambda: step)
