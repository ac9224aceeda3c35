def load(lock, cache, key):
    with lock:
        if key in cache:
            return cache[key]
    value = compute(key)
    cache[key] = value
    return value
