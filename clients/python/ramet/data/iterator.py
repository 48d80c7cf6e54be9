"""Iterators: what a session reads the elements of datasets with."""

import warnings

from ramet import gen
from ramet.api import export
from ramet.data import structure
from ramet.data.optional import OptionalValue
from ramet.framework import errors, ops

# The collection of the handles of all iterators.
GLOBAL_ITERATORS = 'iterators'
_MANY_CALLS = 32
_WARNING = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates "
    "that `Iterator.get_next()` is being called inside a training loop, which will cause gradual "
    "slowdown and eventual resource exhaustion. If this is the case, restructure your code to call "
    "`next_element = iterator.get_next()` once outside the loop, and use `next_element` as the "
    "input to some computation that is invoked inside the loop.")


@export('data.Iterator')
class Iterator:
    """An iterator of a session over the elements of one dataset at a time."""

    def __init__(self, iterator_resource, initializer, output_types, output_shapes,
                 output_classes=None):
        """Creates an iterator for a handle. Programs call make_one_shot_iterator and the like instead.

        Args:
          iterator_resource: a Tensor, the handle.
          initializer: the Operation that puts it at the start of its dataset, or None.
          output_types: the structure of dtypes of the elements.
          output_shapes: the structure of shapes.
          output_classes: the structure of classes.

        Raises:
          ValueError: if output_types is None.
        """
        if output_types is None or output_shapes is None:
            raise ValueError(
                'All of `output_types`, `output_shapes`, and `output_classes` must be specified to '
                'create an iterator. Got `output_types` = '
                f'{output_types!r}, `output_shapes` = {output_shapes!r}, `output_classes` = '
                f'{output_classes!r}.')
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = gen.IteratorToStringHandle(iterator_resource)
        self._get_next_call_count = 0
        ops.add_to_collection(GLOBAL_ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """Creates an iterator that make_initializer gives one dataset after another.

        Args:
          output_types: the structure of dtypes of the elements.
          output_shapes: the structure of shapes, or None for any.
          shared_name: the name of the session's iterator, or None for one of its own.
          output_classes: the structure of classes; tf.Tensor by default.

        Returns:
          An Iterator.

        Raises:
          TypeError: if a class is not that of a component.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        resource = gen.IteratorV2(container='', shared_name=shared_name or '',
                                  **structure.attrs(spec))
        return Iterator.of(resource, None, spec)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """Returns the iterator whose string_handle() the value of a tensor is. Feed it to choose.

        Args:
          string_handle: a scalar string Tensor.
          output_types: the structure of dtypes of the elements.
          output_shapes: the structure of shapes, or None for any.
          output_classes: the structure of classes; tf.Tensor by default.

        Returns:
          An Iterator.

        Raises:
          TypeError: if a class is not that of a component.
        """
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        resource = gen.IteratorFromStringHandleV2(
            ops.convert_to_tensor(string_handle, dtype='string'), **structure.attrs(spec))
        return Iterator.of(resource, None, spec)

    @classmethod
    def of(cls, resource, initializer, spec):
        """Returns an iterator with elements of `spec`.

        Args:
          resource: a Tensor, the handle.
          initializer: an Operation or None.
          spec: the structure of specs of the elements.
        """
        return cls(resource, initializer, structure.types(spec), structure.shapes(spec),
                   structure.classes(spec))

    @property
    def initializer(self):
        """The Operation that puts the iterator at the start of its dataset.

        Raises:
          ValueError: if it has none: a one-shot or a reinitializable iterator.
        """
        if self._initializer is None:
            raise ValueError(
                'The iterator does not have an initializer. This means it was likely created using '
                '`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use '
                '`tf.data.Dataset.make_initializable_iterator()` instead.')
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """Returns an Operation that puts the iterator at the start of a dataset.

        Args:
          dataset: a Dataset whose elements have the dtypes, and compatible shapes.
          name: the name of the operation.

        Raises:
          TypeError: if the classes, dtypes or shapes of the dataset differ.
        """
        spec = dataset.element_spec
        mine = structure.flatten(self._element_spec)
        try:
            others = structure.flatten_up_to(self._element_spec, spec)
        except (TypeError, ValueError):
            others = None
        checks = (('classes', lambda a, b: structure.classes(a) == structure.classes(b)),
                  ('types', lambda a, b: structure.types(a) == structure.types(b)),
                  ('shapes', lambda a, b: structure.shapes(a).is_compatible_with(structure.shapes(b))))
        for what, fits in checks:
            if others is None or not all(map(fits, mine, others)):
                of = getattr(structure, what)
                compatible = 'compatible with ' if what == 'shapes' else ''
                raise TypeError(f'Expected output {what} {compatible}{of(self._element_spec)!r} but got dataset '
                                f'with output {what} {of(spec)!r}.')
        with ops.colocate_with(self._iterator_resource):
            return gen.MakeIterator(dataset._variant_tensor, self._iterator_resource, name=name)

    def get_next(self, name=None):
        """Returns the components of the next element, as tensors.

        Each run that needs any of them takes one element; all that a run fetches belong to the same
        element. After the last element, runs raise OutOfRangeError.

        Args:
          name: the name of the operation.

        Returns:
          The structure of Tensors.
        """
        self._count_call()
        with ops.colocate_with(self._iterator_resource):
            flat = gen.IteratorGetNext(self._iterator_resource, name=name,
                                       **structure.attrs(self._element_spec))
        return structure.from_tensors(self._element_spec, flat)

    def get_next_as_optional(self):
        """Returns the next element as an Optional, which has no value after the last element."""
        with ops.colocate_with(self._iterator_resource):
            variant = gen.IteratorGetNextAsOptional(
                self._iterator_resource, **structure.attrs(self._element_spec))
        return OptionalValue(variant, self._element_spec)

    def _count_call(self):
        self._get_next_call_count += 1
        if self._get_next_call_count > _MANY_CALLS:
            warnings.warn(_WARNING, stacklevel=3)

    def string_handle(self, name=None):
        """Returns a scalar string Tensor whose value from_string_handle finds the iterator by.

        Args:
          name: the name of the operation; without one, the same tensor is returned each time.
        """
        if name is None:
            return self._string_handle
        return gen.IteratorToStringHandle(self._iterator_resource, name=name)

    @property
    def element_spec(self):
        """The structure of TensorSpecs of the elements."""
        return self._element_spec

    @property
    def output_types(self):
        """The structure of dtypes of the elements."""
        return structure.types(self._element_spec)

    @property
    def output_shapes(self):
        """The structure of shapes of the elements."""
        return structure.shapes(self._element_spec)

    @property
    def output_classes(self):
        """The structure of classes of the elements."""
        return structure.classes(self._element_spec)


@export('contrib.eager.Iterator')
class EagerIterator(Iterator):
    """An iterator over the elements of a dataset while operations run eagerly. It is at the start of the dataset."""

    def __init__(self, dataset):
        """Creates the iterator.

        Args:
          dataset: a Dataset.

        Raises:
          RuntimeError: if operations do not run eagerly.
        """
        if not ops.executing_eagerly():
            raise RuntimeError(f'{type(self)} objects can only be used when eager execution is enabled, use '
                               'tf.data.Dataset.make_initializable_iterator or '
                               'tf.data.Dataset.make_one_shot_iterator for graph construction')
        self._element_spec = dataset.element_spec
        self._attrs = structure.attrs(self._element_spec)
        self._iterator_resource = gen.AnonymousIteratorV3(**self._attrs)
        self._initializer = None
        gen.MakeIterator(dataset._variant_tensor, self._iterator_resource)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    def next(self):
        """Returns next(iterator)."""
        return self.__next__()

    def get_next(self, name=None):
        """Returns the components of the next element, as tensors.

        Args:
          name: ignored.

        Returns:
          The structure of Tensors.

        Raises:
          OutOfRangeError: after the last element.
        """
        return structure.from_tensors(self._element_spec, gen.IteratorGetNext(self._iterator_resource, **self._attrs))

    def string_handle(self, name=None):
        """Raises RuntimeError: only iterators of graphs have a handle that can be fed.

        Args:
          name: ignored.
        """
        raise RuntimeError('Iterator.string_handle is not supported when eager execution is enabled.')


@export('data.experimental.get_next_as_optional')
def get_next_as_optional(iterator):
    """Returns iterator.get_next_as_optional().

    Args:
      iterator: an Iterator.

    Returns:
      An Optional.
    """
    return iterator.get_next_as_optional()
