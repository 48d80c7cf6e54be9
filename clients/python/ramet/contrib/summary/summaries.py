"""Summaries that are written to the default writer when the graph runs."""

from ramet import gen
from ramet.api import export
from ramet.contrib.summary import writers
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import smart_cond
from ramet.ops.math import math_ops
from ramet.summary import tags
from ramet.train import training_util


def _step(step):
    step = training_util.get_or_create_global_step() if step is None else step
    return ops.convert_to_tensor(step, dtypes.int64)


def _write(name, family, write):
    """Adds a summary; returns the bool Tensor whether it was written, which is also in the collection of summaries.

    Args:
      name: the name of the summary.
      family: the first part of the tag, or None.
      write: a function (writer, tag, scope) -> Operation, which is called in the scope.
    """
    writer = writers.default_writer()
    if writer is None:
        return gen.NoOp()
    outer = ops.get_name_scope()

    def record():
        # A conditional opens a scope of its own, which must not be part of the tag.
        with ops.name_scope(f'{outer}/' if outer else ''), tags.scope(name, family) as (tag, scope):
            with ops.control_dependencies([write(writer._resource, tag, scope)]):
                return constant_op.constant(True)

    with ops.device('cpu:0'):
        made = smart_cond.smart_cond(writers.should_record_summaries(), record, lambda: constant_op.constant(False))
    ops.add_to_collection(ops.GraphKeys._SUMMARY_COLLECTION, made)
    return made


def _write_value(make, name, tensor, family, step):
    """Adds a summary that the operation of `make` computes from a copy of a tensor; see _write."""

    def write(writer, tag, scope):
        return make(writer, _step(step), tag, array_ops.identity(tensor), name=scope)

    return _write(name, family, write)


def _write_message(make, name, family, step):
    """Adds a summary for which `make`, a function of the tag, returns the serialized Summary; see _write."""

    def write(writer, tag, scope):
        return gen.WriteRawProtoSummary(writer, _step(step), make(tag), name=scope)

    return _write(name, family, write)


@export('contrib.summary.all_summary_ops')
def all_summary_ops():
    """Returns the summaries of the graph, a list. Running them writes the events. None while operations run eagerly."""
    if ops.executing_eagerly():
        return None
    return ops.get_collection(ops.GraphKeys._SUMMARY_COLLECTION)


@export('contrib.summary.scalar')
def scalar(name, tensor, family=None, step=None):
    """Writes a number.

    Args:
      name: the tag.
      tensor: the value.
      family: the first part of the tag, or None.
      step: the step of the event, an int64; None means the global step.

    Returns:
      A bool Tensor, whether the event was written, or an Operation that does nothing without a default writer.
    """
    return _write_value(gen.WriteScalarSummary, name, tensor, family, step)


@export('contrib.summary.histogram')
@with_args_of(scalar)
def histogram(name, tensor, family=None, step=None):
    """Writes a histogram of the values of a tensor.

    Returns:
      As for scalar.
    """
    return _write_value(gen.WriteHistogramSummary, name, tensor, family, step)


@export('contrib.summary.generic')
@with_args_of(scalar)
def generic(name, tensor, metadata=None, family=None, step=None):
    """Writes a tensor of any dtype.

    Args:
      metadata: a SummaryMetadata message, its bytes, or None.

    Returns:
      As for scalar.
    """
    def write(writer, tag, scope):
        data = metadata.SerializeToString() if hasattr(metadata, 'SerializeToString') else metadata or b''
        data = constant_op.constant(data)
        return gen.WriteSummary(writer, _step(step), array_ops.identity(tensor), tag, data, name=scope)

    return _write(name, family, write)


@export('contrib.summary.image')
@with_args_of(scalar)
def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Writes images.

    Args:
      tensor: images [batch, height, width, channels].
      bad_color: ignored: values that are not finite are red.
      max_images: the maximum number of images.

    Returns:
      As for scalar.
    """
    return _write_message(lambda tag: gen.ImageSummary(tag, tensor, max_images=max_images), name, family, step)


@export('contrib.summary.audio')
@with_args_of(scalar)
def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
    """Writes sounds.

    Args:
      tensor: sounds [batch, frames] or [batch, frames, channels].
      sample_rate: frames per second.
      max_outputs: the maximum number of sounds.

    Returns:
      As for scalar.
    """
    return _write_message(lambda tag: gen.AudioSummaryV2(tag, tensor, sample_rate, max_outputs=max_outputs), name,
                          family, step)


@export('contrib.summary.graph')
def graph(param, step=None, name=None):
    """Returns an Operation that writes a graph.

    Args:
      param: a Graph, a GraphDef, or a string Tensor with a serialized one.
      step: the step of the event; None means the global step.
      name: the name of the operation.
    """
    writer = writers.default_writer()
    if writer is None:
        return gen.NoOp()
    if not isinstance(param, ops.Tensor):
        message = param.as_graph_def(add_shapes=True) if hasattr(param, 'as_graph_def') else param
        param = constant_op.constant(message.SerializeToString())
    return gen.WriteGraphSummary(writer._resource, _step(step), param, name=name)


@export('contrib.summary.import_event')
def import_event(tensor, name=None):
    """Returns an Operation that writes a serialized Event.

    Args:
      tensor: a string scalar.
      name: the name of the operation.
    """
    writer = writers.default_writer()
    return gen.NoOp() if writer is None else gen.ImportEvent(writer._resource, tensor, name=name)


@export('contrib.summary.initialize')
def initialize(graph=None, session=None):
    """Opens the files of all writers, and writes a graph. Does nothing while operations run eagerly.

    Args:
      graph: a Graph or GraphDef to write, or None.
      session: the Session, or None for the default one.

    Raises:
      RuntimeError: if no writer is the default one.
      ValueError: if no session is given and no default session exists.
    """
    if ops.executing_eagerly():
        return
    if writers.default_writer() is None:
        raise RuntimeError('No default tf.contrib.summary.SummaryWriter found')
    session = ops.get_default_session() if session is None else session
    if session is None:
        raise ValueError('Argument `session must be passed if no default session exists')
    session.run(writers.summary_writer_initializer_op())
    if graph is not None:
        session.run(_graph_of(graph))


def _graph_of(param):
    return graph(param, step=0)


@export('contrib.summary.record_summaries_every_n_global_steps')
def record_summaries_every_n_global_steps(n, global_step=None):
    """Returns a context manager in which new summaries are written at every n-th global step.

    Args:
      n: int.
      global_step: an int64 Tensor or variable; None means the global step.
    """
    step = training_util.get_or_create_global_step() if global_step is None else global_step
    return writers.record_if(lambda: math_ops.equal(ops.convert_to_tensor(step) % n, 0))
