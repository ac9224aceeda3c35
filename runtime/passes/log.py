"""What passes did, and what they left as it is and why.

    log   = run*
    run   = pass ":" change ("," change)* "," nodes "->" nodes line*
    change = what count                                what was done, how often
    line  = "not" what ":" reason                      what was not done, and why

Passes count what they do and give reasons for what they do not; the pipeline tells the log when a
pass begins. A log that nobody reads costs some counting.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from runtime.graph.node import Graph, Node
from runtime.graph.walk import count_nodes


@dataclass(eq=False, slots=True)
class Run:
    """One pass over a graph.

    Args:
        name: of the pass.
        done: what it did, and how often.
        left: what it did not do, and why; with the place in the user's program.
        before: the number of nodes before, and
        after: afterwards.
    """

    name: str
    done: Counter[str] = field(default_factory=Counter)
    left: dict[str, None] = field(default_factory=dict)
    before: int = 0
    after: int = 0

    def text(self, with_reasons: bool) -> str:
        """Return the text of the run; empty when there is nothing to tell."""
        reasons = [f"  not {text}" for text in self.left] if with_reasons else []
        if not self.done and not reasons:
            return ""
        changes = [f"{what} {count}" for what, count in sorted(self.done.items())]
        nodes = f"{self.before} -> {self.after} nodes"
        return "\n".join([f"{self.name}: {', '.join([*changes, nodes])}", *reasons])


class Log:
    """What passes did, run by run.

    >>> log = Log()
    >>> log.did("merged add", 2)
    >>> print(log)
    pass: merged add 2, 0 -> 0 nodes
    """

    def __init__(self) -> None:
        self.runs: list[Run] = [Run("pass")]

    def begin(self, name: str, graph: Graph) -> None:
        """Note that a pass begins."""
        self.runs.append(Run(name, before=count_nodes(graph)))

    def end(self, graph: Graph) -> None:
        """Note that a pass has ended."""
        self.runs[-1].after = count_nodes(graph)

    def did(self, what: str, count: int = 1) -> None:
        """Count something that the present pass did."""
        self.runs[-1].done[what] += count

    def left(self, node: Node, what: str, why: str) -> None:
        """Note something that the present pass did not do to a node."""
        place = "" if node.location is None else f" (line {node.location.line})"
        self.runs[-1].left[f"{what} {node.op.name}{place}: {why}"] = None

    @property
    def hits(self) -> Counter[str]:
        """How often each pass did something."""
        found: Counter[str] = Counter()
        for run in self.runs:
            found[run.name] += run.done.total()
        return found

    def __str__(self) -> str:
        last = {run.name: run for run in self.runs}
        shown = [run.text(last[run.name] is run) for run in self.runs]
        return "\n".join(filter(None, shown)) or "no pass found anything to do"
