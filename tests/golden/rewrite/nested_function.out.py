def counter(n):
    total = 0
    def add(x):
        nonlocal total
        def then():
            nonlocal total
            total += x
        ag.if_(x > 0, then, None, 'total')
    def body(i):
        ag.call(add, i)
    ag.for_(ag.call(range, n), body)
    return total
