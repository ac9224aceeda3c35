def first_negative(rows):
    for row in rows:
        for x in row:
            if x < 0:
                return x
    return 0
