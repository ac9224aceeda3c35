def last(pairs):
    key = None
    def body(item):
        nonlocal key
        key, (value, *rest) = item
        ag.call(print, value, rest)
    ag.for_(pairs, body, 'key')
    return key
