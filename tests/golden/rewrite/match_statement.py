def area(shape):
    match shape:
        case ("circle", r):
            size = 3.14 * r * r
        case ("square", a) if a > 0:
            if a > 10:
                return None
            size = a * a
        case _:
            size = 0
    return size
