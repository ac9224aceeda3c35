def select(rows, limit):
    return [row['x'] for row in rows if ag.keep(ag.and_(row['x'] > 0, lambda: row['y'] < limit))]
