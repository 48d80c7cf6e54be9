"""Sequences of batches, and threads that prepare batches ahead."""

import collections
import concurrent.futures
import hashlib
import os
import random
import tarfile
import zipfile

from ramet.api import export


@export('keras.utils.Sequence')
class Sequence:
    """The base class of sequences of batches. A subclass overrides __getitem__ and __len__."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def on_epoch_end(self):
        """Called at the end of each epoch."""

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]


def batches_of(source, shuffle, workers, max_queue_size):
    """Yields the batches of a generator, or of all epochs of a Sequence, prepared ahead by threads.

    Args:
      source: an iterator or a Sequence.
      shuffle: whether a Sequence yields its batches in random order.
      workers: the number of threads; 0 prepares no batches ahead. Generators use one thread.
      max_queue_size: how many batches may be ready.
    """
    is_sequence = isinstance(source, Sequence) or (hasattr(source, '__getitem__') and hasattr(source, '__len__'))
    tasks = _sequence_tasks(source, shuffle) if is_sequence else _generator_tasks(source)
    if not workers:
        for task in tasks:
            try:
                yield task()
            except StopIteration:
                return
        return
    executor = concurrent.futures.ThreadPoolExecutor(workers if is_sequence else 1, thread_name_prefix='batches')
    waiting = collections.deque()
    try:
        while True:
            while len(waiting) < max(max_queue_size, 1):
                waiting.append(executor.submit(_outcome, next(tasks)))
            ended, value = waiting.popleft().result()
            if ended:
                return
            yield value
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _outcome(task):
    """Returns (whether the generator has ended, the batch)."""
    try:
        return False, task()
    except StopIteration:
        return True, None


def _sequence_tasks(source, shuffle):
    while True:
        order = list(range(len(source)))
        if shuffle:
            random.shuffle(order)
        for index in order:
            yield lambda index=index: source[index]
        if hasattr(source, 'on_epoch_end'):
            source.on_epoch_end()


def _generator_tasks(source):
    iterator = iter(source)
    while True:
        yield lambda: next(iterator)


@export('keras.utils.get_file')
def get_file(fname, origin=None, untar=False, md5_hash=None, file_hash=None, cache_subdir='datasets',
             hash_algorithm='auto', extract=False, archive_format='auto', cache_dir=None):
    """Returns the path of a file in the cache of tf.keras. Ramet does not download files.

    Args:
      fname: the name of the file.
      origin: where the file comes from; only for the error message.
      untar: whether `fname` is a folder that is extracted from the file `fname`.tar.gz.
      md5_hash: the MD5 digest of the file; `file_hash` replaces it.
      file_hash: the digest of the file, a hexadecimal str, or None to not check it.
      cache_subdir: a folder in the cache.
      hash_algorithm: 'md5', 'sha256', or 'auto' to choose by the length of the digest.
      extract: whether to extract the file, if it is an archive, into its folder.
      archive_format: 'tar', 'zip', a list of these, 'auto' for both, or None for none.
      cache_dir: the folder of the cache, or None for ~/.keras.

    Returns:
      The path of the file, or with `untar`, of the extracted folder.

    Raises:
      FileNotFoundError: if the file is not in the cache.
      ValueError: if the file has a different digest.
    """
    folder = os.path.join(os.path.expanduser(cache_dir or os.path.join('~', '.keras')), cache_subdir)
    extracted = os.path.join(folder, fname)
    path = f'{extracted}.tar.gz' if untar else extracted
    if not os.path.exists(path):
        source = f' from {origin}' if origin else ''
        raise FileNotFoundError(f'{path} does not exist, and Ramet does not download files; put the file{source} there')
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, 'md5'
    if file_hash is not None:
        _check_digest(path, file_hash, hash_algorithm)
    if untar:
        if not os.path.exists(extracted):
            _extract(path, folder, 'tar')
        return extracted
    if extract:
        _extract(path, folder, archive_format)
    return path


def _check_digest(path, expected, algorithm):
    if algorithm != 'sha256':
        algorithm = 'sha256' if algorithm == 'auto' and len(expected) == 64 else 'md5'
    with open(path, 'rb') as file:
        found = hashlib.new(algorithm, file.read()).hexdigest()
    if found != expected:
        raise ValueError(f'{path} has the {algorithm} digest {found}, but {expected} was expected: the file is '
                         'incomplete or outdated. Ramet does not download files; replace it')


def _extract(path, folder, formats):
    """Extracts an archive. Does nothing if the file has none of the formats."""
    if formats == 'auto':
        formats = ('tar', 'zip')
    for kind in [formats] if isinstance(formats, str) else formats or ():
        if kind == 'tar' and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter='data')
            return
        if kind == 'zip' and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
            return
