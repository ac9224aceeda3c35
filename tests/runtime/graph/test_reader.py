from __future__ import annotations

import random

import numpy as np
import pytest

from runtime.errors import GraphFormatError
from runtime.graph.builder import Builder
from runtime.graph.printer import print_graph
from runtime.graph.reader import read_graph
from runtime.graph.verify import verify
from runtime.spec import TensorSpec
from tests.runtime.graph.hand_made import EXAMPLES, emit
from tests.runtime.graph.random_graphs import SEEDS, arguments_for, random_graph, run
from tests.runtime.graph.test_printer import nested_branches

ADD = "graph(%x: f64[3]) {\n  %0: f64[3] = add(%x, %x)\n  return %0\n}"


def same_results(a, b) -> bool:
    """Tell whether two tuples of results are equal to the last bit."""
    return all(
        type(x) is type(y) and np.asarray(x).tobytes() == np.asarray(y).tobytes()
        for x, y in zip(a, b, strict=True)
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_hand_made_graph_is_read_back(name):
    make, arguments = EXAMPLES[name]
    text = print_graph(make(), elide=False)
    again = read_graph(text)
    assert print_graph(again, elide=False) == text
    assert same_results(run(again, arguments), run(make(), arguments))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_graph_is_read_back_and_means_the_same(seed):
    graph = random_graph(seed, nodes=20, depth=3)
    text = print_graph(graph, elide=False)
    again = read_graph(text)
    verify(again)
    assert print_graph(again, elide=False) == text
    arguments = arguments_for(graph, seed)
    assert same_results(run(again, arguments), run(graph, arguments))


def test_a_large_constant_is_read_back_to_the_last_bit():
    builder = Builder()
    array = np.random.default_rng(0).standard_normal((40, 5)).astype("float32")
    graph = builder.seal([], [emit(builder, "constant", value=array)])
    (found,) = run(read_graph(print_graph(graph, elide=False)), ())
    assert found.tobytes() == array.tobytes()
    assert found.shape == (40, 5)


def test_parameters_keep_their_names_and_numbered_ones_have_none():
    graph = read_graph("graph(%x: f64[n, ?], %3: int) { return %x, %3 }")
    assert [value.name for value in graph.params] == ["x", None]
    assert graph.params[0].spec == TensorSpec(["n", None])


def test_line_ends_mean_nothing():
    assert print_graph(read_graph(" ".join(ADD.split()))) == ADD


def test_attributes_that_are_left_out_have_their_defaults():
    make, _ = EXAMPLES["running_sum"]
    graph = read_graph(print_graph(make()).replace(", length=3", ""))
    assert graph.nodes[-1].attrs["length"] is None


def test_regions_are_read_at_any_depth():
    text = print_graph(nested_branches(1500), elide=False)
    assert print_graph(read_graph(text), elide=False) == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("graph", "grap", "line 1: expected 'graph', found 'grap'"),
        ("(%x", "%x", "line 1: expected '(', found '%x'"),
        ("%x: ", "x: ", "line 1: expected a value, such as %x, found 'x'"),
        ("%x:", "%x", "line 1: expected ':', found 'f64'"),
        ("%x: f64[3])", "%x: f64[3]", "line 1: expected ',' or ')', found '{'"),
        ("%x: f64[3]", "%x: q64[3]", "line 1: expected a spec, such as f32[3, n] or float, "),
        ("%x: f64[3]", "%x: f64", "line 1: expected '[' and the sizes of f64, found ')'"),
        ("%x: f64[3]", "%x: int[3]", "line 1: expected a dtype, found 'int'"),
        ("%x: f64[3]", "%x: f64[3 3]", "line 1: expected ',' or ']', found '3'"),
        ("%x: f64[3]", "%x: f64[-3]", "line 1: expected a size, found '-3'"),
        ("%x: f64[3]", "%x: f64[..., 3]", "line 1: expected ']', found ','"),
        ("%0: f64[3] =", "%0: f64[3]", "line 2: expected ',' or '=', found 'add'"),
        ("add(", "while_lop(", "line 2: there is no op 'while_lop'; did you mean while_loop?"),
        ("add(", "zzzzzz(", "line 2: there is no op 'zzzzzz'\n"),
        ("= add", "= 3", "line 2: expected the name of an op, found '3'"),
        ("(%x, %x)", "(%x, %y)", "line 2: %y is defined nowhere before it is used"),
        ("(%x, %x)", "(%x, %0)", "line 2: %0 is defined nowhere before it is used"),
        ("(%x, %x)", "(%x)", "line 2: add takes 2 operands, and there are 1"),
        ("(%x, %x)", "(%x, 3)", "line 2: expected a value or an attribute, found '3'"),
        ("(%x, %x)", "(%x, %x, axis=0)", "line 2: add() has no argument 'axis'"),
        ("%0: f64[3] =", "%x: f64[3] =", "line 2: %x is defined twice"),
        ("%0: f64[3] =", "%0: f64[4] =", "line 2: result 0 is f64[3] by the rule of add, not "),
        ("%0: f64[3] = ", "", "line 2: add gives 1 results, and there are 0"),
        ("return %0", "return %7", "line 3: %7 is defined nowhere before it is used"),
        ("return %0", "", "line 4: expected a node or 'return', found '}'"),
        ("return %0", "return %0 %0", "line 3: expected ',' or '}', found '%0'"),
        ("return %0", "return %0,", "line 4: expected a value, such as %x, found '}'"),
        ("\n}", "", "line 3: expected ',' or '}', found the end of the text"),
        ("\n}", "\n} }", "line 4: expected the end of the text, found '}'"),
        ("add(", "add$(", "line 2: expected a value, a name, a number, a string or "),
        ("(%x, %x)", "(%x, %x) { () return }", "line 2: the rule of add refuses it"),
    ],
    ids=str,
)  # fmt: skip
def test_a_malformed_text_is_refused_with_the_line_and_what_was_expected(old, new, message):
    assert old in ADD
    with pytest.raises(GraphFormatError) as caught:
        read_graph(ADD.replace(old, new, 1))
    assert str(caught.value).startswith(message)


def test_the_message_shows_the_line():
    with pytest.raises(GraphFormatError) as caught:
        read_graph(ADD.replace("add", "ad"))
    assert str(caught.value).endswith("\n    %0: f64[3] = ad(%x, %x)")


def test_a_value_from_outside_of_a_region_is_refused():
    text = print_graph(EXAMPLES["branch"][0]()).replace("add(%x_1, %x_1)", "add(%x, %x_1)")
    with pytest.raises(GraphFormatError, match="line 4: %x is defined outside of this region"):
        read_graph(text)


def test_a_value_of_another_region_is_refused():
    text = print_graph(EXAMPLES["branch"][0]()).replace("return %x_2", "return %x_1")
    with pytest.raises(GraphFormatError, match="line 8: %x_1 is defined nowhere before it is used"):
        read_graph(text)


def test_values_stand_before_attributes():
    text = print_graph(EXAMPLES["loop"][0]()).replace("(%n, %x, carry=2)", "(%n, carry=2, %x)")
    with pytest.raises(GraphFormatError, match="values stand before attributes"):
        read_graph(text)


def test_an_attribute_is_given_once():
    text = print_graph(EXAMPLES["loop"][0]()).replace("carry=2", "carry=2, carry=2")
    with pytest.raises(GraphFormatError, match="an attribute is given twice"):
        read_graph(text)


def test_a_text_for_people_is_refused_with_the_way_out():
    builder = Builder()
    graph = builder.seal([], [emit(builder, "constant", value=np.zeros(100))])
    with pytest.raises(GraphFormatError, match=r"left out for people; print_graph.*elide=False"):
        read_graph(print_graph(graph))


def test_nothing_in_the_text_is_executed():
    text = "graph() {\n %0: int = constant(value=print('hello'))\n return %0\n}"
    with pytest.raises(GraphFormatError, match="line 2: expected a number, a string, None"):
        read_graph(text)


def damaged(text: str, rng: random.Random) -> str:
    """Return a text with some words dropped, doubled, cut or replaced."""
    words = text.split(" ")
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(words))
        word = words[place]
        cut = word[: rng.randrange(len(word) + 1)]
        words[place] = rng.choice(("", f"{word} {word}", cut, rng.choice(OTHER_WORDS)))
    return " ".join(words)


def refusal(text: str) -> str | None:
    """Return the message with which a text is refused, or None."""
    try:
        verify(read_graph(text))
    except GraphFormatError as error:
        return str(error)
    return None


OTHER_WORDS = [*"{}()[],:=?é", "...", "%x0", "f64", "i64", "int", "3", "-1", "nan", "'a'", "\x00"]
OTHER_WORDS += ["None", "return", "graph", "add", "cond"]


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_text_is_either_a_valid_graph_or_refused_with_a_line(seed):
    rng = random.Random(seed)
    text = print_graph(random_graph(seed, nodes=6), elide=False)
    messages = [refusal(damaged(text, rng)) for _ in range(10)]
    assert any(messages)
    assert all(message is None or message.startswith("line ") for message in messages)
