class Counter:

    def count(self, xs):
        def body(x):
            def then():
                self.seen += 1
                self.__last = x
            ag.if_(x > 0, then, None, 'self.seen, self._Counter__last')
        ag.for_(xs, body, 'self.seen, self._Counter__last')
        return self.seen
