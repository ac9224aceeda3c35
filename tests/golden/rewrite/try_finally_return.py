def read(source):
    try:
        if source.ready:
            return source.read()
        source.wait()
    finally:
        source.close()
    return None
