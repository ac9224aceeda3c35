def numbers(items):
    total = 0
    stop = False
    def body(item):
        nonlocal total, stop
        if ag.is_(item, None):
            return
        if ag.call(isinstance, item, str):
            stop = True
            return
        total += item
    ag.for_(items, body, 'total, stop', until=lambda: stop)
    return total
