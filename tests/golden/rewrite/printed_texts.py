def report(x, n, *names):
    print(f"x = {x:.3f}, {n!r:>{len(names)}} of {x + 1}", f"{n=}", sep=f"{n}")
    label = f"{x}"
    print("plain", label, f"{{}}", *names)
    return label
