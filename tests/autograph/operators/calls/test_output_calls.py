"""Logs, warnings and the standard streams in staged code: written by the graph, as Python does."""

from __future__ import annotations

import logging
import sys
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.errors import StagedValueError

LOG = logging.getLogger("tests.output")


def logs(x):
    logging.getLogger("tests").info("x is %s, %5.1f %%", x, x[0])
    LOG.warning(f"sum {x.sum()}")
    LOG.log(logging.ERROR, x[1])
    if x[0] > 1:
        LOG.critical("large: %d", x[0])
    else:
        logging.getLogger("tests").debug("small, but %s", "known")
    for _ in x:
        LOG.error("round")
    return x


def records(function, x, caplog):
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        function(x)
    return [
        (r.name, r.levelname, r.getMessage(), r.funcName, r.pathname, r.lineno)
        for r in caplog.records
    ]


def test_logs_are_those_of_each_call_and_name_the_line_of_the_user(caplog):
    staged = ag.function(logs)
    for x in ([2.0, 3.0], [0.5, 1.0], [7.0, 0.0]):
        array = np.array(x)
        assert records(staged, array, caplog) == records(logs, array, caplog)
    caplog.clear()
    with caplog.at_level(logging.CRITICAL):
        staged(np.array([9.0, 1.0]))
    assert [r.getMessage() for r in caplog.records] == ["large: 9"]


def streams(x):
    sys.stdout.write(f"sum {x.sum()}\n")
    for v in x:
        if v > 1:
            sys.stderr.write("large\n")
    return x


def test_the_standard_streams_are_written_by_the_graph(capsys):
    staged = ag.function(streams)
    for x in ([2.0, 3.0], [0.5, 1.0], [7.0, 0.0]):
        streams(np.array(x))
        expected = capsys.readouterr()
        staged(np.array(x))
        assert capsys.readouterr() == expected


def warned(x):
    if x[0] > 1:
        warnings.warn(f"{x[0]} is large", RuntimeWarning, stacklevel=1)
    return x


def test_a_warning_with_a_staged_text_is_given_when_the_graph_runs():
    staged = ag.function(warned)
    for x in ([2.0, 3.0], [0.5, 1.0], [7.0, 0.0]):
        found = []
        for function in (warned, staged):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                function(np.array(x))
            found.append([(str(w.message), w.category, w.filename, w.lineno) for w in caught])
        assert found[0] == found[1]


def test_a_log_of_the_exception_that_is_handled_says_what_to_write():
    @ag.function
    def f(x):
        try:
            if x[0] > 1:
                raise ValueError("large")
        except ValueError:
            LOG.exception("found")
        return x

    with pytest.raises(StagedValueError, match=r"exception\(\) logs the exception.*str\(error\)"):
        f(np.array([2.0]))
