def area(shape):
    found, captured = ag.match(shape, "['circle', r]")
    a: ...
    def then():
        r, = captured
        size = 3.14 * r * r
        return size
    def else_():
        found, captured = ag.match(shape, "['square', a]")
        def then_2():
            nonlocal a, found
            a, = captured
            found = a > 0
        ag.if_(found, then_2, None, 'a, found')
        def then_3():
            def else_4():
                size = a * a
                return size
            return ag.if_(a > 10, lambda: None, else_4)
        def else_3():
            size = 0
            return size
        return ag.if_(found, then_3, else_3)
    return ag.if_(found, then, else_, discard='a')
