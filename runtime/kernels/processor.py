"""What the processor can do.

Comes in: LLVM's names of what processors have. Goes out: whether this one does.
"""

from __future__ import annotations

from functools import cache


@cache
def has(*features: str) -> bool:
    """Tell whether the processor has all of these; not without llvmlite, which knows."""
    try:
        from llvmlite import binding
    except ImportError:
        return False
    found = binding.get_host_cpu_features()
    return all(found.get(name) for name in features)


def has_scale() -> bool:
    """Tell whether there is an instruction for products with powers of two."""
    return has("avx512f", "avx512vl")
