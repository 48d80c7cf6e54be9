"""A compiled model: its total loss, its metrics, and the functions that run a batch."""

from ramet.framework import ops
from ramet.keras.backend import state, values
from ramet.keras.engine import training_outputs as outputs_lib
from ramet.keras.engine.base_layer import NamedValue
from ramet.keras.losses import squeeze_or_expand
from ramet.keras.metrics import metric as metric_lib
from ramet.ops.math import math_ops


class CompiledModel:
    """The arguments of compile, and what is built from them when the inputs of the model are known.

    Attributes:
      outputs: a list of Outputs.
      total_loss: the sum of all losses, a scalar Tensor.
      metrics: pairs (name, Metric) in the order in which they are reported.
    """

    def __init__(self, model, optimizer, arguments):
        self._model = model
        self.optimizer = optimizer
        self.arguments = arguments
        self.outputs = None
        self.total_loss = None
        self.metrics = []
        self._results = []
        self._functions = {}
        self._trainable = None
        self._of_outputs, self._given = [], []

    # Building.

    def build(self):
        """Builds the losses and metrics at the first call."""
        if self.outputs is not None:
            return
        names = self._model.output_names
        losses = outputs_lib.losses_of(self.arguments['loss'], names)
        factors = outputs_lib.loss_weights_of(self.arguments['loss_weights'], names)
        modes = _per_output(self.arguments['sample_weight_mode'], names)
        targets = _per_output(self.arguments['target_tensors'], names)
        with self._model.inputs[0].graph.as_default():
            self.outputs = [outputs_lib.Output(*row) for row in zip(
                self._model.outputs, names, losses, factors, modes, targets)]
            for output in self.outputs:
                if output.mode is not None:
                    output.add_weights()
            self._trainable = list(self._model.trainable_weights)
            self._build_losses()

    def use_weights(self, used):
        """Makes outputs take weights of samples. `used` has one bool per output."""
        missing = [output for output, use in zip(self.outputs, used) if use and output.weights is None]
        if missing:
            for output in missing:
                output.add_weights()
            self._build_losses()

    def _build_losses(self):
        self._functions.clear()
        with ops.name_scope('metrics'):
            self._build_metrics()
        with ops.name_scope('loss'):
            total = None
            for output in self.outputs:
                if output.loss is None:
                    continue
                value = output.loss_value()
                if len(self.outputs) > 1:
                    self._report(output.loss_metric, value)
                scaled = output.loss_weight * value
                total = scaled if total is None else total + scaled
            for loss in self._model.losses:
                scalar = math_ops.reduce_mean(loss) if loss.shape.ndims else loss
                total = scalar if total is None else total + math_ops.cast(scalar, total.dtype)
            if total is None:
                raise ValueError('The model cannot be compiled because it has no loss to optimize.')
            self.total_loss = total

    def _report(self, metric, *arguments, **weights):
        result = metric(*arguments, **weights)
        self._results[[m for _, m in self.metrics].index(metric)] = result

    def _build_metrics(self):
        """Creates the metrics at the first call, and their updates."""
        if not self.metrics:
            self._create_metrics()
        self._results = [None] * len(self.metrics)
        for metric in {id(m): m for _, m in self.metrics}.values():
            metric._updates = [] if metric not in self._given else metric._updates
        for _, metric, output, weighted in self._of_outputs:
            self._report(metric, output.target, output.tensor, sample_weight=_metric_weights(output, weighted))
        for metric in self._given:
            self._report_given(metric)

    def _report_given(self, metric):
        for i, (_, known) in enumerate(self.metrics):
            if known is metric:
                self._results[i] = metric._call_result

    def _create_metrics(self):
        names = self._model.output_names
        if len(self.outputs) > 1:
            for output in self.outputs:
                if output.loss is not None:
                    output.loss_metric = metric_lib.Mean(name=f'{output.name}_loss')
                    self.metrics.append((f'{output.name}_loss', output.loss_metric))
        plain = outputs_lib.metrics_of(self.arguments['metrics'], names)
        weighted = outputs_lib.metrics_of(self.arguments['weighted_metrics'], names, 'weighted_metrics')
        self._of_outputs = []
        for output, own, own_weighted in zip(self.outputs, plain, weighted):
            for given, with_weights in [*((m, False) for m in own), *((m, True) for m in own_weighted)]:
                if output.loss is None and output.target is None:
                    continue
                name, metric = outputs_lib.named_metric(given, output, with_weights)
                name = self._unique_name(name, output)
                self.metrics.append((name, metric))
                self._of_outputs.append((name, metric, output, with_weights))
        self._given = self._model_metrics()
        self.metrics.extend((metric.name, metric) for metric in self._given)

    def _unique_name(self, name, output):
        if len(self.outputs) > 1:
            name = f'{output.name}_{name}'
        known, made, number = {n for n, _ in self.metrics}, name, 1
        while made in known:
            made, number = f'{name}_{number}', number + 1
        return made

    def _model_metrics(self):
        """Returns the metrics that layers added with add_metric, each with a call."""
        found = []
        for layer in [self._model, *self._model._own_layers()]:
            for i, item in enumerate(layer._metrics):
                if isinstance(item, NamedValue):
                    layer._metrics[i] = metric_lib.Mean(name=item.name)
                    layer._metrics[i](item.value)
                if layer._metrics[i] not in found:
                    found.append(layer._metrics[i])
        return found

    @property
    def metrics_names(self):
        """The names of the values that train_on_batch returns: 'loss', then those of the metrics."""
        return ['loss', *(name for name, _ in self.metrics)]

    def reset_metrics(self):
        """Sets the metrics to their initial state."""
        for _, metric in self.metrics:
            metric.reset_states()

    # Functions.

    def _placeholders(self):
        targets = [o.target for o in self.outputs if o.feeds_target]
        return [*self._model._feed_inputs(), *targets, *(o.weights for o in self.outputs if o.weights is not None)]

    def _with_phase(self, inputs):
        phase = state.learning_phase()
        return [*inputs, phase] if isinstance(phase, ops.Tensor) else inputs

    def function(self, mode):
        """Returns the function of a mode, 'train', 'test' or 'predict'.

        It takes the arrays of inputs, targets and weights, and whether the phase is training if a layer needs it.
        """
        if mode not in self._functions:
            with self._model.inputs[0].graph.as_default():
                self._functions[mode] = getattr(self, f'_{mode}_function')()
        return self._functions[mode]

    def _metric_updates(self):
        return [update for _, metric in self.metrics for update in metric.updates]

    def _train_function(self):
        inputs = self._with_phase(self._placeholders())
        with ops.name_scope('training'):
            updates = self.optimizer.get_updates(loss=self.total_loss, params=self._trainable) \
                if self._trainable else []
            updates = [*updates, *self._model.updates, *self._metric_updates()]
            return values.Function(inputs, [self.total_loss, *self._results], updates=updates, name='train_function',
                                   **self.arguments['function_kwargs'])

    def _test_function(self):
        inputs = self._with_phase(self._placeholders())
        with ops.name_scope('evaluation'):
            updates = [*self._model.state_updates, *self._metric_updates()]
            return values.Function(inputs, [self.total_loss, *self._results], updates=updates, name='test_function',
                                   **self.arguments['function_kwargs'])


def predict_function(model):
    """Returns the function that computes the outputs of a model."""
    with model.inputs[0].graph.as_default(), ops.name_scope('predict'):
        phase = state.learning_phase()
        inputs = model._feed_inputs()
        return values.Function([*inputs, phase] if isinstance(phase, ops.Tensor) else inputs, model.outputs,
                               updates=model.state_updates, name='predict_function')


def _per_output(value, names):
    if value is None or isinstance(value, str):
        return [value] * len(names)
    if isinstance(value, dict):
        return [value.get(name) for name in names]
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _metric_weights(output, weighted):
    mask = output.mask()
    if not weighted or output.weights is None:
        return mask
    if mask is None:
        return output.weights
    mask, _, weights = squeeze_or_expand(mask, None, output.weights)
    return weights * mask
