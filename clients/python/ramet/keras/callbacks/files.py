"""Callbacks that write the progress to files."""

import csv
import os

import numpy as np

from ramet.api import export
from ramet.core.framework import summary_pb2
from ramet.keras.backend import state
from ramet.keras.callbacks.callback import Callback
from ramet.lib import tf_logging
from ramet.summary import writer as summary_writer


@export('keras.callbacks.CSVLogger')
class CSVLogger(Callback):
    """Writes the losses and metrics of epochs to a CSV file.

    Args:
      filename: the name of the file.
      separator: the string between values.
      append: whether to continue an existing file.
    """

    def __init__(self, filename, separator=',', append=False):
        super().__init__()
        self.filename = os.fspath(filename)
        self.sep = separator
        self.append = append
        self.writer = self.keys = self._file = None
        self._with_header = True

    def on_train_begin(self, logs=None):
        if self.append and os.path.exists(self.filename):
            with open(self.filename, encoding='utf-8') as file:
                self._with_header = not file.readline()
        self._file = open(self.filename, 'a' if self.append else 'w', newline='\n', encoding='utf-8')

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
        if self.writer is None:
            self.writer = csv.DictWriter(self._file, ['epoch', *self.keys], delimiter=self.sep, lineterminator='\n')
            if self._with_header:
                self.writer.writeheader()
        self.writer.writerow({'epoch': epoch, **{key: self._text(logs.get(key, 'NA')) for key in self.keys}})
        self._file.flush()

    @staticmethod
    def _text(value):
        if isinstance(value, np.ndarray) and value.ndim > 0:
            return f'"[{", ".join(map(str, value))}]"'
        return value

    def on_train_end(self, logs=None):
        self._file.close()
        self.writer = None


@export('keras.callbacks.TensorBoard')
class TensorBoard(Callback):
    """Writes the losses and metrics of epochs, and the graph, to event files.

    Args:
      log_dir: the folder.
      histogram_freq: after how many epochs to write histograms of the variables; 0 for never.
      batch_size: ignored.
      write_graph: whether to write the graph.
      write_grads, write_images, embeddings_freq: ignored, with a warning if they are set.
      embeddings_layer_names, embeddings_metadata, embeddings_data: settings of embeddings_freq.
      profile_batch: ignored.
      update_freq: 'epoch', 'batch', or a number of samples between two values.
    """

    def __init__(self, log_dir='./logs', histogram_freq=0, batch_size=32, write_graph=True, write_grads=False,
                 write_images=False, embeddings_freq=0, embeddings_layer_names=None, embeddings_metadata=None,
                 embeddings_data=None, update_freq='epoch', profile_batch=2):
        super().__init__()
        for name, value in (('write_grads', write_grads), ('write_images', write_images),
                            ('embeddings_freq', embeddings_freq)):
            if value:
                tf_logging.warning('The TensorBoard callback ignores %s=%r: Ramet does not write these events.',
                                   name, value)
        self.log_dir = log_dir
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.update_freq = 1 if update_freq == 'batch' else update_freq
        self.writer = None
        self._batches = self._samples = self._written = 0

    def set_model(self, model):
        super().set_model(model)
        self.writer = summary_writer.FileWriter(
            self.log_dir, state.get_session().graph if self.write_graph else None)

    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        self._batches += 1
        self._samples += logs.get('size', 1)
        if self.update_freq != 'epoch' and self._samples - self._written >= self.update_freq:
            self._written = self._samples
            self._write({f'batch_{k}': v for k, v in logs.items() if k not in ('batch', 'size', 'num_steps')},
                        self._batches)

    def on_epoch_end(self, epoch, logs=None):
        logs = {f'epoch_{k}': v for k, v in (logs or {}).items() if k not in ('batch', 'size', 'num_steps')}
        self._write(logs, epoch if self.update_freq == 'epoch' else self._samples)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_histograms(epoch)

    def _write(self, logs, step):
        summary = summary_pb2.Summary(value=[
            summary_pb2.Summary.Value(tag=name, simple_value=float(np.asarray(value))) for name, value in logs.items()])
        self.writer.add_summary(summary, step)
        self.writer.flush()

    def _write_histograms(self, epoch):
        variables = self.model.weights
        for variable, array in zip(variables, state.get_session().run(list(variables))):
            counts, edges = np.histogram(array, bins=30)
            histogram = summary_pb2.HistogramProto(
                min=float(array.min()), max=float(array.max()), num=float(array.size), sum=float(array.sum()),
                sum_squares=float(np.square(array.astype(np.float64)).sum()), bucket_limit=edges[1:].tolist(),
                bucket=counts.astype(float).tolist())
            self.writer.add_summary(summary_pb2.Summary(value=[summary_pb2.Summary.Value(
                tag=variable.op.name, histo=histogram)]), epoch)

    def on_train_end(self, logs=None):
        self.writer.close()
