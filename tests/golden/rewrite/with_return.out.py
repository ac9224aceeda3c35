def load(lock, cache, key):
    returned = False
    result: ...
    def body():
        def then():
            nonlocal result, returned
            result = ag.get_item(cache, key)
            returned = True
        ag.if_(ag.in_(key, cache), then, None, 'result?, returned')
    ag.with_(lock, body, 'result?, returned')
    def else_2():
        value = ag.call(compute, key)
        cache[key] = value
        return value
    return ag.if_(returned, lambda: result, else_2)
