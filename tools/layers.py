"""Check that every import in the packages points down: python -m tools.layers.

Reads the packages' files with `ast`; comes out with one line for each import that breaks a rule.
It runs nothing of what it reads. The rules are the tables below:

* A *room* is a module or folder directly under a package. Rooms stand on shelves; a module may
  import rooms of its own shelf and of lower ones. What stands under `if TYPE_CHECKING:` is never
  run and may name a higher room of the same package.
* `runtime` never imports `autograph`; of `autograph`, only the rooms in MEETS_RUNTIME import
  `runtime`, but for what is in WITHOUT_ARRAYS.
* No file imports itself by way of others. What a face imports on demand (`runtime.faces`), and what
  stands under `if TYPE_CHECKING:`, does not count.
* Outside libraries are imported where HOMES allows them, optional ones inside functions only,
  and nothing else is imported inside a function.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

Shelves = tuple[frozenset[str], ...]


def shelves(*names: str) -> Shelves:
    """Build a package's shelves, the lowest first, from space-separated rooms."""
    return tuple(frozenset(shelf.split()) for shelf in names)


FACE = "__init__"
SHELVES = {
    "runtime": shelves(
        "errors faces forks trees tree_classes tree_kinds",
        "tree_nodes dtypes floating_errors spec active_tapes",
        "kernels operator_mode default_graph graph",
        "backends",
        "ops",
        "tensor union number_union operands texts staged_warnings",
        "array_context variable_writes opaque",
        "deferred_results",
        "aliasing selected constants rows",
        "dispatch",
        "cast",
        "result_memory",
        "signature",
        "methods set_shapes array_exchange complex_parts protocols numpy scalar_conversion "
        "subscripts strings text_methods operator_methods",
        "autodiff batching passes",
        "lower",
        "profiling",
        "state",
        "data io",
        "nn",
        f"{FACE} __main__",
    ),
    "autograph": shelves(
        "errors lazy logs options",
        "source inlining",
        "analysis",
        "converters",
        "conversion files",
        "staging",
        "operators",
        "function",
        "transforms",
        "data tensor_array nn",
        "lint",
        "explaining",
        "comparing",
        "numpy random tf",
        f"cli {FACE} __main__",
    ),
}
MEETS_RUNTIME = frozenset(
    {
        "staging",
        "operators",
        "function",
        "data",
        "tensor_array",
        "transforms",
        "nn",
        "explaining",
        "comparing",
        "numpy",
        "random",
        "tf",
        "cli",
        FACE,
        "__main__",
    }
)
WITHOUT_ARRAYS = frozenset({"runtime.forks"})
# Where each library is at home: modules by their full names, folders with all they hold.
HOMES = {
    "astor": ("autograph.source.printer",),
    "gast": (
        "autograph.source",
        "autograph.analysis",
        "autograph.converters",
        "autograph.conversion",
        "autograph.explaining",
        "autograph.comparing",
    ),
    "numpy": ("runtime", *sorted(f"autograph.{room}" for room in MEETS_RUNTIME)),
    "pygments": ("autograph.source", "autograph.cli"),
}
OPTIONAL = frozenset({"cupy", "cupyx", "dask", "llvmlite", "onnx", "tensorboard"})


@dataclass(frozen=True)
class Module:
    """A file of a package: where it is, what it is called, and what it holds."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The top-level package."""
        return self.name.partition(".")[0]

    @property
    def room(self) -> str:
        """The room that the module belongs to."""
        return room_of(self.name)


@dataclass(frozen=True)
class Import:
    """One imported module, by its full name, what is taken from it, and where it is imported."""

    target: str
    line: int
    in_function: bool = False
    for_types: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Violation:
    """An import that breaks a rule."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def main() -> int:
    """Check the project that this file belongs to."""
    root = Path(__file__).resolve().parent.parent
    modules = list(read_modules(root))
    found = violations(modules)
    for violation in found:
        print(violation)
    if found:
        print(f"layers: {len(found)} imports break a rule (the rules: tools/layers.py)")
        return 1
    total = sum(1 for module in modules for _ in imports_of(module))
    print(f"layers: {total} imports in {len(modules)} files, all of them point down")
    return 0


def violations(modules: Iterable[Module]) -> list[Violation]:
    """Return every import that breaks a rule."""
    modules = list(modules)
    found = [violation for module in modules for violation in check_module(module)]
    return [*found, *check_cycles(modules)]


def read_modules(root: Path) -> Iterator[Module]:
    """Read the files of the packages under `root`, in a fixed order; paths are relative to it."""
    gc.disable()  # to search trees, which have no cycles, takes twice as long as to read them
    try:
        for package in SHELVES:
            for file in sorted((root / package).rglob("*.py")):
                path = file.relative_to(root)
                tree = ast.parse(file.read_text(encoding="utf-8"), str(path))
                yield Module(path, ".".join(path.with_suffix("").parts), tree)
    finally:
        gc.enable()


def check_module(module: Module) -> Iterator[Violation]:
    """Yield the violations of one module."""
    if shelf_of(module.package, module.room) is None:
        yield Violation(module.path, 1, no_shelf(module.package, module.room))
        return
    for found in imports_of(module):
        for message in check_import(module, found):
            yield Violation(module.path, found.line, message)


def check_cycles(modules: Sequence[Module]) -> Iterator[Violation]:
    """Yield a violation for each group of files that import each other."""
    files = {module.name.removesuffix(f".{FACE}"): module for module in modules}
    edges = {name: sorted(_imported(files, module) - {name}) for name, module in files.items()}
    for group in cycles(edges):
        path = " -> ".join([*group, group[0]])
        yield Violation(files[group[0]].path, 1, f"files import each other: {path}")


def _imported(files: Mapping[str, Module], module: Module) -> set[str]:
    """Return the files that run when a module is imported, in so far as it names them."""
    found: set[str] = set()
    for one in imports_of(module):
        if one.for_types or one.in_function:
            continue
        inner = {f"{one.target}.{name}" for name in one.names}
        found |= inner & files.keys() or {one.target} & files.keys()
        found |= {one.target} & files.keys() if inner - files.keys() else set()
    return found


def cycles(edges: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield a shortest way around for each group of names that lead to each other.

    >>> list(cycles({"a": ["b"], "b": ["c", "a"], "c": [], "d": ["d2"], "d2": []}))
    [['a', 'b']]
    """
    left, done = dict(edges), set[str]()
    while ends := [name for name, others in left.items() if left.keys().isdisjoint(others)]:
        for name in ends:
            del left[name]
    for start in sorted(left):
        way = _way_back(left, start)
        if way and done.isdisjoint(way):
            done.update(way)
            yield way


def _way_back(edges: Mapping[str, Sequence[str]], start: str) -> list[str]:
    """Return the names on a shortest way from a name to itself; none if there is no way."""
    before: dict[str, str] = {}
    waiting = [start]
    for name in waiting:
        for other in edges.get(name, ()):
            if other == start:
                way = [name]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return way[::-1]
            if other not in before:
                before[other] = name
                waiting.append(other)
    return []


def check_import(module: Module, found: Import) -> Iterator[str]:
    """Yield what is wrong with one import."""
    top = found.target.partition(".")[0]
    if found.in_function and top not in OPTIONAL:
        yield f"{top} is imported inside a function; only optional libraries are"
    if top == module.package:
        yield from check_room(module, found)
    elif top in SHELVES and found.target not in WITHOUT_ARRAYS:
        yield from check_package(module, top)
    elif top not in SHELVES and top not in sys.stdlib_module_names:
        yield from check_library(module, found, top)


def check_room(module: Module, found: Import) -> Iterator[str]:
    """Yield what is wrong with an import of a room of the same package."""
    target = room_of(found.target)
    lower, own = shelf_of(module.package, target), shelf_of(module.package, module.room)
    if lower is None:
        yield no_shelf(module.package, target)
    elif own is not None and lower > own and not found.for_types:
        yield f"{module.package}.{module.room} stands below {found.target} and may not import it"


def check_package(module: Module, target: str) -> Iterator[str]:
    """Yield what is wrong with an import of the other package."""
    if module.package == "runtime":
        yield f"runtime may not import {target}: dependencies point from autograph to runtime"
    elif module.room not in MEETS_RUNTIME:
        yield f"autograph.{module.room} rewrites source and may not know {target}"


def check_library(module: Module, found: Import, library: str) -> Iterator[str]:
    """Yield what is wrong with an import of an outside library."""
    if library in OPTIONAL:
        if not found.in_function:
            yield f"{library} is optional: import it inside the function that needs it"
    elif library not in HOMES:
        yield f"{library} is no dependency of the packages"
    elif not any(is_inside(module.name, home) for home in HOMES[library]):
        yield f"{library} is imported in {', '.join(HOMES[library])} only"


def imports_of(module: Module) -> Iterator[Import]:
    """Yield the imports of a module in the order of its lines."""
    yield from _imports(module, module.tree, Import("", 0))


def _imports(module: Module, node: ast.AST, place: Import) -> Iterator[Import]:
    """Yield the imports in a node; `place` tells what surrounds it."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = (
            tuple(alias.name for alias in node.names) if isinstance(node, ast.ImportFrom) else ()
        )
        for target in _targets(module, node):
            yield replace(place, target=target, line=node.lineno, names=names)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        place = replace(place, in_function=True)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # no statement is in an expression
        for_types = _is_for_types(node, child)
        yield from _imports(module, child, replace(place, for_types=True) if for_types else place)


def _is_for_types(parent: ast.AST, child: ast.AST) -> bool:
    """Tell whether `child` stands under `if TYPE_CHECKING:`."""
    if not isinstance(parent, ast.If) or not isinstance(parent.test, ast.Name | ast.Attribute):
        return False
    asked = ast.unparse(parent.test)
    return asked in ("TYPE_CHECKING", "typing.TYPE_CHECKING") and child in parent.body


def _targets(module: Module, node: ast.Import | ast.ImportFrom) -> Sequence[str]:
    """Return the full names of what is imported; `from x import y` may mean a module x.y."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        parents = module.name.split(".")[: -node.level]
        base = ".".join([*parents, base] if base else parents)
    if base in SHELVES:
        rooms = (f"{base}.{alias.name}" for alias in node.names)
        return [name if _is_room(base, room_of(name)) else base for name in rooms]
    return [base]


def _is_room(package: str, name: str) -> bool:
    return shelf_of(package, name) is not None


def room_of(name: str) -> str:
    """Return the room in a module's full name; a bare package means its face."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else FACE


def shelf_of(package: str, room: str) -> int | None:
    """Return the number of a room's shelf, 0 for the lowest; None for a room without one."""
    for number, rooms in enumerate(SHELVES[package]):
        if room in rooms:
            return number
    return None


def no_shelf(package: str, room: str) -> str:
    """Say that a room is missing from the table."""
    return f"{package}.{room} has no shelf yet; give it one in tools/layers.py"


def is_inside(name: str, home: str) -> bool:
    """Tell whether a module is `home` or lies in the folder of that name."""
    return name == home or name.startswith(home + ".")


if __name__ == "__main__":
    sys.exit(main())
