"""Making a module of an example, whose function `f` is staged."""

from __future__ import annotations

HEAD = "import numpy as np\nimport autograph as ag\n\n"


def as_module(text: str, name: str = "f") -> str:
    """Return the example with its imports and, where it has none, its decorator."""
    if "@ag.function" not in text and "@tf.function" not in text:
        for start in ("async def ", "def "):
            if f"{start}{name}(" in text:
                text = text.replace(f"{start}{name}(", f"@ag.function\n{start}{name}(", 1)
                break
    return f"{HEAD}{text}\n"
