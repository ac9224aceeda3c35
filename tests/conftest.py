"""Settings that hold for every test."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import settings

from autograph.staging import reachability
from runtime.backends import get_backend
from runtime.errors import BackendError
from tests.runtime.kernels.verified import verify_all

# The same examples on every run, and no test fails because a machine was slow.
settings.register_profile("everyday", derandomize=True, deadline=None)
settings.load_profile("everyday")

# What tests convert is not stored among the user's own, in the processes that they start either.
os.environ["AUTOGRAPH_CACHE_DIR"] = ""

SEARCHED = [0.0]
"""How much time the process had taken when garbage was searched for."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch of golden files."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=bool(os.environ.get("UPDATE_GOLDEN")),
        help="write what is printed now into the golden files, instead of comparing",
    )


def pytest_collection_finish() -> None:
    """Have no search for garbage, and for what holds a list, go through what stays in any case."""
    gc.collect()
    gc.freeze()
    SEARCHED[0] = time.process_time()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Nor through what tests left, once in a second of work."""
    if time.process_time() - SEARCHED[0] > 1:
        pytest_collection_finish()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that need a GPU where there is none."""
    if item.get_closest_marker("gpu"):
        try:
            get_backend("cupy")
        except BackendError as error:
            pytest.skip(str(error))


@pytest.fixture
def thawed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is frozen, as in a program: traces freeze themselves what they need not search."""
    gc.unfreeze()
    monkeypatch.setattr(reachability, "_freezer", reachability._Freezer())


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session", autouse=True)
def verified_kernels() -> Iterator[None]:
    """Kernels are verified after each step that makes or changes them."""
    with pytest.MonkeyPatch.context() as patch:
        verify_all(patch)
        yield
