def is_prime(n):
    stop = False
    prime: ...
    def body(d):
        def then():
            nonlocal prime, stop
            prime = False
            stop = True
        ag.if_(n % d == 0, then, None, 'prime, stop')
    ag.for_(ag.call(range, 2, n), body, 'prime, stop', until=lambda: stop)
    def then_2():
        nonlocal prime
        prime = True
    ag.if_(ag.not_(stop), then_2, None, 'prime')
    return prime
