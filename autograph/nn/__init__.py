"""Layers, losses and optimisers: plain Python programs over variables and NumPy's functions.

A model is any object with layers in its attributes. What is trained is a structure, `parameters`
of the model; a training loop is a loop, which may be a staged function as a whole.
"""

from autograph.nn import (
    activations,
    constraints,
    initializers,
    losses,
    metrics,
    optimizers,
    regularizers,
)
from autograph.nn.attention import MultiHeadAttention
from autograph.nn.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from autograph.nn.core import (
    Activation,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Reshape,
    Sequential,
)
from autograph.nn.layer import Layer
from autograph.nn.names import reset_names
from autograph.nn.normalization import BatchNormalization, LayerNormalization
from autograph.nn.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling1D,
    MaxPooling2D,
)
from autograph.nn.recurrent import GRU, LSTM, GRUCell, LSTMCell, SimpleRNN, SimpleRNNCell
from autograph.nn.variables import parameters, variables

__all__ = [
    "Activation",
    "AveragePooling1D",
    "AveragePooling2D",
    "BatchNormalization",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "LSTM",
    "LSTMCell",
    "Layer",
    "LayerNormalization",
    "MaxPooling1D",
    "MaxPooling2D",
    "MultiHeadAttention",
    "Reshape",
    "Sequential",
    "SimpleRNN",
    "SimpleRNNCell",
    "activations",
    "constraints",
    "initializers",
    "losses",
    "metrics",
    "optimizers",
    "parameters",
    "regularizers",
    "reset_names",
    "variables",
]
