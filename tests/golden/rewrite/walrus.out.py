def drain(queue, limit):
    out = []
    item: ...
    def test():
        nonlocal item
        return (item := ag.call(queue.get)) > 0
    def body():
        def then():
            ag.call(out.append, size)
        ag.if_((size := ag.call(len, item)) > limit, then, None)
    ag.while_(test, body, 'item')
    return out, item
