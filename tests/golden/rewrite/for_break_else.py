def is_prime(n):
    for d in range(2, n):
        if n % d == 0:
            prime = False
            break
    else:
        prime = True
    return prime
