def show(xs, verbose):
    def then():
        ag.call(print, ag.call(len, xs))
        def then_2():
            ag.call(print, xs)
        ag.if_(verbose, then_2, None)
    ag.if_(xs, then, None)
