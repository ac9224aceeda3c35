"""Calls of products of matrices, until it is known whether there is machine code for them.

Comes in: a kernel of any kind. Goes out: its text, and its function.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np

from runtime.kernels import background, load, threads
from runtime.kernels.allocation import keep_memory
from runtime.kernels.entry import Text
from runtime.kernels.products.product_layout import RATE, Layout, layout_of
from runtime.kernels.products.products import (
    AnyKernel,
    ProductKernel,
    Products,
    is_made,
    module_of,
    products,
)

ALONE = 30
"""How many times as long as others a product waits where no other thread compiles it."""
MOST_LAYOUTS = 16
"""How many layouts of its operands one product tries."""


def text_of(kernel: AnyKernel) -> Text:
    """Return the module of a kernel."""
    if isinstance(kernel, ProductKernel):
        return module_of(kernel.dtype, kernel.target)
    return load.text_of(kernel)


def load_kernel(kernel: AnyKernel) -> Callable[..., Any]:
    """Return the function of a kernel."""
    if isinstance(kernel, ProductKernel):
        return WaitingProduct(kernel)
    return load.load_kernel(kernel)


class WaitingProduct:
    """A product of matrices, until it is known whether machine code has the bits of NumPy's.

    Each layout of the operands is tried when it is met. `settle` is given the first function that
    is found, where all calls have the same sizes; it returns None for other layouts.
    """

    def __init__(self, kernel: ProductKernel) -> None:
        self.kernel = kernel
        self.spent = 0.0
        self.maker: Thread | None = None
        self.known: dict[Layout, Callable[..., Any] | None] = {}
        self.settle: Callable[[Callable[..., Any]], None] = lambda function: None

    def __call__(self, x: Any, y: Any) -> Any:
        """Return None for some time, and where there is no such function; else the product."""
        if type(x) is not np.ndarray or type(y) is not np.ndarray or self.waits(x, y):
            return None
        layout = layout_of(x, y)
        if layout not in self.known and len(self.known) < MOST_LAYOUTS:
            own = self.products()
            find = own.in_any_order if self.kernel.fast else own.found
            self.known[layout] = found = find(layout)
            if self.kernel.is_known:
                self.settle(found or _nothing)
        function = self.known.get(layout)
        return None if function is None else function(x, y)

    def waits(self, x: Any, y: Any) -> bool:
        """Tell whether it does not pay yet to have machine code, or another thread makes it."""
        if is_made(self.kernel.dtype, self.kernel.target) and self.spent > load.PATIENCE:
            return False
        self.spent += load.CALL + 2 * x.size * y.shape[-1] / RATE
        is_alone = threads.get_threads() == 1
        if self.spent < load.PATIENCE * (ALONE if is_alone else 1):
            return True
        if self.maker is None and not is_alone:
            self.maker = background.begin(self.load)
        return self.maker is not None and background.is_running(self.maker)

    def products(self) -> Products:
        """Return the products of its dtype, whose machine code is made now if there is none."""
        return products(self.kernel.dtype, self.kernel.target)

    def load(self) -> None:
        """Make the machine code now, and let the next call try it."""
        keep_memory()
        self.products()
        self.spent = max(self.spent, ALONE * load.PATIENCE + 1)


def _nothing(x: Any, y: Any) -> None:
    """Return None: NumPy does it."""
