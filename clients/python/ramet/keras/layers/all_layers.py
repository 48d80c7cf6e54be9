"""All layers of tf.keras.layers, so that configurations may name any of them."""

from ramet.keras.engine import input_layer, operation_layer  # noqa: F401
from ramet.keras.layers import (  # noqa: F401
    advanced_activations,
    attention,
    convolutional,
    core,
    embeddings,
    merge,
    noise,
    normalization,
    pooling,
    recurrent,
    recurrent_cells,
    reshaping,
    separable,
    transposed,
    wrappers,
)
