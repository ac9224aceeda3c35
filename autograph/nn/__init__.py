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
from autograph.nn.activation_layers import ELU, LeakyReLU, PReLU, ReLU, Softmax
from autograph.nn.attention import MultiHeadAttention
from autograph.nn.augmentation import (
    RandomBrightness,
    RandomContrast,
    RandomFlip,
    RandomRotation,
    RandomTranslation,
    RandomZoom,
)
from autograph.nn.cells import RNN, StackedRNNCells
from autograph.nn.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Conv3D
from autograph.nn.core import (
    Activation,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Reshape,
    Sequential,
)
from autograph.nn.dense_attention import AdditiveAttention, Attention
from autograph.nn.depthwise import (
    DepthwiseConv1D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
)
from autograph.nn.layer import Layer
from autograph.nn.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
)
from autograph.nn.names import reset_names
from autograph.nn.noise import GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D
from autograph.nn.normalization import BatchNormalization, LayerNormalization
from autograph.nn.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from autograph.nn.recurrent import GRU, LSTM, GRUCell, LSTMCell, SimpleRNN, SimpleRNNCell
from autograph.nn.resizing import (
    Cropping1D,
    Cropping2D,
    Permute,
    RepeatVector,
    UpSampling1D,
    UpSampling2D,
    ZeroPadding1D,
    ZeroPadding2D,
)
from autograph.nn.scaling import Masking, Normalization, Rescaling
from autograph.nn.variables import parameters, variables
from autograph.nn.wrappers import Bidirectional, TimeDistributed

__all__ = [
    "Activation",
    "Add",
    "AdditiveAttention",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Bidirectional",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Cropping1D",
    "Cropping2D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Dot",
    "Dropout",
    "ELU",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "LSTM",
    "LSTMCell",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RNN",
    "RandomBrightness",
    "RandomContrast",
    "RandomFlip",
    "RandomRotation",
    "RandomTranslation",
    "RandomZoom",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "SeparableConv1D",
    "SeparableConv2D",
    "Sequential",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "StackedRNNCells",
    "Subtract",
    "TimeDistributed",
    "UpSampling1D",
    "UpSampling2D",
    "ZeroPadding1D",
    "ZeroPadding2D",
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
