def first_negative(rows):
    returned = False
    result: ...
    def body(row):
        def body_2(x):
            def then():
                nonlocal result, returned
                result = x
                returned = True
            ag.if_(x < 0, then, None, 'result?, returned')
        ag.for_(row, body_2, 'result?, returned', until=lambda: returned)
    ag.for_(rows, body, 'result?, returned', until=lambda: returned)
    return ag.if_(returned, lambda: result, lambda: 0)
