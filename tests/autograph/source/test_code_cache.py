"""Code is found on disk as it was stored, and nothing but such code is."""

from __future__ import annotations

import hashlib
import marshal
import os
import socket
import stat
import sys
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from autograph.source import code_cache

KEY = bytes(range(32))
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners of this kind")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


def answer() -> int:
    return 42


def run(found: tuple[str, CodeType] | None) -> tuple[str, int]:
    assert found is not None
    return found[0], FunctionType(found[1], {})()


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_was_stored_is_read(folder: Path) -> None:
    assert code_cache.read(KEY) is None
    code_cache.write(KEY, "ag", answer.__code__)
    assert run(code_cache.read(KEY)) == ("ag", 42)
    assert code_cache.read(KEY[::-1]) is None
    assert only_file(folder).name == KEY.hex() + ".code"


@posix
def test_the_folder_and_its_files_are_the_users_alone(folder: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600


@pytest.mark.parametrize("length", [0, 10, 49, 81, 100, -1])
def test_a_file_that_was_cut_off_is_ignored_and_written_again(folder: Path, length: int) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    content = only_file(folder).read_bytes()
    only_file(folder).write_bytes(content[:length])
    assert code_cache.read(KEY) is None
    code_cache.write(KEY, "ag", answer.__code__)
    assert only_file(folder).read_bytes() == content


def test_a_file_with_another_byte_anywhere_is_ignored(folder: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    content = only_file(folder).read_bytes()
    for index in range(len(content)):
        changed = bytes([content[index] ^ 1])
        only_file(folder).write_bytes(content[:index] + changed + content[index + 1 :])
        assert code_cache.read(KEY) is None


def test_a_file_of_another_key_is_ignored(folder: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    only_file(folder).rename(folder / (KEY[::-1].hex() + ".code"))
    assert code_cache.read(KEY[::-1]) is None


@posix
def test_what_others_can_write_is_not_read(folder: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    file = only_file(folder)
    file.chmod(0o620)
    assert code_cache.read(KEY) is None
    file.chmod(0o600)
    folder.chmod(0o777)
    assert code_cache.read(KEY) is None
    folder.chmod(0o700)
    assert run(code_cache.read(KEY)) == ("ag", 42)


@posix
def test_what_belongs_to_somebody_else_is_neither_read_nor_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert code_cache.read(KEY) is None
    code_cache.write(KEY[::-1], "ag", answer.__code__)
    assert len(list(folder.iterdir())) == 1


@posix
def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    file = only_file(folder)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert code_cache.read(KEY) is None


def test_a_folder_that_cannot_be_made_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", str(tmp_path / "file"))
    code_cache.write(KEY, "ag", answer.__code__)
    assert code_cache.read(KEY) is None


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="this user can write everywhere"
)
def test_a_folder_that_cannot_be_written_is_read(folder: Path) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    folder.chmod(0o500)
    code_cache.write(KEY[::-1], "ag", answer.__code__)
    assert run(code_cache.read(KEY)) == ("ag", 42)
    folder.chmod(0o700)
    assert code_cache.read(KEY[::-1]) is None


def test_a_write_that_fails_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(old: object, new: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", full)
    code_cache.write(KEY, "ag", answer.__code__)
    assert list(folder.iterdir()) == []


def test_an_empty_name_switches_it_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_cache.is_on()
    code_cache.write(KEY, "ag", answer.__code__)
    monkeypatch.setenv("AUTOGRAPH_CACHE_DIR", "")
    assert not code_cache.is_on()
    assert code_cache.read(KEY) is None
    code_cache.write(KEY[::-1], "ag", answer.__code__)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="each platform has a folder of its own")
def test_the_folder_is_where_linux_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUTOGRAPH_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/not/allowed")
    code_cache.write(KEY, "ag", answer.__code__)
    assert len(list((tmp_path / "home/.cache/autograph-runtime/code").iterdir())) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    code_cache.write(KEY, "ag", answer.__code__)
    assert len(list((tmp_path / "xdg/autograph-runtime/code").iterdir())) == 1


def test_the_oldest_files_go_when_there_are_too_many(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [bytes([number]) * 32 for number in range(1, 9)]
    for age, key in enumerate(reversed(keys)):
        code_cache.write(key, "ag", answer.__code__)
        os.utime(folder / (key.hex() + ".code"), (1e9 - age, 1e9 - age))
    size = (folder / (keys[0].hex() + ".code")).stat().st_size
    monkeypatch.setattr(code_cache, "LIMIT", 8 * size)
    code_cache.prune(folder)
    assert all(code_cache.read(key) for key in keys)
    code_cache.write(bytes(32), "ag", answer.__code__)  # a key with a zero in front looks for room
    left = [key for key in keys if code_cache.read(key)]
    assert left == keys[-3:]
    assert code_cache.read(bytes(32)) is not None


def test_a_payload_is_never_loaded_before_its_checksum_is_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    content = only_file(folder).read_bytes()
    payload = marshal.dumps(("ag", answer.__code__))
    assert content.endswith(hashlib.sha256(payload).digest() + payload)
    only_file(folder).write_bytes(content[:-1] + b"?")

    def loads(content: bytes) -> object:
        raise AssertionError("loaded")

    monkeypatch.setattr(marshal, "loads", loads)
    assert code_cache.read(KEY) is None


@posix
def test_what_is_no_file_is_not_read_and_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code_cache.write(KEY, "ag", answer.__code__)
    file = only_file(folder)
    file.unlink()
    os.mkfifo(file, 0o600)
    assert code_cache.read(KEY) is None
    file.unlink()
    file.mkdir(mode=0o700)
    assert code_cache.read(KEY) is None
    file.rmdir()
    with socket.socket(socket.AF_UNIX) as other:
        monkeypatch.chdir(folder)  # names of sockets are short
        other.bind(file.name)
        assert code_cache.read(KEY) is None
    code_cache.write(KEY, "ag", answer.__code__)
    assert run(code_cache.read(KEY)) == ("ag", 42)


def test_a_right_checksum_over_other_data_is_not_believed(folder: Path) -> None:
    whole = marshal.dumps(("ag", answer.__code__))
    others = [b"", b"junk", whole[:-9], marshal.dumps(7), marshal.dumps((1, 2)), b"\xff" * 40]
    for payload in others:
        code_cache.write_bytes(KEY, payload)
        assert code_cache.read(KEY) is None
