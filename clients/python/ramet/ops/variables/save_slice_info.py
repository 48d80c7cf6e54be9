"""The position of a variable in the partitioned variable that it is a part of."""

from ramet.core.framework import variable_pb2
from ramet.framework import ops


class SaveSliceInfo:
    """The part of a partitioned variable that a variable is, for savers.

    Args:
      full_name: the name of the whole variable.
      full_shape: a list of its dimensions.
      var_offset: a list of the start of the part in each dimension.
      var_shape: a list of the part's dimensions.
      save_slice_info_def: a SaveSliceInfoDef to read all of these from.
      import_scope: a name scope to prefix to the name in the message.
    """

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None,
                 save_slice_info_def=None, import_scope=None):
        if save_slice_info_def:
            message = save_slice_info_def
            full_name = ops.prepend_name_scope(message.full_name, import_scope=import_scope)
            full_shape, var_offset = list(message.full_shape), list(message.var_offset)
            var_shape = list(message.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self):
        """The slice in the format of savers, such as '4 3 0,2:0,3'."""
        full = ' '.join(str(d) for d in self.full_shape)
        parts = ':'.join(f'{o},{s}' for o, s in zip(self.var_offset, self.var_shape, strict=True))
        return f'{full} {parts}'

    def to_proto(self, export_scope=None):
        """Returns a SaveSliceInfoDef, or None if the variable is outside of `export_scope`."""
        if export_scope is not None and not self.full_name.startswith(export_scope):
            return None
        message = variable_pb2.SaveSliceInfoDef()
        message.full_name = ops.strip_name_scope(self.full_name, export_scope)
        message.full_shape.extend(self.full_shape)
        message.var_offset.extend(self.var_offset)
        message.var_shape.extend(self.var_shape)
        return message
