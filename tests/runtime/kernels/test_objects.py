"""Machine code is kept on disk for the next process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.kernels import jit
from runtime.kernels.jit import is_available
from runtime.kernels.target import host_target

pytestmark = pytest.mark.skipif(not is_available(), reason="there is no llvmlite here")

PROGRAM = """
import sys
import numpy as np
import autograph as ag
from runtime.kernels import jit, load

load.PATIENCE = 0.0
compiled = []
optimise = jit._optimise
jit._optimise = lambda text, target: (compiled.append(text), optimise(text, target))[1]


@ag.function
def chain(x):
    return np.tanh(x * {factor} + 1) - x


assert np.array_equal(chain(np.arange(100.0)), chain.python_function(np.arange(100.0)))
print(len(compiled))
"""


ALL = 3
"""The kernel, what all kernels have in common, and what copies elements of a size and rank."""


def compiled(folder: str, tmp_path: Path, factor: int = 2) -> int:
    """Return how many modules a new process compiles."""
    file = tmp_path / f"program_{factor}.py"
    file.write_text(PROGRAM.format(factor=factor))
    environment = {**os.environ, "AUTOGRAPH_CACHE_DIR": folder}
    done = subprocess.run(
        [sys.executable, str(file)], env=environment, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_second_process_compiles_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    assert compiled(folder, tmp_path) == ALL
    assert compiled(folder, tmp_path) == 0
    assert compiled(folder, tmp_path, 3) == 1
    assert compiled("", tmp_path) == ALL


def test_spoilt_files_are_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert compiled(str(folder), tmp_path) == ALL
    for file in (folder / "code").iterdir():
        content = file.read_bytes()
        file.write_bytes(content[:-8] + bytes(8))
    assert compiled(str(folder), tmp_path) == ALL
    assert compiled(str(folder), tmp_path) == 0


class Kept(dict[bytes, bytes]):
    """A store of objects in memory."""

    def read_bytes(self, key: bytes) -> bytes | None:
        return self.get(key)

    def write_bytes(self, key: bytes, payload: bytes) -> None:
        self[key] = payload


def test_what_is_no_machine_code_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    monkeypatch.setattr(jit, "STORES", [kept])
    text = "define i32 @kept_badly() { ret i32 3 }"
    jit.link(text, ["kept_badly"], host_target())
    ((key, good),) = kept.items()
    for bad in (b"", b"junk", good[: len(good) // 2]):
        kept[key] = bad
        jit.link(text, ["kept_badly"], host_target())
        assert kept[key] == good


FAR_APART = """
import ctypes, mmap
from runtime.kernels import jit
from runtime.kernels.target import host_target

numbers = ", ".join(f"double {k}.5" for k in range(2000))
text = f'''@numbers = private constant [2000 x double] [{numbers}]
define double @entry(i64 %i) {{
  %place = getelementptr [2000 x double], ptr @numbers, i64 0, i64 %i
  %found = load double, ptr %place
  ret double %found
}}
'''

def linked(more):
    held, (address,) = jit.link(text + more, ["entry"], host_target(), True)
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(address)(7)

assert linked("") == 7.5
libc = ctypes.CDLL(None)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, *[ctypes.c_long] * 5]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
reserved = lambda size: libc.mmap(None, size, 0, 0x4022, -1, 0)
between, pages = reserved(5 << 30), []
while (page := reserved(4096)) > between:
    pages.append(page)
for page in sorted(pages)[::2]:
    libc.munmap(page, 4096)
assert [linked(f"; {k}") for k in range(4)] == [7.5] * 4
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it reserves memory as Linux does")
def test_memory_in_pieces_does_not_end_the_process() -> None:
    run = subprocess.run([sys.executable, "-c", FAR_APART], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
