def numbers(items):
    total = 0
    for item in items:
        if item is None:
            continue
        if isinstance(item, str):
            break
        total += item
    return total
