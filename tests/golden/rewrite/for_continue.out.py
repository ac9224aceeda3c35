def sum_of_even(xs):
    total = 0
    def body(x):
        def then():
            nonlocal total
            total += x
        ag.if_(ag.not_(x % 2), then, None, 'total')
    ag.for_(xs, body, 'total')
    return total
