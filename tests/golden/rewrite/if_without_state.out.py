def report(x, log):
    def then():
        ag.call(log.append, x)
    ag.if_(x > 3, then, None)
