def scan(xs, limit):
    for x in xs:
        if x < 0:
            return "negative"
        if x > limit:
            break
    return "done"
