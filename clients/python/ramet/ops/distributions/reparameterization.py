"""States whether gradients flow through samples."""

from ramet.api import export, export_value


@export('distributions.ReparameterizationType')
class ReparameterizationType:
    """States whether gradients flow through the samples of a distribution to its parameters.

    Args:
      rep_type: the name.
    """

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return f'<Reparameterization Type: {self._rep_type}>'

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = export_value(
    'distributions.FULLY_REPARAMETERIZED', ReparameterizationType('FULLY_REPARAMETERIZED'))
NOT_REPARAMETERIZED = export_value(
    'distributions.NOT_REPARAMETERIZED', ReparameterizationType('NOT_REPARAMETERIZED'))
