def handlers(names):
    result = []
    for name in names:
        if name:
            result.append(lambda: name)
    return result
