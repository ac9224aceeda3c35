def report(x, n, *names):
    ag.call(print, f'x = {x:.3f}, {n!r:>{len(names)}} of {x + 1}', f'n={n!r}', sep=f'{n}')
    label = f'{x}'
    ag.call(print, 'plain', label, f'{{}}', *names)
    return label
