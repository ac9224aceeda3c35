"""What the letters of einsum stand for."""

from __future__ import annotations

from runtime.errors import ShapeError


def read_subscripts(subscripts: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result of einsum, without an ellipsis.

    Axes that an ellipsis stands for get capital letters that are used for nothing else.
    """
    text = subscripts.replace(" ", "")
    given, arrow, out = text.partition("->")
    terms = given.split(",")
    if len(terms) != len(ranks):
        raise ShapeError("the number of einsum's subscripts and operands must be equal")
    free = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in text]
    widest = max(
        (
            rank - len(t.replace("...", ""))
            for t, rank in zip(terms, ranks, strict=True)
            if "..." in t
        ),
        default=0,
    )
    dots = "".join(free[: max(widest, 0)])
    full = [_spread(term, rank, dots) for term, rank in zip(terms, ranks, strict=True)]
    if not arrow:
        letters = sorted({c for c in given if c.isalpha() and given.count(c) == 1})
        out = ("..." if "..." in given else "") + "".join(letters)
    return full, out.replace("...", dots)


def _spread(term: str, rank: int, dots: str) -> str:
    own = len(term.replace("...", ""))
    if own > rank or ("..." not in term and own < rank):
        raise ShapeError(f"einsum's subscripts {term!r} do not fit an operand with {rank} axes")
    return term.replace("...", dots[len(dots) - (rank - own) :] if rank > own else "")
