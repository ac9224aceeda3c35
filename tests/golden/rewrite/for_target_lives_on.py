def last(pairs):
    key = None
    for key, (value, *rest) in pairs:
        print(value, rest)
    return key
