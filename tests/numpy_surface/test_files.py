"""Files are read and written, and texts printed, whenever the graph runs, in its order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag

WRITES: dict[str, Any] = {
    "save": lambda x, name: np.save(name, x * 2),
    "savetxt": lambda x, name: np.savetxt(name, x * 2, fmt="%.3f"),
    "tofile": lambda x, name: x.tofile(name),
    "dump": lambda x, name: (x + 1).dump(name),
    "known": lambda x, name: np.save(name, np.zeros(2)) or np.save(name, x),
    "branch": lambda x, name: np.save(name, x) if x[0] > 1 else np.save(name, -x),
}


@pytest.mark.parametrize("name", WRITES)
def test_each_call_writes_what_plain_code_writes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "x.npy"
    plain = WRITES[name]
    staged = ag.function(lambda x: plain(x, str(file)))
    for x in (np.arange(3.0), np.arange(3.0) + 5):
        plain(x, str(file))
        wanted = file.read_bytes()
        file.unlink()
        staged(x)
        assert file.read_bytes() == wanted


READS: dict[str, Any] = {
    "npy": lambda x, name: np.load(name) * x,
    "bin": lambda x, name: np.fromfile(name) * x,
    "txt": lambda x, name: np.loadtxt(name) * x,
    "npz": lambda x, name: np.load(name)["a"] * x,
}


@pytest.mark.parametrize("kind", READS)
def test_each_call_reads_the_file_anew(kind: str, tmp_path: Path) -> None:
    file = str(tmp_path / f"x.{kind}")
    staged = ag.function(lambda x: READS[kind](x, file))
    for held in (np.arange(3.0), np.arange(4.0) + 2):
        write = {"npy": np.save, "txt": np.savetxt, "npz": lambda name, x: np.savez(name, a=x)}
        write.get(kind, lambda name, x: x.tofile(name))(file, held)
        assert staged(np.float64(2)).tolist() == (held * 2).tolist()


def test_an_archive_is_a_context_manager(tmp_path: Path) -> None:
    file = str(tmp_path / "x.npz")

    @ag.function
    def written_and_read(x: np.ndarray) -> np.ndarray:
        np.savez(file, x=x, y=x * 2)
        with np.load(file) as data:
            return data["x"] + data["y"]

    np.savez(file, x=np.ones(3), y=np.ones(3))
    for k in range(2):
        assert written_and_read(np.arange(3.0) + k).tolist() == [3 * k, 3 * k + 3, 3 * k + 6]


def test_what_prints_prints_at_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    staged = ag.function(lambda x: np.info(x))
    texts = []
    for _ in range(2):
        staged(np.ones(2))
        texts.append(capsys.readouterr().out)
    assert texts[0].startswith("class:  ndarray")
    assert len(texts[1]) == len(texts[0])
