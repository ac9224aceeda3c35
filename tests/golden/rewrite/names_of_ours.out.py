def stop(body, then):
    stop_2 = False
    def body_2(result):
        def then_2():
            nonlocal stop_2
            stop_2 = True
        ag.if_(result, then_2, None, 'stop_2')
    ag.for_(body, body_2, 'stop_2', until=lambda: stop_2)
    return then
