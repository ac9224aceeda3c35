def handlers(names):
    result = []
    name: ...
    def body(item):
        nonlocal name
        name = item
        def then():
            ag.call(result.append, lambda: name)
        ag.if_(name, then, None)
    ag.for_(names, body, 'name')
    return result
