def check(a, b, names):
    inside = ag.compare(0, '<', lambda: a, '<=', lambda: b, '<', lambda: 10)
    ok = ag.and_(inside, lambda: ag.not_(ag.or_(ag.in_(a, names), lambda: b > 5)))
    return ag.if_exp(a != b, lambda: ok, lambda: None)
