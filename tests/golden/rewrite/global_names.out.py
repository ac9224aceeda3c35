def tick(n):
    global ticks
    def body():
        global ticks
        nonlocal n
        ticks += 1
        n -= 1
    ag.while_(lambda: n > 0, body, 'n, ticks')
