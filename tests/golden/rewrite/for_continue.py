def sum_of_even(xs):
    total = 0
    for x in xs:
        if x % 2:
            continue
        total += x
    return total
