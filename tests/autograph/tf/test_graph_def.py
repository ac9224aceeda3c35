"""The graph as it was traced, in the words of TensorFlow: what guides look for in it is there."""

from __future__ import annotations

import pytest

from autograph import tf


def nodes(f, *args):
    return tf.function(f).get_concrete_function(*args).graph.as_graph_def().node


def counted(steps):
    total = tf.constant(0)
    for step in steps:
        total += step
    return total


def down(x):
    while x > 0:
        x -= 1
    return x


def until_stopped(x):
    while tf.constant(True):
        if x == 0:
            break
        x -= 1
    return x


def first_three(steps):
    total = 0
    for step in steps:
        if step == 3:
            break
        total += step
    return total


def positive(x):
    if x < 0:
        x = -x
    return x


def dropped(x, training=True):
    if training:
        x = tf.nn.dropout(x, rate=0.5)
    return x


def total_of(dataset):
    total = tf.constant(0, dtype=tf.int64)
    for x in dataset():
        total += x
    return total


def ten():
    return tf.data.Dataset.range(5)


KINDS = {"cond", "while", "ReduceDataset"}


@pytest.mark.parametrize(
    ("f", "args", "found"),
    [
        (dropped, (tf.ones([1]),), set()),
        (positive, (tf.constant(-1),), {"cond"}),
        (positive, (-1,), set()),
        (counted, (range(5),), set()),
        (counted, (tf.range(5),), {"while"}),
        (total_of, (ten,), {"ReduceDataset"}),
        (down, (5,), set()),
        (down, (tf.constant(5),), {"while"}),
        (until_stopped, (5,), {"while"}),
        (first_three, (tf.range(5),), {"while"}),
    ],
)
def test_what_is_staged_is_seen_in_the_graph_a132_a142(f, args, found):
    assert KINDS & {node.name for node in nodes(f, *args)} == found


def test_loops_over_lists_make_graphs_grow_and_those_over_datasets_do_not_a150():
    @tf.function
    def train(pairs):
        loss = tf.constant(0)
        for x, y in pairs:
            loss += tf.abs(y - x)
        return loss

    def size(pairs):
        return len(train.get_concrete_function(pairs).graph.as_graph_def().node)

    def stream(count):
        pairs = [(1, 1)] * count
        return tf.data.Dataset.from_generator(lambda: pairs, (tf.int32, tf.int32))

    assert [size([(1, 1)] * count) for count in (2, 10)] == [8, 32]
    assert [size(stream(count)) for count in (2, 10)] == [5, 5]


def test_nodes_are_named_after_their_ops_and_numbers_after_their_users():
    def f(x, ys):
        z = (x + 1.0) * 2.0 - x / ys["b"]
        return tf.reduce_sum(ys["a"][0] @ ys["a"][1]) + z, x

    matrix = tf.ones([2, 2])
    found = nodes(f, tf.constant(1.0), {"a": [matrix, matrix], "b": tf.constant(1.0)})
    assert [f"{x.op} {x.name} of {', '.join(x.input)}" for x in found if x.input] == [
        "AddV2 add of x, add/y",
        "Mul mul of add, mul/y",
        "RealDiv truediv of x, ys_b",
        "Sub sub of mul, truediv",
        "MatMul MatMul of ys_a_0, ys_a_1",
        "Sum Sum of MatMul",
        "AddV2 add_1 of Sum, sub",
        "Identity Identity of add_1",
        "Identity Identity_1 of x",
    ]


def test_branches_and_loops_are_functions_of_the_library():
    def f(x):
        while x > 1.0:
            if x > 10.0:
                tf.print(x)
            x = x / 2.0
        return x

    graph = tf.function(f).get_concrete_function(tf.constant(1.0)).graph
    library = {x.signature.name: x for x in graph.as_graph_def().library.function}
    assert list(library) == [
        "while_cond_0",
        "while_body_1",
        "while_cond_true_2",
        "while_cond_false_3",
    ]
    body = [(x.name, x.op) for x in library["while_body_1"].node_def]
    assert body[2:] == [
        ("while/cond", "If"),
        ("while/truediv/y", "Const"),
        ("while/truediv", "RealDiv"),
        ("while/Identity", "Identity"),
    ]
    assert [str(x) for x in graph.get_operations()[:2]] == [
        "<tf.Operation 'x' type=Placeholder>",
        "<tf.Operation 'while' type=While>",
    ]


def test_a_graph_prints_as_messages_do():
    def f(x):
        return tf.maximum(0, x)

    graph = tf.function(f).get_concrete_function(tf.TensorSpec([None], tf.int32)).graph
    text = str(graph.as_graph_def())
    assert text.startswith("""\
node {
  name: "x"
  op: "Placeholder"
  attr {
    key: "dtype"
    value {
      type: DT_INT32
    }
  }
  attr {
    key: "shape"
    value {
      shape {
        dim {
          size: -1
        }
      }
    }
  }
}
""")
    assert '  input: "Maximum/x"\n  input: "x"\n' in text
    assert "        int_val: 0\n" in text


def test_floats_print_as_short_as_they_can_be():
    concrete = tf.function(lambda: tf.constant(0.1)).get_concrete_function()
    assert "float_val: 0.1\n" in str(concrete.graph.as_graph_def().node[0])


def test_a_graph_is_a_message_of_bytes():
    def f():
        return tf.constant([1.0]), tf.constant(0.5), tf.constant("é\n")

    graph = tf.function(f).get_concrete_function().graph.as_graph_def()
    data = graph.SerializeToString()
    assert data.startswith(b"\n" + bytes([len(graph.node[0].SerializeToString())]) + b"\n\x05Const")
    assert b"\x2d\x00\x00\x00\x3f" in data  # 0.5 in the field of floats
    assert r'string_val: "\303\251\n"' in str(graph)
