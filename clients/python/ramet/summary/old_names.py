"""The summary functions of TensorFlow before 1.0."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops import gen
from ramet.summary import tags as _tags


@export('contrib.deprecated.scalar_summary')
def scalar_summary(tags, values, collections=None, name=None):
    """Makes a summary of numbers; `tf.summary.scalar` took its place.

    Args:
      tags: strings, one for each of the values and of their shape.
      values: real numbers.
      collections: keys of the collections that get the summary; ['summaries'] if not given.
      name: str, the name of the node.

    Returns:
      A scalar string: a serialized Summary.
    """
    with ops.name_scope(name, 'ScalarSummary', [tags, values]) as scope:
        return _collected(gen.ScalarSummary(tags=tags, values=values, name=scope), collections)


@export('contrib.deprecated.histogram_summary')
def histogram_summary(tag, values, collections=None, name=None):
    """Makes a summary of how numbers are spread; `tf.summary.histogram` took its place.

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
    """Makes a summary of images; `tf.summary.image` took its place.

    Args:
      tag: a scalar string.
      tensor: [batch, height, width, channels].
      max_images: int, how many images of the batch are taken.
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
    """Makes a summary of sounds; `tf.summary.audio` took its place.

    Args:
      tag: a scalar string.
      tensor: float32 of [batch, frames, channels] or [batch, frames].
      sample_rate: a scalar float32, in Hertz.
      max_outputs: int, how many sounds of the batch are taken.
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
    """Makes one summary of several; `tf.summary.merge` took its place.

    Args:
      inputs: a list of serialized summaries.
      collections: keys of the collections that get the merged summary; none if not given.
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
    """Makes one summary of all of a collection, None if there are none; `tf.summary.merge_all`.

    Args:
      key: the collection.
    """
    found = ops.get_collection(key)
    return merge_summary(found) if found else None


def _collected(value, collections):
    _tags.collect(value, collections)
    return value
