def parse(texts):
    values = []
    stop = False
    value: ...
    def body(text):
        skip = False
        def body_2():
            nonlocal value
            value = ag.call(float, text)
        def handler(error):
            nonlocal skip
            skip = True
        ag.try_(body_2, [(lambda: ValueError, handler)], None, None, 'value, skip')
        def then():
            def then_2():
                nonlocal stop
                stop = True
            def else_2():
                ag.call(values.append, value)
            ag.if_(value > 100, then_2, else_2, 'stop')
        ag.if_(ag.not_(skip), then, None, 'stop')
    ag.for_(texts, body, 'value, stop', until=lambda: stop)
    return values
