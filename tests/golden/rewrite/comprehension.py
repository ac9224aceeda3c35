def select(rows, limit):
    return [row["x"] for row in rows if row["x"] > 0 and row["y"] < limit]
