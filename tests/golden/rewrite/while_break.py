def collatz(n, limit):
    steps = 0
    while n != 1:
        if steps >= limit:
            break
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps
