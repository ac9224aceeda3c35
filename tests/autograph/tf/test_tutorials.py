"""Programs of TensorFlow's tutorials, cell by cell: each prints what is printed there."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
from itertools import count
from typing import Any

import pytest

from autograph import tf

FUNCTIONS = """
@tf.function
def add(a, b):
  return a + b

add(tf.ones([2, 2]), tf.ones([2, 2]))
-> <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
-> array([[2., 2.],
->        [2., 2.]], dtype=float32)>
#
v = tf.Variable(1.0)
with tf.GradientTape() as tape:
  result = add(v, 1.0)
tape.gradient(result, v)
-> <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
#
@tf.function
def dense(x, w, b):
  return add(tf.matmul(x, w), b)

dense(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2]))
-> <tf.Tensor: shape=(3, 2), dtype=float32, numpy=
-> array([[3., 3.],
->        [3., 3.],
->        [3., 3.]], dtype=float32)>
#
@tf.function
def double(a):
  print("Tracing with", a)
  return a + a

print(double(tf.constant(1)))
print(double(tf.constant(1.1)))
print(double(tf.constant("a")))
print(double(tf.constant("b")))
-> Tracing with Tensor("a:0", shape=(), dtype=int32)
-> tf.Tensor(2, shape=(), dtype=int32)
-> Tracing with Tensor("a:0", shape=(), dtype=float32)
-> tf.Tensor(2.2, shape=(), dtype=float32)
-> Tracing with Tensor("a:0", shape=(), dtype=string)
-> tf.Tensor(b'aa', shape=(), dtype=string)
-> tf.Tensor(b'bb', shape=(), dtype=string)
#
strings = double.get_concrete_function(tf.TensorSpec(shape=None, dtype=tf.string))
print(strings(tf.constant("a")))
print(strings(a=tf.constant("b")))
-> Tracing with Tensor("a:0", dtype=string)
-> tf.Tensor(b'aa', shape=(), dtype=string)
-> tf.Tensor(b'bb', shape=(), dtype=string)
#
for node in strings.graph.as_graph_def().node:
  print(f"{node.input} -> {node.name}")
print(strings.inference_fn(tf.constant("c")))
-> [] -> a
-> ['a', 'a'] -> add
-> ['add'] -> Identity
-> tf.Tensor(b'cc', shape=(), dtype=string)
#
@tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
def next_collatz(x):
  print("Tracing with", x)
  return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

print(next_collatz(tf.constant([1, 2])))
-> Tracing with Tensor("x:0", shape=(None,), dtype=int32)
-> tf.Tensor([4 1], shape=(2,), dtype=int32)
#
@tf.function
def train(num_steps):
  print("Tracing with num_steps = {}".format(num_steps))
  for _ in tf.range(num_steps):
    pass

train(num_steps=10)
train(num_steps=20)
train(num_steps=tf.constant(10))
train(num_steps=tf.constant(20))
-> Tracing with num_steps = 10
-> Tracing with num_steps = 20
-> Tracing with num_steps = Tensor("num_steps:0", shape=(), dtype=int32)
#
@tf.function
def f(x):
  print("Traced with", x)
  tf.print("Executed with", x)

f(1)
f(1)
f(2)
-> Traced with 1
-> Executed with 1
-> Executed with 1
-> Traced with 2
-> Executed with 2
"""

STATE = """
a = tf.Variable(1.0)
b = tf.Variable(2.0)

@tf.function
def f(x, y):
  a.assign(y * b)
  b.assign_add(x * a)
  return a + b

f(1.0, 2.0)
-> <tf.Tensor: shape=(), dtype=float32, numpy=10.0>
#
state = []

@tf.function
def fn(x):
  if not state:
    state.append(tf.Variable(2.0 * x))
    state.append(tf.Variable(state[0] * 3.0))
  return state[0] * x * state[1]

print(fn(tf.constant(1.0)))
print(fn(tf.constant(3.0)))
-> tf.Tensor(12.0, shape=(), dtype=float32)
-> tf.Tensor(36.0, shape=(), dtype=float32)
#
external = tf.Variable(0)

@tf.function
def consume_next(iterator):
  external.assign_add(next(iterator))
  tf.print("Value of external:", external)

iterator = iter([0, 1, 2, 3])
consume_next(iterator)
consume_next(iterator)
-> Value of external: 0
-> Value of external: 0
#
v = tf.Variable(5)

@tf.function
def find_next_odd():
  v.assign(v + 1)
  if v % 2 == 0:
    v.assign(v + 1)

find_next_odd()
v
-> <tf.Variable 'Variable:0' shape=() dtype=int32, numpy=7>
#
@tf.function
def sum_even(items):
  s = 0
  for c in items:
    if c % 2 > 0:
      continue
    s += c
  return s

sum_even(tf.constant([10, 12, 15, 20]))
-> <tf.Tensor: shape=(), dtype=int32, numpy=42>
#
@tf.function
def fizzbuzz(n):
  for i in tf.range(n):
    if i % 3 == 0:
      tf.print('Fizz')
    elif i % 5 == 0:
      tf.print('Buzz')
    else:
      tf.print(i)

fizzbuzz(tf.constant(6))
-> Fizz
-> 1
-> 2
-> Fizz
-> 4
-> Buzz
"""

GRAPHS = """
@tf.function
def my_relu(x):
  return tf.maximum(0., x)

print(my_relu(tf.constant(5.5)))
print(my_relu([1, -1]))
print(my_relu(tf.constant([3., -3.])))
print(my_relu(tf.constant(-2.5)))
print(my_relu.pretty_printed_concrete_signatures())
-> tf.Tensor(5.5, shape=(), dtype=float32)
-> tf.Tensor([1. 0.], shape=(2,), dtype=float32)
-> tf.Tensor([3. 0.], shape=(2,), dtype=float32)
-> tf.Tensor(0.0, shape=(), dtype=float32)
-> my_relu(x)
->   Args:
->     x: float32 Tensor, shape=()
->   Returns:
->     float32 Tensor, shape=()
->
-> my_relu(x=[1, -1])
->   Returns:
->     float32 Tensor, shape=(2,)
->
-> my_relu(x)
->   Args:
->     x: float32 Tensor, shape=(2,)
->   Returns:
->     float32 Tensor, shape=(2,)
#
@tf.function
def effect(x):
  print("Tracing!")
  return x * x + tf.constant(2)

print(effect(tf.constant(2)))
print(effect(tf.constant(3)))
print(effect(2))
print(effect(3))
-> Tracing!
-> tf.Tensor(6, shape=(), dtype=int32)
-> tf.Tensor(11, shape=(), dtype=int32)
-> Tracing!
-> tf.Tensor(6, shape=(), dtype=int32)
-> Tracing!
-> tf.Tensor(11, shape=(), dtype=int32)
#
def unused(x):
  tf.gather(x, [1])
  return x

try:
  unused(tf.constant([0.0]))
except tf.errors.InvalidArgumentError as e:
  print(type(e).__name__)
print(tf.function(unused)(tf.constant([0.0])))
-> InvalidArgumentError
-> tf.Tensor([0.], shape=(1,), dtype=float32)
#
@tf.function
def mse(y_true, y_pred):
  print("Calculating MSE!")
  return tf.reduce_mean(tf.pow(y_true - y_pred, 2))

y = tf.constant([1, 2, 3])
error = mse(y, y + 2)
error = mse(y, y + 2)
tf.config.run_functions_eagerly(True)
error = mse(y, y + 2)
error = mse(y, y + 2)
tf.config.run_functions_eagerly(False)
error
-> Calculating MSE!
-> Calculating MSE!
-> Calculating MSE!
-> <tf.Tensor: shape=(), dtype=int32, numpy=4>
"""

_NUMBERS = count()


def run(code: str, names: dict[str, Any]) -> str:
    """Run a cell as a notebook does, which shows what its last expression is."""
    file = f"<cell {next(_NUMBERS)}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    tree = ast.parse(code, file)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        exec(compile(tree, file, "exec"), names)
        if last is not None:
            assert isinstance(last, ast.Expr)
            found = eval(compile(ast.Expression(last.value), file, "eval"), names)
            if found is not None:
                print(repr(found))
    return out.getvalue()


@pytest.mark.parametrize(
    "notebook", [FUNCTIONS, STATE, GRAPHS], ids=["functions", "state", "graphs"]
)
def test_cells_print_what_they_print_there(notebook: str) -> None:
    names: dict[str, Any] = {"tf": tf}
    for cell in notebook.split("\n#\n"):
        lines = cell.strip("\n").split("\n")
        printed = [x[3:] for x in lines if x.startswith("->")]
        code = "\n".join(x for x in lines if not x.startswith("->"))
        assert run(code, names).splitlines() == printed, code
