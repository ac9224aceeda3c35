def collatz(n, limit):
    steps = 0
    stop = False
    def body():
        def then():
            nonlocal stop
            stop = True
        def else_():
            nonlocal steps
            def then_2():
                nonlocal n
                n = n // 2
            def else_2():
                nonlocal n
                n = 3 * n + 1
            ag.if_(n % 2 == 0, then_2, else_2, 'n')
            steps += 1
        ag.if_(steps >= limit, then, else_, 'steps, n, stop')
    ag.while_(lambda: n != 1, body, 'steps, n, stop', until=lambda: stop)
    return steps
