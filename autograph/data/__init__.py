"""Datasets: elements given one by one, to loops of Python and of graphs."""

from autograph.data.dataset import Dataset
from runtime.data.records import RecordWriter
from runtime.lower.tracebacks import export

__all__ = ["Dataset", "RecordWriter"]

export(__name__)
