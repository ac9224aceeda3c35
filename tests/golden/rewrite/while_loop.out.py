def power(x, n):
    i = 0
    def body():
        nonlocal i, x
        t = x * i
        x = x + t
        i += 1
    ag.while_(lambda: i < n, body, 'i, x')
    return x
