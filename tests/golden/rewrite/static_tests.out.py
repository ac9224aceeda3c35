def scale(x, factor=None, out=None):
    if factor is None:
        return x
    if ag.call(isinstance, x, list):
        x = ag.call(sum, x)
    def then():
        ag.call(out.append, x)
    ag.if_(ag.and_(out is not None, lambda: factor > 1), then, None)
    return x * factor
