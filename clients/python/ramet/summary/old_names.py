"""The summary functions of TensorFlow before 1.0."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.summary import tags as _tags


@export('contrib.deprecated.scalar_summary')
def scalar_summary(tags, values, collections=None, name=None):
    """Creates a summary of numbers. Deprecated: use `tf.summary.scalar`.

    Args:
      tags: strings, one per value, with the shape of the values.
      values: real numbers.
      collections: keys of the collections that get the summary. Defaults to ['summaries'].
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'ScalarSummary', [tags, values]) as scope:
        return _collected(gen.ScalarSummary(tags=tags, values=values, name=scope), collections)


@export('contrib.deprecated.histogram_summary')
def histogram_summary(tag, values, collections=None, name=None):
    """Creates a summary of the distribution of numbers. Deprecated: use `tf.summary.histogram`.

    Args:
      tag: a scalar string.
      values: real numbers.
      collections: as in `scalar_summary`.
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'HistogramSummary', [tag, values]) as scope:
        return _collected(gen.HistogramSummary(tag=tag, values=values, name=scope), collections)


@export('contrib.deprecated.image_summary')
def image_summary(tag, tensor, max_images=3, collections=None, name=None):
    """Creates a summary of images. Deprecated: use `tf.summary.image`.

    Args:
      tag: a scalar string.
      tensor: [batch, height, width, channels].
      max_images: int, the maximum number of images per batch.
      collections: as in `scalar_summary`.
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'ImageSummary', [tag, tensor]) as scope:
        return _collected(
            gen.ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=scope),
            collections)


@export('contrib.deprecated.audio_summary')
def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
    """Creates a summary of sounds. Deprecated: use `tf.summary.audio`.

    Args:
      tag: a scalar string.
      tensor: float32 of [batch, frames, channels] or [batch, frames].
      sample_rate: a scalar float32, in Hertz.
      max_outputs: int, the maximum number of sounds per batch.
      collections: as in `scalar_summary`.
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'AudioSummary', [tag, tensor]) as scope:
        rate = ops.convert_to_tensor(sample_rate, dtype=dtypes.float32, name='sample_rate')
        return _collected(
            gen.AudioSummaryV2(tag=tag, tensor=tensor, max_outputs=max_outputs, sample_rate=rate,
                               name=scope), collections)


@export('contrib.deprecated.merge_summary')
def merge_summary(inputs, collections=None, name=None):
    """Merges several summaries into one. Deprecated: use `tf.summary.merge`.

    Args:
      inputs: a list of serialized summaries.
      collections: keys of the collections that get the merged summary. Defaults to none.
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'MergeSummary', inputs):
        value = gen.MergeSummary(inputs=inputs, name=name)
        _tags.collect(value, collections, ())
        return value


@export('contrib.deprecated.merge_all_summaries')
def merge_all_summaries(key=ops.GraphKeys.SUMMARIES):
    """Merges all summaries of a collection, or returns None if there are none.

    Deprecated: use `tf.summary.merge_all`.

    Args:
      key: the collection.
    """
    found = ops.get_collection(key)
    return merge_summary(found) if found else None


def _collected(value, collections):
    _tags.collect(value, collections)
    return value
