"""Layers and blocks of Inception networks, which tables of branches describe.

A branch is a list of steps, each of which is a tuple (name of the scope, channels, kernel size, options), or a pooling
step ('MaxPool_0a_3x3', None, [3, 3], options).
"""

from ramet import gen
from ramet.contrib.framework.arg_scope import arg_scope
from ramet.contrib.layers import (
    batch_norm,
    convolutional,
    fully_connected,
    initializers,
    pooling,
    regularizers,
)
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.variables import variable_scope


class Builder:
    """Adds layers to a network and keeps them by their names.

    Args:
      net: the images.
      final_endpoint: the name of the last layer to add.
      depth: a function from a number of channels to the number that is used.
    """

    def __init__(self, net, final_endpoint, depth=lambda channels: channels):
        self.net, self.end_points, self.depth = net, {}, depth
        self._final = final_endpoint

    def done(self):
        """Reports whether the final layer has been added."""
        return self._final in self.end_points

    def _keep(self, name, net):
        self.net = self.end_points[name] = net

    def add(self, steps):
        """Adds steps, up to the final one."""
        for step in steps:
            if not self.done():
                self._keep(step[0], self._step(self.net, step))

    def mix(self, name, branches):
        """Adds a block: its branches side by side, joined along the channels."""
        if self.done():
            return
        with variable_scope.variable_scope(name):
            outputs = []
            for i, branch in enumerate(branches):
                with variable_scope.variable_scope(f'Branch_{i}'):
                    net = self.net
                    for step in branch:
                        net = self._step(net, step)
                    outputs.append(net)
            self._keep(name, array_ops.concat(outputs, 3))

    def _step(self, net, step):
        if isinstance(step, list):  # Steps side by side.
            return array_ops.concat([self._step(net, s) for s in step], 3)
        name, channels, kernel, *options = step
        options = options[0] if options else {}
        if name.startswith('MaxPool'):
            return pooling.max_pool2d(net, kernel, scope=name, **options)
        if name.startswith('AvgPool'):
            return pooling.avg_pool2d(net, kernel, scope=name, **options)
        return convolutional.convolution2d(net, self.depth(channels), kernel, scope=name, **options)

    def result(self):
        """Returns the final layer, and all layers by their names.

        Raises:
          ValueError: if there is no layer with the name.
        """
        if not self.done():
            raise ValueError(f'Unknown final endpoint {self._final}')
        return self.net, self.end_points


def depth_function(min_depth, depth_multiplier):
    """Returns the function from a number of channels to the number that is used.

    Raises:
      ValueError: if the multiplier is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError('depth_multiplier is not greater than zero.')
    return lambda channels: max(int(channels * depth_multiplier), min_depth)


def kernel_for(net, kernel_size):
    """Returns the kernel size of a pooling layer, which is smaller for small inputs."""
    height, width = net.get_shape().as_list()[1:3]
    if height is None or width is None:
        return kernel_size
    return [min(height, kernel_size[0]), min(width, kernel_size[1])]


def logits_of(net, num_classes, layer, spatial_squeeze):
    """Adds the last convolution, whose output has the logits."""
    logits = convolutional.convolution2d(net, num_classes, [1, 1], activation_fn=None,
                                      normalizer_fn=None, scope=layer)
    return array_ops.squeeze(logits, [1, 2], name='SpatialSqueeze') if spatial_squeeze else logits


def predicted(logits, end_points, prediction_fn):
    """Adds the predictions. Returns the logits and all layers."""
    end_points['Logits'] = logits
    end_points['Predictions'] = prediction_fn(logits, scope='Predictions')
    return logits, end_points


def batch_norm_arg_scope(weight_decay, collection, decay=0.9997, epsilon=0.001,
                         updates_collections=ops.GraphKeys.UPDATE_OPS, use_batch_norm=True,
                         fused=None):
    """Returns the argument scope of the networks."""
    params = {'decay': decay, 'epsilon': epsilon, 'updates_collections': updates_collections,
              'fused': fused,
              'variables_collections': {'beta': None, 'gamma': None, 'moving_mean': [collection],
                                        'moving_variance': [collection]}}
    normalizer = (batch_norm.batch_norm, params) if use_batch_norm else (None, {})
    with arg_scope([convolutional.convolution2d, fully_connected.fully_connected],
                   weights_regularizer=regularizers.l2_regularizer(weight_decay)):
        with arg_scope([convolutional.convolution2d],
                       weights_initializer=initializers.variance_scaling_initializer(),
                       activation_fn=gen.Relu, normalizer_fn=normalizer[0],
                       normalizer_params=normalizer[1]) as scope:
            return scope
