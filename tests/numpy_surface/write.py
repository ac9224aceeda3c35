"""Write `calls.txt` for the NumPy that is installed: python -m tests.numpy_surface.write."""

from __future__ import annotations

import warnings
from pathlib import Path

from tests.numpy_surface.surface import calls, names

MOST = 4
"""How many calls of each name are written."""


def main() -> None:
    """Write the calls of each name, or the name where there are none."""
    warnings.simplefilter("ignore")
    lines = [line for name in names() for line in calls(name, MOST) or [f"# {name}"]]
    Path(__file__).with_name("calls.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
