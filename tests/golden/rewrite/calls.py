import numpy as np


def model(x, *layers, scale=1.0, **options):
    y = np.tanh(np.asarray(x) @ layers[0])
    for layer in layers[1:]:
        y = layer(y, *options.get("more", ()), scale=scale, **options)
    return np.linalg.norm(y)
