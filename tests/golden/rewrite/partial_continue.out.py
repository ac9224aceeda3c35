def walk(xs, log):
    def body(x):
        skip = False
        def then():
            def then_2():
                nonlocal skip
                skip = True
            def else_2():
                ag.call(log.append, 'positive')
            ag.if_(x == 2, then_2, else_2, 'skip')
        ag.if_(x > 0, then, None, 'skip')
        def then_3():
            ag.call(log.append, x)
        ag.if_(ag.not_(skip), then_3, None)
    ag.for_(xs, body)
