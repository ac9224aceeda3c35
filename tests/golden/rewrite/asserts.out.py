def checked(x, limit):
    ag.assert_(x < limit, lambda: ag.text(ag.field(x), ' is too large'))
    assert ag.call(isinstance, x, int)
    return limit - x
