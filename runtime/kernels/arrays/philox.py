"""Random numbers of a key, computed where they are needed, as LLVM text.

Comes in: a block of the space. Goes out: a function

    draw(target, key, first, count)

that puts floats in [0, 1) there: so many from number `first` on, and up to seven more. They are
those of `numpy.random.Philox(key=key)`: Philox4x64-10 (J. Salmon et al., "Parallel random numbers:
as easy as 1, 2, 3", 2011), a function of key and counter, which gives four words of 64 bits for
each counter from 1 on. The upper 53 bits of a word make a float. Two counters are worked on at a
time, since the rounds of one wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

WORDS = 4
"""How many numbers a counter gives."""
_MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_STEPS = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
_ROUNDS, _MASK = 10, 2**64 - 1

_DRAW = """
define internal void @draw(ptr %target, ptr %key, i64 %first, i64 %count) {{
start:
  %key_at = getelementptr i64, ptr %key, i64 1
  %key0 = load i64, ptr %key
  %key1 = load i64, ptr %key_at
  br label %next
next:
  %done = phi i64 [ 0, %start ], [ %done1, %next ]
  %number = add i64 %first, %done
  %quarter = lshr i64 %number, 2
  %counter0 = add i64 %quarter, 1
  %counter1 = add i64 %quarter, 2
{rounds}
  %done1 = add i64 %done, 8
  %more = icmp ult i64 %done1, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""


def draw() -> str:
    """Return the text of `draw`; `first` is a multiple of four."""
    return _DRAW.format(rounds="\n".join(_rounds()))


def _rounds() -> Iterator[str]:
    """Yield the lines that make four words each of two counters, and store the floats."""
    words = [[f"%counter{c}", "0", "0", "0"] for c in (0, 1)]
    for k in range(_ROUNDS):
        for half, step in enumerate(_STEPS):
            yield f"  %k{half}_{k} = add i64 %key{half}, {k * step & _MASK}"
        for c in (0, 1):
            yield from _products(words[c], f"{c}_{k}")
        for c in (0, 1):
            yield from _mixed(words[c], f"{c}_{k}", k)
            end = f"{c}_{k}"
            words[c] = [f"%y0{end}", f"%low1{end}", f"%y1{end}", f"%low0{end}"]
    for k, word in enumerate(words[0] + words[1]):
        yield f"  %upper{k} = lshr i64 {word}, 11"
        yield f"  %float{k} = uitofp i64 %upper{k} to double"
        yield f"  %found{k} = fmul double %float{k}, {2.0**-53!r}"
        yield f"  %place{k} = add i64 %done, {k}"
        yield f"  %at{k} = getelementptr double, ptr %target, i64 %place{k}"
        yield f"  store double %found{k}, ptr %at{k}"


def _products(words: Sequence[str], end: str) -> Iterator[str]:
    """Yield the lines of the two products of a round, of 128 bits each."""
    for half, multiplier in enumerate(_MULTIPLIERS):
        yield f"  %x{half}{end} = zext i64 {words[2 * half]} to i128"
        yield f"  %whole{half}{end} = mul i128 %x{half}{end}, {multiplier}"
        yield f"  %low{half}{end} = trunc i128 %whole{half}{end} to i64"
        yield f"  %up{half}{end} = lshr i128 %whole{half}{end}, 64"
        yield f"  %high{half}{end} = trunc i128 %up{half}{end} to i64"


def _mixed(words: Sequence[str], end: str, k: int) -> Iterator[str]:
    """Yield the lines that mix what a round has with the upper halves and the key."""
    for half in (0, 1):
        yield f"  %m{half}{end} = xor i64 %high{1 - half}{end}, {words[2 * half + 1]}"
        yield f"  %y{half}{end} = xor i64 %m{half}{end}, %k{half}_{k}"
