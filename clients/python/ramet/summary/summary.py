"""tf.summary: operations that create serialized Summary messages."""

from ramet import gen
from ramet.api import export
from ramet.core.framework import summary_pb2
from ramet.framework import dtypes, graph_only, ops
from ramet.summary import tags

_TEXT_PLUGIN = 'text'


@export('summary.scalar')
def scalar(name, tensor, collections=None, family=None):
    """Creates a summary of a number.

    Args:
      name: str, the name of the node. The name with its name scopes is the tag of the value.
      tensor: a real scalar.
      collections: keys of the collections that get the summary. Defaults to ['summaries'].
      family: str, a scope for the name, which is also prefixed to the tag.

    Returns:
      A scalar string: a serialized Summary.
    """
    with tags.scope(name, family, [tensor]) as (tag, node_name):
        value = gen.ScalarSummary(tags=tag, values=tensor, name=node_name)
        tags.collect(value, collections)
    return value


@export('summary.histogram')
def histogram(name, values, collections=None, family=None):
    """Creates a summary of the distribution of numbers.

    Args:
      name: str, as in `scalar`.
      values: finite real numbers of any shape.
      collections: as in `scalar`.
      family: as in `scalar`.

    Returns:
      A scalar string: a serialized Summary.
    """
    with tags.scope(name, family, [values], 'HistogramSummary') as (tag, node_name):
        value = gen.HistogramSummary(tag=tag, values=values, name=node_name)
        tags.collect(value, collections)
    return value


@export('summary.image')
def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Creates a summary of images.

    Args:
      name: str, as for `scalar`. The tags are NAME/image/0, NAME/image/1, ..., or NAME/image if
        max_outputs is 1.
      tensor: [batch, height, width, channels] of uint8, float16, float32 or float64, with 1, 3 or 4
        channels. uint8 values are used as they are. Other values are scaled per image: to 0..255, or
        around 128 if the image contains negative values.
      max_outputs: int, the maximum number of images per batch.
      collections: as for `scalar`.
      family: as for `scalar`.

    Returns:
      A scalar string: a serialized Summary with PNG images.
    """
    with tags.scope(name, family, [tensor]) as (tag, node_name):
        value = gen.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=node_name)
        tags.collect(value, collections)
    return value


@export('summary.audio')
def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """Creates a summary of sounds.

    Args:
      name: str, as for `scalar`. The tags are NAME/audio/0, NAME/audio/1, ..., or NAME/audio if
        max_outputs is 1.
      tensor: float32 from -1 to 1, [batch, frames, channels] or [batch, frames].
      sample_rate: a scalar float32, in Hertz.
      max_outputs: int, the maximum number of sounds per batch.
      collections: as for `scalar`.
      family: as for `scalar`.

    Returns:
      A scalar string: a serialized Summary with WAV sounds.
    """
    with tags.scope(name, family, [tensor]) as (tag, node_name):
        rate = ops.convert_to_tensor(sample_rate, dtype=dtypes.float32, name='sample_rate')
        value = gen.AudioSummaryV2(tag=tag, tensor=tensor, max_outputs=max_outputs,
                                   sample_rate=rate, name=node_name)
        tags.collect(value, collections)
    return value


@export('summary.tensor_summary')
def tensor_summary(name, tensor, summary_description=None, collections=None,
                   summary_metadata=None, family=None, display_name=None):
    """Creates a summary of a tensor in its serialized form.

    Args:
      name: str, as for `scalar`.
      tensor: a tensor of any dtype and shape.
      summary_description: str, a human-readable description.
      collections: as for `scalar`.
      summary_metadata: a SummaryMetadata. The description and display name override those in it.
      family: as for `scalar`.
      display_name: str, a human-readable name.

    Returns:
      A scalar string: a serialized Summary.
    """
    metadata = summary_pb2.SummaryMetadata()
    if summary_metadata is not None:
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with tags.scope(name, family, [tensor]) as (tag, node_name):
        value = gen.TensorSummaryV2(
            tensor=tensor, tag=tag, name=node_name,
            serialized_summary_metadata=metadata.SerializeToString())
        tags.collect(value, collections)
    return value


@export('summary.text')
def text(name, tensor, collections=None):
    """Creates a summary of text, which TensorBoard renders as Markdown.

    Args:
      name: str, as in `scalar`.
      tensor: strings. TensorBoard shows tensors of up to two dimensions as a table.
      collections: as in `scalar`.

    Returns:
      A scalar string: a serialized Summary.

    Raises:
      ValueError: if the tensor has a different dtype.
    """
    if tensor.dtype != dtypes.string:
        raise ValueError('Expected tensor %s to have dtype string, got %s'
                         % (tensor.name, tensor.dtype))
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name=_TEXT_PLUGIN)
    return tensor_summary(name=name, tensor=tensor, collections=collections,
                          summary_metadata=summary_pb2.SummaryMetadata(plugin_data=plugin))


_NEEDS_GRAPH = graph_only.needs_graph(
    'Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.')


@export('summary.merge')
@_NEEDS_GRAPH
def merge(inputs, collections=None, name=None):
    """Merges several summaries into one.

    Args:
      inputs: a list of serialized summaries. When it runs, each tag may occur only once.
      collections: keys of the collections that get the merged summary. Defaults to none.
      name: str, the name of the node and of a scope around it.

    Returns:
      A scalar string: a serialized Summary with the values of all.
    """
    node_name = tags.clean(name)
    with ops.name_scope(node_name, 'Merge', inputs):
        value = gen.MergeSummary(inputs=inputs, name=node_name)
        tags.collect(value, collections, ())
    return value


@export('summary.merge_all')
@_NEEDS_GRAPH
def merge_all(key=ops.GraphKeys.SUMMARIES, scope=None, name=None):
    """Merges all summaries of a collection.

    Args:
      key: the collection.
      scope: str, a regular expression that the names must match from the beginning.
      name: str, as in `merge`.

    Returns:
      A scalar string, or None if there are no summaries.
    """
    found = ops.get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


@export('summary.get_summary_description')
def get_summary_description(node_def):
    """Returns the SummaryDescription of a TensorSummary node.

    Args:
      node_def: a NodeDef.

    Raises:
      ValueError: if the node is not a TensorSummary.
    """
    if node_def.op != 'TensorSummary':
        raise ValueError("Can't get_summary_description on %s" % node_def.op)
    from google.protobuf import json_format
    description = summary_pb2.SummaryDescription()
    json_format.Parse(node_def.attr['description'].s.decode(), description)
    return description


@export('summary.all_v2_summary_ops')
def all_v2_summary_ops():
    """Returns the operations that write summaries to writers in the graph. Ramet has none."""
    return []
