"""Random numbers of a key, computed where they are needed, as a routine.

Comes in: a block of the space. Goes out: a function

    draw(target, key, first, count)

that puts floats in [0, 1) there: so many from number `first` on, and up to seven more. They are
those of `numpy.random.Philox(key=key)`: Philox4x64-10 (J. Salmon et al., "Parallel random numbers:
as easy as 1, 2, 3", 2011), a function of key and counter, which gives four words of 64 bits for
each counter from 1 on. The upper 53 bits of a word make a float. Two counters are worked on at a
time, since the rounds of one wait for each other.
"""

from __future__ import annotations

from runtime.kernels.llvm import Writer
from runtime.kernels.routines import routines

WORDS = 4
"""How many numbers a counter gives."""
_MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
_ROUNDS, _MASK = 10, 2**64 - 1

_DRAW = """
def draw(target: ptr, key: ptr, first: i64, count: i64):
    words, products, key0, key1 = space(i64, 8), space(i128, 4), key.i64[0], key.i64[1]
    for done in range(0, count, 8):
        counter = (first + done >> 2) + 1
        for c in (0, 4):
            words.i64[c] = counter + c // 4
            for k in (1, 2, 3):
                words.i64[c + k] = 0
        for step in steps:
            for k in (0, 1, 2, 3):
                products.i128[k] = i128(words.i64[2 * k]) * multipliers[k % 2]
            for c in (0, 4):
                x, y = products.i128[c // 2], products.i128[c // 2 + 1]
                words.i64[c] = i64(y >> 64) ^ words.i64[c + 1] ^ key0 + step[0]
                words.i64[c + 2] = i64(x >> 64) ^ words.i64[c + 3] ^ key1 + step[1]
                words.i64[c + 1] = i64(y)
                words.i64[c + 3] = i64(x)
        for k in eight:
            target.double[done + k] = double(words.i64[k] >> 11) * unit
"""


def write_draw(w: Writer) -> None:
    """Write `draw`; `first` is a multiple of four."""
    steps = [tuple(k * step & _MASK for step in _STEPS) for k in range(_ROUNDS)]
    routines(
        w, _DRAW, "define", multipliers=_MULTIPLIERS, steps=steps, unit=2.0**-53, eight=range(8)
    )
