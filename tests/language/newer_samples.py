"""What newer versions of Python brought."""

from __future__ import annotations

import autograph as ag
from tests.language.rows import newer

NEWER = "Newer syntax"

newer(
    (3, 11),
    NEWER,
    "`except*`",
    """
    def sample(x):
        log = []
        try:
            raise ExceptionGroup("g", [KeyError("a"), ValueError("b")])
        except* KeyError as group:
            if x > 0:
                x = x + 1
            log.append(len(group.exceptions))
        except* ValueError:
            log.append("value")
        return x, log
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="not documented",
)
newer(
    (3, 11),
    NEWER,
    "`except*` of what staged code raises, by itself and in groups",
    """
    def sample(x):
        seen = 0
        try:
            if x > 5:
                raise ValueError(x)
            if x > 0:
                raise ExceptionGroup("g", [KeyError(x), ExceptionGroup("h", [ValueError(x + 1)])])
        except* ValueError as group:
            seen = seen + len(group.exceptions)
        except* LookupError as group:
            seen = seen + group.exceptions[0].args[0] * 10
        else:
            seen = seen - 1
        return seen, x
    """,
    (2.0,),
    (7.0,),
    (-1.0,),
    staged="`try_`",
    reference="not caught",
)
newer(
    (3, 11),
    NEWER,
    "an `except*` of a group that may raise when the graph runs",
    """
    def sample(x):
        try:
            if x > 0:
                raise ExceptionGroup("g", [KeyError(x), ValueError(x)])
        except* KeyError:
            if x > 5:
                raise RuntimeError
        return x
    """,
    (2.0,),
    refused=(ag.StagedValueError, "does what may raise when the graph runs"),
    reference="not caught",
)
newer(
    (3, 11),
    NEWER,
    "stars in an index and in annotations of `*args`",
    """
    def sample(x):
        import numpy as np

        def inner(*args: *tuple[int, ...]):
            return args[0]

        index = (0, 1)
        return np.zeros((2, 2))[*index] + x if x > 0 else inner(x)
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="not documented",
)
newer(
    (3, 12),
    NEWER,
    "type parameters, `type` statements",
    """
    def sample(x):
        type Number[T] = T | int

        def inner[T: int](y: T) -> T:
            return y if y > 0 else -y

        class Box[T]:
            def get(self, y: T) -> T:
                if y > 0:
                    return y
                return y - 1

        return inner(x) + Box[int]().get(x)
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="not documented",
)
newer(
    (3, 12),
    NEWER,
    "quotes and lines inside of f-strings",
    """
    def sample(x):
        names = {"a": 1}
        text = f"{names["a"]} {
            ", ".join(["b", "c"])
        }"
        return x if x > 0 else -x, text
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`; the text is made while tracing",
    reference="not documented",
)
newer(
    (3, 13),
    NEWER,
    "defaults of type parameters",
    """
    def sample(x):
        def inner[T = int](y: T) -> T:
            return y if y > 0 else -y

        return inner(x)
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="not documented",
)
newer(
    (3, 14),
    NEWER,
    "`except A, B` without parentheses",
    """
    def sample(x):
        try:
            {}["a"]
        except KeyError, ValueError:
            if x > 0:
                return x
        return -x
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`",
    reference="not documented",
)
newer(
    (3, 14),
    NEWER,
    "template strings",
    """
    def sample(x):
        template = t"{x}"
        return x if x > 0 else -x, len(template.interpolations)
    """,
    (2.0,),
    (-1.0,),
    staged="`cond`; the template is made while tracing",
    reference="not documented",
)
