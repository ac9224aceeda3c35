"""The examples in docstrings run and give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import autograph
import runtime

MODULES = [
    module.name
    for package in (autograph, runtime)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"np": importlib.import_module("numpy")})
    assert failed == 0
