def find(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return -1
