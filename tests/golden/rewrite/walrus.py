def drain(queue, limit):
    out = []
    while (item := queue.get()) > 0:
        if (size := len(item)) > limit:
            out.append(size)
    return out, item
