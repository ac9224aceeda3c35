"""The layer rules, on small trees that break them one by one."""

from __future__ import annotations

import ast
from pathlib import Path

from tools.layers import Module, read_modules, violations


def messages(path: str, text: str) -> list[str]:
    file = Path(path)
    module = Module(file, ".".join(file.with_suffix("").parts), ast.parse(text))
    return [str(violation) for violation in violations([module])]


def test_imports_that_point_down_are_allowed() -> None:
    text = (
        "from runtime import ops, spec\nfrom runtime.graph.node import Node\nimport numpy as np\n"
    )
    assert messages("runtime/lower/fuse.py", text) == []


def test_import_of_a_higher_room_is_found_with_its_line() -> None:
    assert messages("runtime/graph/node.py", "import ast\nfrom runtime.ops import tanh\n") == [
        "runtime/graph/node.py:2: runtime.graph stands below runtime.ops and may not import it"
    ]


def test_room_imported_by_name_from_its_package_is_found() -> None:
    assert messages("autograph/source/quote.py", "from autograph import errors, operators\n") == [
        "autograph/source/quote.py:1: "
        "autograph.source stands below autograph.operators and may not import it"
    ]


def test_relative_import_of_a_higher_room_is_found() -> None:
    assert messages("autograph/source/quote.py", "from ..converters.base import Converter\n") == [
        "autograph/source/quote.py:1: "
        "autograph.source stands below autograph.converters.base and may not import it"
    ]


def test_relative_import_within_a_room_is_allowed() -> None:
    assert messages("autograph/source/__init__.py", "from . import quote\n") == []


def test_own_face_is_the_highest_room() -> None:
    assert messages("autograph/function/trace.py", "import autograph as ag\n") == [
        "autograph/function/trace.py:1: "
        "autograph.function stands below autograph and may not import it"
    ]


def test_runtime_may_not_import_autograph() -> None:
    assert messages("runtime/state/variable.py", "from autograph import function\n") == [
        "runtime/state/variable.py:1: "
        "runtime may not import autograph: dependencies point from autograph to runtime"
    ]


def test_rewriting_room_may_not_import_runtime() -> None:
    assert messages("autograph/converters/loops.py", "import runtime.graph\n") == [
        "autograph/converters/loops.py:1: "
        "autograph.converters rewrites source and may not know runtime"
    ]


def test_operators_may_import_runtime() -> None:
    assert (
        messages("autograph/operators/control_flow/loops.py", "from runtime.graph import builder\n")
        == []
    )


def test_import_for_types_may_point_up() -> None:
    text = "if TYPE_CHECKING:\n    from runtime.tensor import Tensor\n"
    assert messages("runtime/graph/node.py", text) == []


def test_import_for_types_may_not_leave_its_package() -> None:
    text = "if TYPE_CHECKING:\n    from autograph.function import Function\n"
    assert messages("runtime/graph/node.py", text) == [
        "runtime/graph/node.py:2: "
        "runtime may not import autograph: dependencies point from autograph to runtime"
    ]


def test_other_arm_of_a_check_for_types_counts() -> None:
    text = "if TYPE_CHECKING:\n    pass\nelse:\n    from runtime.tensor import Tensor\n"
    assert len(messages("runtime/graph/node.py", text)) == 1


def test_import_inside_a_function_is_found() -> None:
    text = "class A:\n    def f(self):\n        if self:\n            import json\n"
    assert messages("runtime/io/graphs.py", text) == [
        "runtime/io/graphs.py:4: json is imported inside a function; only optional libraries are"
    ]


def test_optional_library_inside_a_function_is_allowed() -> None:
    assert messages("runtime/backends/cupy.py", "def f():\n    import cupy\n") == []


def test_optional_library_at_module_level_is_found() -> None:
    assert messages("runtime/io/onnx.py", "import onnx.helper\n") == [
        "runtime/io/onnx.py:1: onnx is optional: import it inside the function that needs it"
    ]


def test_gast_outside_its_rooms_is_found() -> None:
    assert messages("autograph/operators/table.py", "import gast\n") == [
        "autograph/operators/table.py:1: gast is imported in autograph.source, autograph.analysis, "
        "autograph.converters, autograph.conversion, autograph.explaining, autograph.comparing only"
    ]


def test_astor_outside_the_printer_is_found() -> None:
    assert messages("autograph/source/parse.py", "import astor\n") == [
        "autograph/source/parse.py:1: astor is imported in autograph.source.printer only"
    ]


def test_astor_in_the_printer_is_allowed() -> None:
    assert messages("autograph/source/printer.py", "from astor.code_gen import to_source\n") == []


def test_undeclared_library_is_found() -> None:
    assert messages("runtime/ops/linear.py", "import scipy.linalg\n") == [
        "runtime/ops/linear.py:1: scipy is no dependency of the packages"
    ]


def test_file_in_a_room_without_a_shelf_is_found() -> None:
    assert messages("runtime/attic/box.py", "import json\n") == [
        "runtime/attic/box.py:1: runtime.attic has no shelf yet; give it one in tools/layers.py"
    ]


def test_import_of_a_room_without_a_shelf_is_found() -> None:
    assert messages("runtime/ops/linear.py", "import runtime.attic.box\n") == [
        "runtime/ops/linear.py:1: runtime.attic has no shelf yet; give it one in tools/layers.py"
    ]


def test_files_of_both_packages_are_read_by_their_full_names(tmp_path: Path) -> None:
    for path in ("runtime/ops/linear.py", "autograph/__init__.py", "other/module.py"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("import ast\n")
    assert [(module.name, module.room) for module in read_modules(tmp_path)] == [
        ("runtime.ops.linear", "ops"),
        ("autograph.__init__", "__init__"),
    ]


def cycles_in(**texts: str) -> list[str]:
    modules = []
    for name, text in texts.items():
        path = Path("runtime", "ops", f"{name}.py")
        modules.append(Module(path, f"runtime.ops.{name}", ast.parse(text)))
    return [str(violation) for violation in violations(modules)]


def test_files_that_import_each_other_are_found_with_the_shortest_way() -> None:
    assert cycles_in(
        a="from runtime.ops import b",
        b="import runtime.ops.c as c\nfrom runtime.ops.d import x",
        c="from runtime.ops.a import y",
        d="from runtime.ops.c import z",
    ) == [
        "runtime/ops/a.py:1: files import each other: "
        "runtime.ops.a -> runtime.ops.b -> runtime.ops.c -> runtime.ops.a"
    ]


def test_a_cycle_through_the_face_of_a_package_is_one() -> None:
    assert cycles_in(__init__="from runtime.ops import a", a="from runtime.ops import name") == [
        "runtime/ops/__init__.py:1: files import each other: "
        "runtime.ops -> runtime.ops.a -> runtime.ops"
    ]
    assert (
        cycles_in(__init__="from runtime.ops import a", a="from runtime.ops import b", b="") == []
    )


def test_what_is_imported_for_types_only_makes_no_cycle() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from runtime.ops.a import x"
    assert cycles_in(a="from runtime.ops.b import y", b=types) == []
