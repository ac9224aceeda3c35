def settle(x, xs):
    while ag.hint(x > 1, max_iterations=10, label="outer"):
        for y in ag.hint(xs, unroll=True):
            if not ag.hint(y > 0, mode="staged"):
                x = x - y
        if ag.hint(x > 5, label="large"):
            continue
        x = x / 2 if ag.hint(x > 3, label="half") else x / 3
    return x
