def tick(n):
    global ticks
    while n > 0:
        ticks += 1
        n -= 1
