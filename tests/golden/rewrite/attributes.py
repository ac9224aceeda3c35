class Counter:
    def count(self, xs):
        for x in xs:
            if x > 0:
                self.seen += 1
                self.__last = x
        return self.seen
