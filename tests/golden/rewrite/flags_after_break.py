def simulate(x, steps):
    for step in range(steps):
        y = x * x
        if y > 4:
            break
        x = y + 1
    else:
        return -1
    return step
