def settle(x, xs):
    def body():
        def body_2(y):
            def then():
                nonlocal x
                x = x - y
            ag.if_(ag.not_(ag.hinted(ag.hint, lambda: y > 0, mode='staged')), then, None, 'x')
        ag.for_(ag.hinted(ag.hint, lambda: xs, unroll=True), body_2, 'x')
        def then_2():
            nonlocal x
            x = ag.if_exp(ag.hinted(ag.hint, lambda: x > 3, label='half'), lambda: x / 2, lambda:
                x / 3)
        ag.if_(ag.not_(ag.hinted(ag.hint, lambda: x > 5, label='large')), then_2, None, 'x')
    ag.while_(lambda: ag.hinted(ag.hint, lambda: x > 1, max_iterations=10, label='outer'), body, 'x'
        )
    return x
