def parse(texts):
    values = []
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            continue
        if value > 100:
            break
        values.append(value)
    return values
