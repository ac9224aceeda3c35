"""Jumps out of statements, and statements that never end normally."""

from __future__ import annotations

import gast
import pytest

from autograph.analysis.jumps import Jumps


def block(text: str) -> list[gast.AST]:
    body: list[gast.AST] = gast.parse("while _:\n  def f(): return\n  " + text).body[0].body
    return body


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("pass", set()),
        ("if a: break", {"break"}),
        ("for x in y: break", set()),
        ("for x in y: return", {"return"}),
        ("with a: continue", {"continue"}),
    ],
)
def test_jumps_out_of_a_block(text: str, kinds: set[str]) -> None:
    assert Jumps().out_of_block(block(text)) == kinds


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("return", True),
        ("raise", True),
        ("if a: return", False),
        ("while True: pass", True),
        ("while True: break", False),
        ("with a: return", False),
    ],
)
def test_blocks_that_never_end_normally(text: str, ends: bool) -> None:
    assert Jumps().ends(block(text)) is ends


def test_a_jump_in_finally_is_known() -> None:
    (statement,) = gast.parse("while a:\n  try: b\n  finally:\n    if c: break").body[0].body
    assert Jumps().leaves_finally(statement)
