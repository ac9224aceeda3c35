def scale(x, factor=None, out=None):
    if factor is None:
        return x
    if isinstance(x, list):
        x = sum(x)
    if out is not None and factor > 1:
        out.append(x)
    return x * factor
