"""Checking one file: every rule on every staged function, without what a comment excuses."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from autograph.errors import Place
from autograph.files.modules import read_module
from autograph.lint.rule import Finding, Rule
from autograph.lint.staged import Module, Staged, staged_functions
from autograph.lint.table import RULES
from autograph.source.deep_recursion import call_deep
from autograph.source.parse import parse, split_lines

_NOQA = re.compile(
    r"#\s*noqa(?::\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?", re.IGNORECASE
)


def check_text(source: str | bytes, file: str, staged: int | None = None) -> list[Finding]:
    """Return the hazards of a module's staged functions, in the order of the source.

    Args:
        source: the module; nothing of it is run.
        file: its name.
        staged: the line of a function that is taken for staged, whatever its decorators are.

    Raises:
        InvalidSourceError: it is not valid Python.

    >>> text = "import autograph as ag, time\\n@ag.function\\ndef f(x): return x + time.time()\\n"
    >>> [(finding.line, finding.code) for finding in check_text(text, "net.py")]
    [(3, 'AG104')]
    """
    module = read_module(source, file)
    lines = split_lines(module.text)
    tree = parse(module.text, file)
    found = call_deep(lambda: list(_findings(Module(tree, staged), file, lines)))
    excused = _excused(module.text)
    kept = {_place(one): one for one in reversed(found) if not _is_excused(one, excused)}
    return [kept[place] for place in sorted(kept)]


def as_text(findings: Sequence[Finding]) -> str:
    """Return findings for people, with their number; nothing where there are none."""
    if not findings:
        return ""
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}"
    return "\n\n".join([*map(str, findings), count])


def as_json(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return findings for programs."""
    return [asdict(finding) for finding in findings]


def _findings(module: Module, file: str, lines: Sequence[str]) -> Iterator[Finding]:
    for function in staged_functions(module):
        for rule in RULES:
            for node, what in rule.finds(function):
                yield _finding(rule, function, node, what, file, lines)


def _finding(
    rule: Rule, function: Staged, node: Any, what: str, file: str, lines: Sequence[str]
) -> Finding:
    place = Place.of(node, file, lines)
    message = f"{what}: {rule.reason} (in {function.node.name})."
    return Finding(file, place.line, place.column + 1, rule.code, message, rule.fix, place.text)


def _place(finding: Finding) -> tuple[int, int, str]:
    return finding.line, finding.column, finding.code


def _excused(text: str) -> dict[int, frozenset[str]]:
    """Return the codes that comments excuse, by line; no codes for all of them."""
    found = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = _NOQA.search(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                codes = re.split(r"[,\s]+", (match["codes"] or "").upper())
                found[token.start[0]] = frozenset(filter(None, codes))
    except (tokenize.TokenError, SyntaxError):  # text that only the parser takes
        return found
    return found


def _is_excused(finding: Finding, excused: dict[int, frozenset[str]]) -> bool:
    codes = excused.get(finding.line)
    return codes is not None and (not codes or finding.code in codes)
