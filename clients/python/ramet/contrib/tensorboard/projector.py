"""The settings of TensorBoard's projector, which shows embeddings."""

import os

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from ramet.api import export, export_value
from ramet.lib import file_io

# The fields of TensorFlow's messages: (name, type, repeated). Their numbers are counted from 1.
_MESSAGES = {
    'SpriteMetadata': [('image_path', str, False), ('single_image_dim', int, True)],
    'EmbeddingInfo': [('tensor_name', str, False), ('metadata_path', str, False),
                      ('bookmarks_path', str, False), ('tensor_shape', int, True),
                      ('sprite', 'SpriteMetadata', False), ('tensor_path', str, False)],
    'ProjectorConfig': [('model_checkpoint_path', str, False), ('embeddings', 'EmbeddingInfo', True),
                        ('model_checkpoint_dir', str, False)]}
_FILE_NAME = 'projector_config.pbtxt'


def _set_field(field, number, name, kind, repeated):
    field.name, field.number = name, number
    field.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
    if isinstance(kind, str):
        field.type, field.type_name = field.TYPE_MESSAGE, '.tensorflow.' + kind
    else:
        field.type = field.TYPE_STRING if kind is str else field.TYPE_UINT32


def _classes():
    """Returns the classes of the messages by their names."""
    file = descriptor_pb2.FileDescriptorProto(name='projector_config.proto', package='tensorflow',
                                              syntax='proto3')
    for message_name, fields in _MESSAGES.items():
        message = file.message_type.add(name=message_name)
        for i, field in enumerate(fields):
            _set_field(message.field.add(), i + 1, *field)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    make = getattr(message_factory, 'GetMessageClass', None) \
        or message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName('tensorflow.' + name)) for name in _MESSAGES}


_made = _classes()
SpriteMetadata = export_value('contrib.tensorboard.plugins.projector.SpriteMetadata',
                              _made['SpriteMetadata'])
EmbeddingInfo = export_value('contrib.tensorboard.plugins.projector.EmbeddingInfo',
                             _made['EmbeddingInfo'])
ProjectorConfig = export_value('contrib.tensorboard.plugins.projector.ProjectorConfig',
                               _made['ProjectorConfig'])


@export('contrib.tensorboard.plugins.projector.visualize_embeddings')
def visualize_embeddings(summary_writer, config):
    """Writes the settings of the projector to the folder of a summary writer, where TensorBoard finds them.

    Args:
      summary_writer: a tf.summary.FileWriter.
      config: a ProjectorConfig.

    Raises:
      ValueError: if the writer has no folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError('Summary writer must have a logdir')
    file_io.write_string_to_file(os.path.join(logdir, _FILE_NAME),
                                 text_format.MessageToString(config))
