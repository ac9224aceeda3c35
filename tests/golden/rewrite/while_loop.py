def power(x, n):
    i = 0
    while i < n:
        t = x * i
        x = x + t
        i += 1
    return x
