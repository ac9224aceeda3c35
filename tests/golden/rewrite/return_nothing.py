def show(xs, verbose):
    if not xs:
        return
    print(len(xs))
    if verbose:
        print(xs)
