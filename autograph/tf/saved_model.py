"""`tf.saved_model`: variables of an object and its staged functions, in a folder.

A folder has `saved_model.json`, a program for each trace (`runtime.io`: text, which reads back
without running anything), and `arrays.npz`. What is loaded needs none of the code that made it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.nn.variables import walk
from autograph.operators.mutation.reachable_objects import is_open
from autograph.tf.absent import missing_from
from autograph.tf.functions import Concrete, Function, function
from autograph.tf.shapes import TensorSpec
from autograph.tf.tensors import operate
from runtime import default_graph, trees
from runtime.autodiff.values import write_region
from runtime.dispatch import as_value
from runtime.errors import DtypeError, ShapeError
from runtime.io.program import Argument, Program, Result, with_references
from runtime.io.program_text import print_program, read_program
from runtime.state.variable import Variable
from runtime.tensor import Symbol

__all__ = ["load", "save"]
FORMAT = {"format": "autograph.saved_model", "version": 1}
SERVING = "serving_default"


def export(model: Any, folder: Any) -> None:
    """Write what a model of `tf.keras` does to a batch; what is loaded has it as `serve`."""
    if getattr(model, "__built_with__", None) is None:
        raise ValueError(f"the model {model.name!r} was not called yet: call it, or build it")
    served = _of_model(model)
    _write(model, folder, {"serve": [served]}, {"serve": served, SERVING: served})


def save(obj: Any, export_dir: Any, signatures: Any = None, **others: Any) -> None:
    """Write the variables of an object, and what its staged functions were traced to, to a folder.

    Args:
        obj: a module, with variables and functions of `tf.function` in its attributes; or a model
            of `tf.keras` that was called.
        export_dir: the folder, which is made.
        signatures: a function with an input_signature, a concrete one, or a dict of them by name;
            `load(...).signatures` has them.
        others: TensorFlow's, which are refused.

    Raises:
        ValueError: there is no function that was traced, or one uses a variable that is in no
            attribute of `obj`.
        GraphFormatError: a function does what no program can.
    """
    if others:
        raise TypeError(f"save has no argument {next(iter(others))!r} here")
    named = dict(_functions(obj))
    given = signatures if isinstance(signatures, dict) else {SERVING: signatures}
    served = {key: _concrete(x) for key, x in given.items() if x is not None}
    if not named and not served:
        raise ValueError(
            f"{obj!r} has no function of tf.function that was traced: call it once, give it an "
            "input_signature, or give signatures"
        )
    _write(obj, export_dir, named, served)


def _write(obj: Any, folder: Any, named: Mapping[str, Any], served: Mapping[str, Any]) -> None:
    writer = _Writer(obj, os.fspath(folder))
    data = {
        **FORMAT,
        "functions": {name: [writer.program(x) for x in found] for name, found in named.items()},
        "signatures": {name: writer.program(x) for name, x in served.items()},
        "variables": writer.variables(),
    }
    np.savez(os.path.join(writer.folder, "arrays.npz"), **writer.arrays)
    with open(os.path.join(writer.folder, "saved_model.json"), "w", encoding="utf-8") as file:
        json.dump(data, file)


def _functions(obj: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the paths of the staged functions of an object, each with its traces."""
    for path, owner in [("", obj), *walk(obj)]:
        if isinstance(owner, Variable) or not is_open(owner) or (owner is obj and path):
            continue
        spaces = (vars(owner), *map(vars, type(owner).__mro__))
        names = dict.fromkeys(k for x in spaces for k, f in x.items() if isinstance(f, Function))
        for name in names:
            found = getattr(owner, name)
            traces = list(found.concrete_functions) or _by_signature(found)
            if traces and (name == CALL or not name.startswith("_")):
                yield f"{path}.{name}".lstrip("."), traces
    if getattr(obj, "__built_with__", None) is not None:
        yield CALL, [_of_model(obj)]


CALL = "__call__"


def _by_signature(found: Function) -> list[Any]:
    return [_concrete(found)] if found._converts else []


def _of_model(model: Any) -> Any:
    """Return what a model of `tf.keras` does to a batch of any size."""

    def spec(x: Any) -> Any:
        return TensorSpec(x[1], x[2]) if isinstance(x, tuple) else x

    def is_batch(x: Any) -> bool:
        return isinstance(x, tuple) and x[:1] == ("batch",)

    leaves, structure = trees.flatten_to(model.__built_with__, is_batch)
    given = trees.unflatten(structure, [spec(x) for x in leaves])
    return _concrete(function(model.__call__).get_concrete_function(given))


def _concrete(found: Any) -> Any:
    """Return a trace, as `autograph` has it."""
    found = found.get_concrete_function() if isinstance(found, Function) else found
    if not isinstance(found, Concrete):
        raise TypeError(f"a signature is a function of tf.function, or a concrete one: {found!r}")
    return found._concrete


class _Writer:
    """Writes programs into a folder, and remembers what they use."""

    def __init__(self, obj: Any, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.folder, self.arrays, self.count = folder, dict[str, Any](), 0
        self.paths = {id(x): (path, x) for path, x in walk(obj) if isinstance(x, Variable)}

    def program(self, concrete: Any) -> dict[str, Any]:
        """Write one program; return its file, and what it is bound to."""
        program, signature = concrete.program, concrete.trace.signature
        file, self.count = f"program_{self.count}.txt", self.count + 1
        with open(os.path.join(self.folder, file), "w", encoding="utf-8") as text:
            text.write(print_program(program, elide=False))
        slots = (*signature.reads, *signature.arrays, *signature.stores)
        return {"file": file, "uses": {x.name: self._used(concrete, file, x) for x in slots}}

    def _used(self, concrete: Any, file: str, slot: Any) -> str:
        thing = slot.thing()
        if slot.reference is None:
            key = f"{file}/{slot.name}"
            self.arrays[key] = np.asarray(thing)
            return key
        if id(thing) not in self.paths:
            raise ValueError(
                f"{concrete.name} uses the variable {slot.name!r}, which is in no attribute of "
                "what is saved; keep it in one"
            )
        path: str = self.paths[id(thing)][0]
        return path

    def variables(self) -> list[dict[str, Any]]:
        """Return what the variables are; note what they hold."""
        self.arrays.update({f"variables/{path}": x.numpy() for path, x in self.paths.values()})
        return [
            {"path": path, "name": x.name, "trainable": x.trainable}
            for path, x in self.paths.values()
        ]


class Loaded:
    """What was loaded: variables and functions under the names that they had."""

    signatures: dict[str, Any]

    @property
    def variables(self) -> list[Variable]:
        """Its variables."""
        return [x for _, x in walk(self) if isinstance(x, Variable)]

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those that are trained."""
        return [x for x in self.variables if x.trainable]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        called = vars(self).get(CALL)
        if called is None:
            raise TypeError("what was loaded has no function __call__")
        return called(*args, **kwargs)


def load(export_dir: Any, *, functions: Iterable[Callable[..., Any]] = (), **others: Any) -> Loaded:
    """Return what a folder holds: an object with its variables and functions. No code is run.

    Functions take what they were traced for, in graphs, too, and have derivatives.

    Args:
        export_dir: what `save` wrote.
        functions: those of modules that what is loaded may call, by `tf.py_function`.
        others: TensorFlow's, which are refused.

    Raises:
        ValueError: it is no such folder.
    """
    if others:
        raise TypeError(f"load has no argument {next(iter(others))!r} here")
    folder, allowed = os.fspath(export_dir), list(functions)
    try:
        with open(os.path.join(folder, "saved_model.json"), encoding="utf-8") as file:
            data = json.load(file)
        with np.load(os.path.join(folder, "arrays.npz"), allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder} is no folder that save wrote: {error}") from None
    if {key: data.get(key) for key in FORMAT} != FORMAT:
        raise ValueError(f"{folder} was written by another version")
    made, things = Loaded(), dict[str, Any](arrays)
    for x in data["variables"]:
        things[x["path"]] = _variable(x, arrays[f"variables/{x['path']}"])
        _put(made, x["path"], things[x["path"]])

    def bound(entry: dict[str, Any]) -> _Traced:
        with open(os.path.join(folder, entry["file"]), encoding="utf-8") as text:
            program = read_program(text.read(), allowed)
        return _Traced(program, {name: things[key] for name, key in entry["uses"].items()})

    for name, entries in data["functions"].items():
        _put(made, name, Restored(name, [bound(x) for x in entries]))
    made.signatures = {k: Restored(k, [bound(x)]) for k, x in data["signatures"].items()}
    return made


def _variable(data: dict[str, Any], array: Any) -> Variable:
    made = Variable(array, name=data["name"], trainable=data["trainable"])
    made.gives_tensors, made.operate = True, operate
    return made


STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]")


def _put(root: Any, path: str, thing: Any) -> None:
    """Put something where it was: in attributes, and dicts instead of lists."""
    steps = [m.groups() for m in STEP.finditer(path)]
    keys = [a if a is not None else int(k) if k is not None else text for a, k, text in steps]
    owner = root
    for key, after in zip(keys, steps[1:], strict=False):
        held = owner if isinstance(owner, dict) else vars(owner)
        owner = held.setdefault(key, {} if after[0] is None else Loaded())
    (owner if isinstance(owner, dict) else vars(owner))[keys[-1]] = thing


class _Traced:
    """A program, and what it uses."""

    def __init__(self, program: Program, things: Mapping[str, Any]) -> None:
        self.program, self.things = program, things
        used = program.all_used.items()
        known = {x.reference: things[name].reference for name, x in used if x.reference}
        self.graph = with_references(program.graph, known)

    def why_not(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
        """Return why it is not for some arguments; None if it is."""
        try:
            self.program.arrays_of(args, kwargs)
        except (TypeError, DtypeError, ShapeError) as error:
            return str(error)
        return None

    def __call__(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Write the program into the graph that is being built."""
        builder = default_graph.current()
        assert builder is not None
        arrays = self.program.arrays_of(args, kwargs)
        used = [self.things[x.name] for x in self.program.uses]
        outside = [x.read() if isinstance(x, Variable) else x for x in used]
        operands = [as_value(builder, x) for x in (*arrays, *outside)]
        results = [Symbol(builder, x) for x in write_region(builder, self.graph, operands)]
        stored = results[len(results) - len(self.program.writes) :]
        for target, value in zip(self.program.writes, stored, strict=True):
            if isinstance(target, Argument):
                raise ValueError(f"{self.program.name} writes its argument {target.name}")
            self.things[target.name].assign(value)
        leaves = trees.flatten(dict(self.program.takes))[0]
        by_name = dict(
            zip([x.name for x in leaves if isinstance(x, Argument)], arrays, strict=True)
        )
        made = [self._leaf(x, results, by_name) for x in self.program.outputs]
        return trees.unflatten(self.program.structure, made)

    def _leaf(self, leaf: Any, results: Sequence[Any], arrays: Mapping[str, Any]) -> Any:
        if isinstance(leaf, Result):
            return results[leaf.position]
        return arrays[leaf.name] if isinstance(leaf, Argument) else leaf


class Restored:
    """A function that was loaded: what it was traced for, it does.

    Raises:
        ValueError: it was not traced for such arguments.
    """

    def __init__(self, name: str, traced: Sequence[_Traced]) -> None:
        self._name, self._traced = name, traced
        self._staged = function(self._run, autograph=False, input_signature=None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._staged(*args, **kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        why = [x.why_not(args, kwargs) for x in self._traced]
        if None not in why:
            reasons = "; ".join(filter(None, why))
            raise ValueError(f"{self._name} was saved for other arguments: {reasons}")
        return self._traced[why.index(None)](args, kwargs)

    def __repr__(self) -> str:
        return f"<loaded function {self._name}, {len(self._traced)} traces>"


__getattr__ = missing_from("autograph.tf.saved_model", globals())
