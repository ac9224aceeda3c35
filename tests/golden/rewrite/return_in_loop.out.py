def find(xs, wanted):
    returned = False
    result: ...
    def body(item):
        i, x = item
        def then():
            nonlocal result, returned
            result = i
            returned = True
        ag.if_(x == wanted, then, None, 'result?, returned')
    ag.for_(ag.call(enumerate, xs), body, 'result?, returned', until=lambda: returned)
    return ag.if_(returned, lambda: result, lambda: -1)
