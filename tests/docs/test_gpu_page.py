"""The page on GPUs is what the tables of the backend say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runtime.backends.backend import DIFFERENCES, ON_HOST

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gpu.md"
HEAD = """\
# CuPy's arrays

Made from the tables in `runtime/backends/backend.py` (`pytest tests/docs --update-golden`
writes it anew). Staged functions that are given CuPy's arrays call CuPy, and return CuPy's
arrays.

## Install

    pip install '.[gpu]'      # CUDA 13: a driver from 580 on, cards from sm_75 on
    pip install '.[gpu12]'    # CUDA 12: older drivers and cards

Never both: they are two builds of one package. `python3 tools/gpu.py` checks a machine with a GPU
in one command.

## What runs

* The graph that NumPy's arrays have, by the same driver: Python that calls CuPy, operation by
  operation. Kernels of our own (fused chains, loops as machine code) are the CPU's only; so each
  round of a staged loop is driven by Python, and its test waits for the GPU.
* Arguments are all of one library: NumPy's and CuPy's arrays in one call are an error that names
  both. Python's and NumPy's numbers go with either.
* A NumPy array that the function reads from outside is copied to the GPU once, and again when it
  has changed. A CuPy array from outside is a parameter of the graph, and may be written
  meanwhile.
* A variable lives where its first value is: `ag.Variable(cupy.zeros(3))`. What is assigned to it
  is copied there.
* Indices out of range, integers raised to negative ones, singular matrices and rows of NaN raise
  what NumPy raises; of several values for one place the last one stays; `//`, `%` and shifts give
  NumPy's bits. What is raised is asked of the GPU, and that waits for it.
* CuPy's functions in a staged function, such as `cupy.tanh(x)`, are the operations of NumPy's
  names; the graph runs on CuPy's arrays, though none is given.
* A call of NumPy in the graph ([decision 36](decisions/0036-calls-of-numpy.md)) is CuPy's
  function of that name; if there is none, an error that names it. `ag.numpy_function` calls any
  function, on copies that the CPU has.
* Not on a GPU: arrays of texts and objects of NumPy's (masked arrays, dates, records), `where=`
  and `out=` of ufuncs that only NumPy has. `np.errstate` and warnings of floating point errors
  are silent.

An operation that is in no row below is meant to give NumPy's bits. That was
read in CuPy's sources and tested on a stand-in that is as loose as CuPy; no GPU has run it yet,
and `tools/gpu.py` compares all of them on one.

## What differs

"""
TAIL = """

## What the CPU computes

Of copies; what they give goes to the GPU. Random numbers are those of NumPy's generators, for the
same numbers on every machine. `f.kernels(...)` says where a function does so.

{host}

## Speed

Not measured. `tools/gpu.py` measures it beside CuPy alone, and JAX and PyTorch where they are
there.
"""


def rows() -> Iterator[str]:
    yield "| what | operations |\n|---|---|\n"
    for what, names in DIFFERENCES.items():
        yield f"| {what} | {listed(names)} |\n"


def listed(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split())


def page() -> str:
    return HEAD + "".join(rows()) + TAIL.format(host=listed(ON_HOST))


def test_the_page_is_made_of_the_tables(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_extras_are_two_builds_of_one_cupy() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'gpu = ["cupy-cuda13x[ctk]>=14,<15"]' in text
    assert 'gpu12 = ["cupy-cuda12x[ctk]>=14,<15"]' in text
