def check(a, b, names):
    inside = 0 < a <= b < 10
    ok = inside and not (a in names or b > 5)
    return ok if a != b else None
