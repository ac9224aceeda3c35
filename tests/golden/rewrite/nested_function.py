def counter(n):
    total = 0

    def add(x):
        nonlocal total
        if x > 0:
            total += x

    for i in range(n):
        add(i)
    return total
