"""MultiHead, several heads for the logits of one model."""

from ramet.api import export
from ramet.estimator.export.export_output import PredictOutput, SERVING_DEFAULT
from ramet.estimator.heads.base import Head, train_op_of
from ramet.estimator.mode_keys import ModeKeys
from ramet.estimator.spec import EstimatorSpec
from ramet.framework import ops
from ramet.ops.math import math_ops
from ramet.summary import summary


@export('estimator.MultiHead')
class MultiHead(Head):
    """Several heads, each with a name of its own. Logits and labels are dicts with these names."""

    def __init__(self, heads, head_weights=None):
        """Creates the head.

        Args:
          heads: a list of Heads with names.
          head_weights: a list of the weights of their losses, or None for ones.

        Raises:
          ValueError: if there are no heads, a head has no name, or there are more or fewer weights.
        """
        if not heads:
            raise ValueError(f'Must specify heads. Given: {heads}')
        if head_weights and len(head_weights) != len(heads):
            raise ValueError('heads and head_weights must have the same size. Given len(heads): {}. Given '
                             'len(head_weights): {}.'.format(len(heads), len(head_weights)))
        names = [head.name for head in heads]
        if not all(names):
            raise ValueError('All given heads must have name specified. Given: {}'.format(heads))
        if len(set(names)) != len(names):
            raise ValueError(f'All heads must have different names: {names}')
        super().__init__(name='_'.join(names))
        self._heads = tuple(heads)
        self._head_weights = tuple(head_weights) if head_weights else (1.,) * len(heads)

    logits_dimension = property(lambda self: sum(head.logits_dimension for head in self._heads))

    def _split(self, logits):
        """Returns the logits of each head by its name."""
        if isinstance(logits, dict):
            missing = [head.name for head in self._heads if head.name not in logits]
            if missing:
                raise ValueError(f'logits has missing keys: {missing}')
            return logits
        found, at = {}, 0
        for head in self._heads:
            found[head.name] = logits[..., at:at + head.logits_dimension]
            at += head.logits_dimension
        return found

    def predictions(self, logits):
        logits = self._split(logits)
        return {(head.name, key): value for head in self._heads
                for key, value in head.predictions(logits[head.name]).items()}

    def _specs(self, features, mode, logits, labels):
        """Returns the EstimatorSpec of each head, in training without an operation of a step."""
        if labels is not None and not isinstance(labels, dict):
            raise ValueError(f'labels must be a dict with the names of the heads, given: {labels}')
        return [head.create_estimator_spec(
            features, mode, logits[head.name], None if labels is None else labels[head.name],
            train_op_fn=lambda loss: loss, update_ops=[]) for head in self._heads]

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None,
                              train_op_fn=None, update_ops=None, regularization_losses=None):
        specs = self._specs(features, mode, self._split(logits), labels)
        predictions = {(head.name, key): value for head, spec in zip(self._heads, specs)
                       for key, value in spec.predictions.items()}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=predictions, export_outputs=self._outputs(specs, predictions))
        loss = math_ops.add_n([spec.loss * weight for spec, weight in zip(specs, self._head_weights)])
        if regularization_losses:
            loss += math_ops.add_n(regularization_losses)
        if mode == ModeKeys.EVAL:
            metrics = {name: metric for spec in specs for name, metric in spec.eval_metric_ops.items()}
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        with ops.name_scope(''):
            summary.scalar('loss', loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op_of(
            loss, optimizer, trainable_variables, train_op_fn, update_ops))

    def _outputs(self, specs, predictions):
        found = {SERVING_DEFAULT: specs[0].export_outputs[SERVING_DEFAULT]}
        for head, spec in zip(self._heads, specs):
            for name, output in spec.export_outputs.items():
                found[head.name if name == SERVING_DEFAULT else f'{head.name}/{name}'] = output
        return {**found, 'predict': PredictOutput(predictions)}


@export('contrib.estimator.multi_head')
def multi_head(heads, head_weights=None):
    """Returns a MultiHead.

    Args:
      heads: a list of Heads with names.
      head_weights: a list of the weights of their losses, or None for ones.
    """
    return MultiHead(heads, head_weights)
