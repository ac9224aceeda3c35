def grade(points):
    if points > 90:
        return "A"
    if points > 75:
        return "B"
    if points > 60:
        return "C"
    return "F"
