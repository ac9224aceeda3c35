def report(x, n, *names):
    ag.call(print, ag.text('x = ', ag.field(x, '.3f'), ', ', ag.field(n, ag.text('>', ag.field(
        ag.call(len, names))), 'r'), ' of ', ag.field(x + 1)), ag.text('n=', ag.field(n, '', 'r'
        )), sep=ag.text(ag.field(n)))
    label = ag.text(ag.field(x))
    ag.call(print, 'plain', label, f'{{}}', *names)
    return label
