def stop(body, then):
    for result in body:
        if result:
            break
    return then
