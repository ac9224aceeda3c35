def newton(a, tolerance):
    x = a
    while True:
        error = x * x - a
        if abs(error) < tolerance:
            return x
        x = x - error / (2 * x)
