def walk(xs, log):
    for x in xs:
        if x > 0:
            if x == 2:
                continue
            log.append("positive")
        log.append(x)
