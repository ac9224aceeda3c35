def clip(x, limit):
    if x > limit:
        x = limit
    return x
