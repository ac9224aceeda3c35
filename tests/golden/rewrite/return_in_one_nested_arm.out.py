def price(amount, member, coupon):
    returned = False
    result: ...
    def then():
        def then_2():
            nonlocal result, returned
            result = 0
            returned = True
        def else_2():
            nonlocal amount
            amount = amount * 0.9
        ag.if_(coupon, then_2, else_2, 'amount, result?, returned')
    ag.if_(member, then, None, 'amount, result?, returned')
    def else_3():
        total = amount + 5
        return ag.call(round, total)
    return ag.if_(returned, lambda: result, else_3)
