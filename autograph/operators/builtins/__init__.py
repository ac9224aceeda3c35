"""Python's builtins, `math`, `heapq`, `bisect` and texts on staged values."""
