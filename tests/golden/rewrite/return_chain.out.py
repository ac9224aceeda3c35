def grade(points):
    def else_():
        def else_2():
            return ag.if_(points > 60, lambda: 'C', lambda: 'F')
        return ag.if_(points > 75, lambda: 'B', else_2)
    return ag.if_(points > 90, lambda: 'A', else_)
