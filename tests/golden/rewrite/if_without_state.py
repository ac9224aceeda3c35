def report(x, log):
    if x > 3:
        log.append(x)
