"""Models as files: what they are made of as data, and what their variables hold. No code.

A file is a zip with `metadata.json`, `config.json` (see `autograph.tf.keras.configs`), and
`variables.npz`. To read one makes the model anew by the classes that the file names.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any

import numpy as np

from autograph.tf.absent import missing_from
from autograph.tf.keras import weights
from autograph.tf.keras.configs import (
    Reader,
    Writer,
    custom_object_scope,
    register_keras_serializable,
)
from autograph.tf.keras.symbolic import Input
from runtime import trees
from runtime.state.variable import Variable

__all__ = [
    "custom_object_scope",
    "deserialize_keras_object",
    "load_model",
    "register_keras_serializable",
    "save_model",
    "serialize_keras_object",
]
FORMAT = {"format": "autograph.keras", "version": 1}
Arrays = dict[str, Any]


def save_model(model: Any, filepath: Any, overwrite: bool = True, **others: Any) -> None:
    """Write a model into a file: what it is made of, its variables, and how it is trained.

    Args:
        model: a model whose variables are made: it was called, or built.
        filepath: the file, which ends with `.keras`.
        overwrite: whether a file of the name is replaced; else FileExistsError.
        others: TensorFlow's, which are refused.

    Raises:
        TypeError: something in it has no name, or does not say what it is made with.
        ValueError: the variables are not made yet, or the name ends otherwise.
    """
    path = os.fspath(filepath)
    if others:
        raise TypeError(f"save has no argument {next(iter(others))!r} here")
    if not path.endswith(".keras"):
        raise ValueError(
            f"a model is saved to a file that ends with .keras, not {path!r}; a graph alone is "
            "what tf.saved_model.save writes"
        )
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} is there already; give overwrite=True")
    arrays = state_of(model)
    data = {"model": described(model), "compile": _compile_options(model)}
    beside = f"{path}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(beside, "w") as file:
            file.writestr("metadata.json", json.dumps(FORMAT))
            file.writestr("config.json", json.dumps(data))
            with file.open("variables.npz", "w") as held:
                held.write(_packed(arrays))
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def _packed(arrays: Arrays) -> bytes:
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


def load_model(
    filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """Return the model that a file holds. Nothing of the file is run.

    Args:
        filepath: what `save_model` wrote.
        custom_objects: classes and functions that are not of this library, by their names.
        compile: whether the model is compiled as it was, with the state of its optimiser.
        safe_mode: has no effect: a file holds no code.

    Raises:
        ValueError: it is no such file, or it names a class that is not known.
    """
    path = os.fspath(filepath)
    weights.refuse_hdf5(path)
    try:
        with zipfile.ZipFile(path) as file:
            if json.loads(file.read("metadata.json")) != FORMAT:
                raise ValueError(f"{path} was written by another version")
            data = json.loads(file.read("config.json"))
            with np.load(io.BytesIO(file.read("variables.npz")), allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no file that save_model wrote: {error}") from None
    return _made(data, arrays, custom_objects, compile)


def _made(data: Any, arrays: Arrays, known: Any, compiles: bool) -> Any:
    with custom_object_scope(known):
        model = _described(data["model"])
        if compiles and data["compile"] is not None:
            model.compile(**Reader().read(data["compile"]))
        assign_state(model, arrays)
    return model


def state_of(model: Any) -> Arrays:
    """Return what the variables of a model hold, and those of its optimiser, by their names."""
    named = {f"model/{name}": x for name, x in weights.named(model).items()}
    if model._compiled is not None:
        variables = _numbered(model.optimizer.variables)
        named.update({f"optimizer/{name}": x for name, x in variables.items()})
    return {name: x.numpy() for name, x in named.items()}


def assign_state(model: Any, arrays: Arrays) -> None:
    """Assign what `state_of` gave; of an optimiser only where the model is compiled."""
    _assign(weights.named(model), arrays, "model")
    if model._compiled is not None and any(x.startswith("optimizer/") for x in arrays):
        model.optimizer.build(model.trainable_variables)
        _assign(_numbered(model.optimizer.variables), arrays, "optimizer")


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """Return a new model that is made of what `model.to_json()` gave."""
    with custom_object_scope(custom_objects):
        return _described(json.loads(json_string))


def clone_model(model: Any) -> Any:
    """Return a new model like another one, with variables of its own; its classes stay the same.

    Raises:
        TypeError: something in it does not say what it is made with.
    """
    writer = Writer()
    data = described(model, writer)
    with custom_object_scope(writer.met):
        return _described(data)


def _described(data: Any) -> Any:
    """Return the model that data describe, with its variables made, if those of the other were."""
    model, inputs = Reader().read(data["made"]), Reader().read(data["inputs"])
    if inputs is not None:
        leaves, structure = trees.flatten_to(
            inputs, lambda x: isinstance(x, tuple) and x[0] == "batch"
        )
        model(trees.unflatten(structure, [Input(batch_shape=s, dtype=d) for _, s, d in leaves]))
    return model


def described(model: Any, writer: Writer | None = None) -> Any:
    """Return what a model is made of, and the shapes that it was built with."""
    writer = Writer() if writer is None else writer
    return {"made": writer.write(model), "inputs": writer.write(model.__built_with__)}


def _compile_options(model: Any) -> Any:
    if model._compiled is None:
        return None
    return Writer().write(model.__compiled_with__ | {"optimizer": model.optimizer})


def _numbered(variables: list[Variable]) -> dict[str, Variable]:
    return {f"{k}": x for k, x in enumerate(variables)}


def _assign(named: dict[str, Variable], arrays: Arrays, part: str) -> None:
    """Assign to all variables, or to none."""
    held = {k.removeprefix(f"{part}/"): x for k, x in arrays.items() if k.startswith(f"{part}/")}
    if held.keys() != named.keys():
        odd = ", ".join(sorted(held.keys() ^ named.keys()))
        raise ValueError(f"the file and the {part} that it describes have other variables: {odd}")
    for name, variable in named.items():
        variable.check(held[name])
    for name, variable in named.items():
        variable.assign(held[name])


def serialize_keras_object(obj: Any) -> Any:
    """Return what a layer, model, loss, ... is made of, as data of JSON.

    Args:
        obj: something with `get_config`; functions give their names, numbers and texts themselves.

    Returns:
        A dict with `module`, `class_name`, `config` and `registered_name`.

    >>> from autograph import tf
    >>> data = serialize_keras_object(tf.keras.layers.ReLU(name="r"))
    >>> data["module"], data["class_name"], deserialize_keras_object(data).name
    ('keras.layers', 'ReLU', 'r')
    """
    if hasattr(obj, "__built_with__"):
        made = described(obj)
        return _as_keras(made["made"]) | {"build_config": made["inputs"]}
    data = Writer().write(obj)
    return _as_keras(data) if isinstance(data, dict) and data.get("$") == "object" else data


def _as_keras(data: dict[str, Any]) -> dict[str, Any]:
    module, _, name = data["class"].rpartition(".")
    found = {
        "module": f"keras.{module}" if module else None,
        "class_name": name,
        "config": data["config"],
        "registered_name": None if module else name,
    }
    return found | ({"name": data["name"]} if "name" in data else {})


def deserialize_keras_object(config: Any, custom_objects: Any = None, **others: Any) -> Any:
    """Return a new object like that of which `serialize_keras_object` gave data.

    Args:
        config: the data.
        custom_objects: classes and functions that are not of this library, by their names.
        others: `safe_mode` has no effect: data hold no code.
    """
    with custom_object_scope(custom_objects):
        if not isinstance(config, dict) or "class_name" not in config:
            return Reader().read(config)
        module = (config["module"] or "").removeprefix("keras.")
        name = ".".join(filter(None, [module, config["class_name"]]))
        data = {"$": "object", "class": name, "config": config["config"]}
        data |= {"name": config["name"]} if "name" in config else {}
        if "build_config" in config:
            return _described({"made": data, "inputs": config["build_config"]})
        return Reader().read(data)


__getattr__ = missing_from("autograph.tf.keras.saving", globals())
