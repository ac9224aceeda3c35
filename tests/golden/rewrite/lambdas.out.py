clip = lambda x, low, high: ag.if_exp(x < low, lambda: low, lambda: ag.if_exp(x > high, lambda:
    high, lambda: x))
