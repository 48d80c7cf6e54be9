"""tf.contrib.slim.nets: networks that classify images, with the variables of published checkpoints."""

