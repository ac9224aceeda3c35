def checked(x, limit):
    assert x < limit, f"{x} is too large"
    assert isinstance(x, int)
    return limit - x
