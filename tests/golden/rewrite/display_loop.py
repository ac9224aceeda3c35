def horner(x):
    y = 0
    for c in (3, 2, 1):
        y = y * x + c
    return y
