"""The three things that an estimator does with a model."""

from ramet.api import export


@export('estimator.ModeKeys')
class ModeKeys:
    """The names of the modes in which a model function is called.

    Attributes:
      TRAIN: training.
      EVAL: evaluation.
      PREDICT: inference, and exporting for inference.
    """

    TRAIN = 'train'
    EVAL = 'eval'
    PREDICT = 'infer'


ALL = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
