"""The page on TensorFlow's names is what `autograph.tf` has."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from autograph import tf
from autograph.tf.absent import INSTEAD

keras = tf.keras
PAGE = Path(__file__).parents[2] / "docs" / "tf.md"
HEAD = """\
# TensorFlow's names

`from autograph import tf` has TensorFlow's names, defaults and errors over this library, for
programs that were written for `tf.function`. This page is made of what is there (`pytest tests/docs
--update-golden` writes it anew). An absent name is an `AttributeError` that names the nearest one.

```python
from autograph import tf


@tf.function
def collatz_steps(n):
    steps = tf.constant(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


print(collatz_steps(tf.constant(27)).numpy())
```

```text
111
```

What is as there: Python's floats become `float32`, integers `int32`; results are tensors, which no
operator writes in place, and whose dtypes are not mixed; loops and branches on tensors are part of
the graph, those on Python's values not; functions are strict, so a variable of a loop keeps its
dtype and shape (over datasets, its dtype). Equal seeds give equal numbers. Errors of arguments are
`tf.errors.InvalidArgumentError` and the exception that Python would raise. Tensors, variables,
specs and concrete functions print as there.

What differs:

* `x[0] = 1` writes a tensor, as it writes an array.
* `x.shape` is a tuple, whose sizes are staged where they are not known. `x.numpy()` of a text is
  bytes; all else of it is Unicode, and files, records and examples are bytes in tensors of `uint8`.
  A feature of an example whose bytes are no text is declared as `tf.uint8`.
* A staged value that a function leaves in a global is refused at once, not where it is used later.
  What a function reads outside of itself is read at each call: a changed global traces it anew.
  With another optimiser, too, which has its own variables.
* `f.get_concrete_function(...).graph` prints the optimised graph; its `as_graph_def()` is the graph
  as it was traced, with TensorFlow's names of ops and nodes. It is there to be looked at.
* A text with tensors in it (an f-string, `format`) has their values when the graph runs, wherever
  it is returned, raised or given to `tf.print`. Python's `print` writes while tracing, as there.
* `list.append` in a staged loop works; of what cannot be staged, it is refused.
* A variable that only a loop assigns, and `try`, `with` and `raise` in staged code, work.
* Hash buckets and random numbers differ.
* Axes, permutations and the sizes of `tf.split` are numbers that are known while tracing.
* Strategies of `tf.distribute` have one replica, and refuse several devices. Types of one's own
  (`tf.experimental.ExtensionType`) have methods; there is no dispatch of TensorFlow's functions.
"""


KERAS = """\
## `tf.keras`

Keras' names over `autograph.nn` (`docs/training.md`); it is imported when it is first asked for.

```python
import numpy as np
from autograph import tf

tf.keras.utils.set_random_seed(0)
points = np.random.default_rng(0).normal(size=(200, 2))
labels = (points[:, 0] * points[:, 1] > 0).astype(int)

layers = [tf.keras.layers.Dense(16, activation="tanh"), tf.keras.layers.Dense(2)]
model = tf.keras.Sequential(layers)
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.05),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(points, labels, epochs=20, verbose=0)
print(len(history.history["loss"]), history.history["accuracy"][-1] > 0.9)
print(model.predict(points[:3], verbose=0).shape)
```

```text
20 True
(3, 2)
```

A step of `fit` is one staged function, traced once for each shape of a batch (a shorter last batch
is another one) and run on arrays, datasets or generators. Steps over arrays are rounds of a loop,
many in a call, unless a callback is called at batches. Losses, metrics and their means are
Keras', computed in the graph. Ctrl-C stops after the step that runs, with a `KeyboardInterrupt`.

What differs:

* `model.save("net.keras")` writes a file of this library's own, in which there is no code: what
  the model is made of, as data, and its variables. `load_model` makes it anew by its classes; those
  of one's own are given by name, `custom_objects={"Mine": Mine}`. A `lambda` cannot be saved.
* `model.save_weights("net.weights.h5")` writes a file that Keras 3 loads, and `load_weights` reads
  Keras' own, where h5py is installed (`pip install 'autograph-runtime[hdf5]'`); what an optimiser
  keeps is not in it.
* Graphs are always compiled, and as many steps made in a call as pay, so that `jit_compile` and
  `steps_per_execution` have no effect.
* On symbolic inputs there are layers, operators and `tf.keras.ops`; other functions go into a
  `Lambda` layer.
* `callbacks.TensorBoard` and `tf.summary` write numbers, distributions, texts and images, but no
  graphs.
* Where a line cannot be written anew (in a file or a pipe), an epoch is one line.
"""


def first_line(value: object) -> str:
    text = (value.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.split()).replace("|", "\\\\|")


def table(names: dict[str, object], place: str) -> str:
    rows = [
        f"| `{place}.{name}` | {first_line(names[name])} |" for name in sorted(names, key=str.lower)
    ]
    return "\n".join(["| name | |", "|---|---|", *rows]) + "\n"


def public(module: ModuleType) -> dict[str, object]:
    return {name: getattr(module, name) for name in module.__all__}


def page() -> str:
    own = {
        name: value
        for name, value in public(tf).items()
        if name not in tf.DTYPES and name not in tf.MODULES and value is not None
    }
    dtypes = ", ".join(f"`tf.{name}`" for name in tf.DTYPES)
    parts = [f"{HEAD}\n## `tf`\n\nDtypes: {dtypes}.\n\n{table(own, 'tf')}"]
    for name, module in tf.MODULES.items():
        parts.append(f"## `tf.{name}`\n\n{table(public(module), f'tf.{name}')}")
    own = {name: value for name, value in public(keras).items() if name not in keras.MODULES}
    parts.append(f"{KERAS}\n{table(own, 'tf.keras')}")
    for name, module in keras.MODULES.items():
        parts.append(f"### `tf.keras.{name}`\n\n{table(public(module), f'tf.keras.{name}')}")
    parts.append(f"## `tf.summary`\n\n{table(public(tf.summary), 'tf.summary')}")
    rows = {f"tf.{name}": reason for name, reason in INSTEAD.items()}
    rows.update({f"tf.summary.{name}": why for name, why in tf.summary.INSTEAD.items()})
    rows.update({f"tf.keras.{name}": reason for name, reason in keras.INSTEAD.items()})
    absent = "\n".join(f"| `{name}` | {reason} |" for name, reason in sorted(rows.items()))
    parts.append(f"## Not there\n\n| name | |\n|---|---|\n{absent}\n")
    return "\n".join(parts)


def test_the_page_is_made_of_the_names(update_golden: bool) -> None:
    if update_golden:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_example_prints_what_it_says() -> None:
    @tf.function
    def collatz_steps(n):
        steps = tf.constant(0)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    assert collatz_steps(tf.constant(27)).numpy() == 111
    assert "\n111\n" in HEAD


def test_the_model_is_trained(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = (part.split("```")[0] for part in re.split("```[a-z]+\n", KERAS)[1:])
    exec(compile(code, "tf.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_every_name_says_what_it_is() -> None:
    for module in (tf, *tf.MODULES.values(), keras, *keras.MODULES.values(), tf.summary):
        for name, value in public(module).items():
            assert name in tf.DTYPES or value is None or first_line(value), name


def test_nothing_that_is_absent_is_there() -> None:
    for name in INSTEAD:
        assert name not in vars(tf)
