def parse(texts):
    values = []
    stop = False
    def body(text):
        try:
            value = ag.call(float, text)
        except ValueError:
            return
        def then():
            nonlocal stop
            stop = True
        def else_():
            ag.call(values.append, value)
        ag.if_(value > 100, then, else_, 'stop')
    ag.for_(texts, body, 'stop', until=lambda: stop)
    return values
