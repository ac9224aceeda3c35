"""Programs that make texts in staged branches and loops, with arguments; run plain and staged."""
# mypy: ignore-errors

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass

import numpy as np

XS = np.array([3, 1, 2])


def joined_in_a_loop(xs):
    s = "start"
    for x in xs:
        if x == 1:
            s = f"<{x}>"
        s = s + "," + str(x * 2)
    return s, len(s), s.upper(), s == "start", s[0], s[-1], s[1:3], s[::-1]


def returned_from_a_loop(xs):
    for x in xs:
        if x == 1:
            return "two"
    return "one"


def one_of_two_returned_from_a_loop(xs):
    for x in xs:
        if x == 1:
            return "two"
        if x > 2:
            return "three"
    return None


def of_known_parts(xs):
    s = ""
    for x in xs:
        s += "+" if x > 1 else "-"
    return s


def without_a_loop(xs):
    s = ""
    for i in range(6):
        s += "+" if xs[i % 3] > 1 else "-"
    return s


def methods(xs):
    s = ""
    for x in xs:
        s += str(x)
    compared = (s == "312", s != "312", s < "4", s >= "4", "1" in s, "9" in s, "12" not in s)
    asked = (s.startswith("3"), s.endswith(("1", "2")), s.find("2"), s.count("3"), s.isdigit())
    made = (s * 2, xs[0] * s, s.replace("1", "one"), s.zfill(6), s.rjust(5, "*"), s.center(7, "-"))
    numbers = (int(s), float(s), int(s, 16), bool(s), s.partition("1"), "a3124".find(s))
    others = (repr(s), f"{s:>8}|{s!r}|{s!r:>9}", ",".join([s, "k"]), "-" * xs[0], s.strip("3"))
    return compared, asked, made, numbers, others, isinstance(s, str), type(s) is str, s in ("312",)


def gone_over(xs):
    s = ""
    for x in xs:
        s += "ab" if x > 1 else "-"
    n, d = 0, ""
    for c in s:
        if c == "a":
            n += 1
        elif c in "-+":
            d = c + d
        else:
            d += c.upper()
    while d and d[0] == "B":
        d = d[1:]
    for i, c in enumerate(s):
        n += i if c == "b" else 0
    return n, d, "none" if not s else s, s or "empty", s and "full"


def binary(n):
    s = ""
    while n > 0:
        s = str(n % 2) + s
        n //= 2
    return s or "0"


def none_at_first(xs):
    s = t = None
    for x in xs:
        s = str(x) if s is None else s + "," + str(x)
        if t is None:
            t = "+"
        elif x > 1:
            t += "-"
    return s, t, t is None


def of_other_kinds(n, x, c):
    s = str(n) if c else str(x)
    t = f"{int(n)}" if c else f"{float(x)}"
    u = "no"
    if c:
        u = f"{n:>4}"
    print(s, t, u, [s, t], {"k": s}, (s,))
    return s, t, u, f"{int(n)!r}" if c else f"{n!r}"


def one_of_few(xs):
    state = "start"
    for x in xs:
        if state == "start" and x > 2:
            state = "mid"
        elif state == "mid":
            state = "end"
    return {"start": 1, "mid": 2, "end": 3}[state], state


@dataclass
class Log:
    text: str = ""
    count: int = 0

    def add(self, text):
        self.text += text
        self.count += 1


def attributes(xs):
    log = Log()
    for x in xs:
        log.add("a" if x > 1 else "b")
        log.add(str(x))
    return log.text, log.count


def left_early(xs):
    s = ""
    for x in xs:
        s += str(x)
        if len(s) == 2:
            return s
    return "none"


def with_codes(k):
    out = ""
    for c in "Hi, You":
        if c.isalpha():
            base = ord("A") if c.isupper() else ord("a")
            out += chr((ord(c) - base + k) % 26 + base)
        else:
            out += c
    total = 0
    for c in out:
        total = total * 31 + ord(c)
    return out, total


def matched(xs):
    s = ""
    for x in xs:
        s += str(x)
    match s:
        case "312":
            return 1
        case "x" | "y":
            return 2
    return 3


def tried(xs):
    s = "x"
    for x in xs:
        s += str(x)
    try:
        n = int(s)
    except ValueError:
        n = -1
    try:
        s = s[int(xs[0]) + 4]
    except IndexError:
        n -= 1
    return n, s


def at_staged_places(i):
    s = "abcdef"
    return s[i], s[i:], s[:i], s[1:i], s.ljust(i + 5, ".")


def of_an_array_of_texts(names):
    s = ""
    for name in names:
        if name and name != "b" and "z" not in name:
            s += name + ";" * len(name)
    return s


def as_it_was(x):
    s = str(x)
    x[0] = 5
    return s, x


def of_lists(xs):
    out, ints, pairs, rows = [], [], [], []
    for x in xs:
        if x > 1:
            out.append(x / 2)
            ints.append(int(x))
            pairs.append((x, float(x)))
            rows.append(xs[:2] * x)
        print(x, ints)
    print(out, ints, pairs, rows, [ints, 1], {"k": ints}, (out,), sep="|")
    assert len(out) < 9, f"{out}"
    found = f"{ints} of {len(xs)}{ints!r:>20}", "%s" % (ints,), f"{out!s}", format(out)  # noqa: UP031
    return found, str(out) + repr(ints), "{} {!r}".format(ints, out)


def of_keyed_containers(xs):
    d, c, dd = {}, Counter(), defaultdict(int)
    s, q, last = set(), deque(), deque(maxlen=2)
    for x in xs:
        k = int(x)
        d[k] = d.get(k, 0) + 1
        c[k] += 1
        dd[k] += 1
        s.add((k, k))
        q.append(k)
        last.append(k)
    print(d, c, dd, s, q, last)
    return f"{d.keys()} {d.values()} {d.items()}"


def as_items(xs):
    out, pairs = ["a"], []
    for x in xs:
        if x > 1:
            out.append("big")
            pairs.append((x, "two" if x == 2 else f"<{x}>"))
        if x == 2:
            out[-1] += str(x)
    t = ""
    for n, word in pairs:
        t += word[0] + str(n)
    asked = out[0], "big" in out, out.count("big"), out.index("big2"), out[-1]
    return out, f"{out}", ",".join(out), asked, pairs, t


def as_keys(xs):
    d, c, words, seen = {}, Counter(), defaultdict(int), set()
    for x in xs:
        k = "even" if x % 2 == 0 else "odd"
        d[k] = d.get(k, 0) + 1
        c[str(x)] += 1
        words[f"n{x}"] += int(x)
        seen.add(k)
    t = ""
    for k, v in words.items():
        t += k + "=" + str(v) + ";"
    return d, d["odd"], "even" in d, sorted(d), c.most_common(1), t, sorted(seen), f"{d}"


def of_known_keys(xs):
    names = {"1": "one", "2": "two", "3": "three"}
    s = ""
    for x in xs:
        s += names[str(x)] + " "
    found = names.get(str(xs[0]), "none"), names.get(str(xs[0] + 7), "none")
    return s.strip(), found, str(xs[0]) in names


def joined_and_split(xs):
    s = ",".join(str(x) for x in xs if x > 1)
    t = "".join([f"{x}" for x in xs if x > 0]) + " " + " ".join(map(str, range(xs[0])))
    letters = "".join(reversed(s)), list(s), "".join(c for c in s if c != ",")
    return s, t, letters, s.split(","), t.split(), max(s, t), min([s, "1"])


def a_dict_of_other_keys(x):
    found = {"a": 1.0}
    if x > 0:
        found = {"b": 2.0, "c": 3.0}
    found.update(z=x)
    return found["z"], len(found), "c" in found


def beside_other_things(x):
    s = str(x) + repr(x) + f"{x}"
    print(x, s)
    return s, "%s" % x, s == 3, s != 3, s in [3, "no"], s is None, not s  # noqa: UP031


CASES = [
    (beside_other_things, [(np.float32(0.1),)]),
    (a_dict_of_other_keys, [(np.float64(1),), (np.float64(-1),)]),
    (as_items, [(XS,)]),
    (as_keys, [(XS,)]),
    (of_known_keys, [(XS,)]),
    (joined_and_split, [(XS,)]),
    (of_lists, [(XS,), (XS[:0],)]),
    (of_keyed_containers, [(np.array([3, 1, 2, 3, 1, 1]),), (XS[:0],)]),
    (joined_in_a_loop, [(XS,)]),
    (of_known_parts, [(XS,), (XS[:0],)]),
    (returned_from_a_loop, [(XS,), (XS[:0],), (XS[:1],)]),
    (one_of_two_returned_from_a_loop, [(XS,), (XS[:0],), (XS[1:],)]),
    (without_a_loop, [(XS,)]),
    (methods, [(XS,)]),
    (gone_over, [(XS,)]),
    (binary, [(np.int64(13),), (np.int64(0),)]),
    (none_at_first, [(XS,)]),
    (of_other_kinds, [(np.int64(3), np.float64(2), np.bool_(c)) for c in (True, False)]),
    (one_of_few, [(XS,), (XS[1:],)]),
    (attributes, [(XS,)]),
    (left_early, [(XS,), (XS[:1],)]),
    (with_codes, [(np.int64(27),)]),
    (matched, [(XS,), (XS[1:],)]),
    (tried, [(XS,), (XS[1:],)]),
    (at_staged_places, [(np.int64(4),), (np.int64(-1),)]),
    (of_an_array_of_texts, [(np.array(["ab", "b", "", "az", "c"], np.dtypes.StringDType()),)]),
    (as_it_was, [(XS,)]),
]
