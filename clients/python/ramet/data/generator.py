"""Datasets of what Python generators yield."""

import itertools

import numpy as np

from ramet.data import structure
from ramet.framework import dtypes, type_spec
from ramet.ops.functions import script_ops


class GeneratorState:
    """The iterators that are under way over one generator function, by number."""

    def __init__(self, generator):
        self._generator = generator
        self._numbers = itertools.count()
        self._args = {}
        self._iterators = {}

    def start(self, *args):
        """Returns the number of a new pass. `args` are the arguments of the generator function."""
        number = next(self._numbers)
        self._args[number] = args
        return np.array(number, dtype=np.int64)

    def advance(self, number):
        """Returns the next element of a pass.

        Raises:
          StopIteration: after the last one.
        """
        number = int(number)
        if number not in self._iterators:
            self._iterators[number] = iter(self._generator(*self._args.pop(number)))
        return next(self._iterators[number])

    def finish(self, number):
        """Forgets a pass."""
        self._args.pop(int(number), None)
        self._iterators.pop(int(number), None)
        return np.array(0, dtype=np.int64)


def signature(output_types, output_shapes, output_signature):
    """Returns the structure of specs of the elements of a generator.

    Raises:
      TypeError: if the elements are not described, or twice.
    """
    if output_signature is None:
        if output_types is None:
            raise TypeError('To specify the output signature you need to provide either the '
                            '`output_signature` argument or the `output_types` argument.')
        return structure.from_legacy(output_types, output_shapes)
    for name, value in (('output_types', output_types), ('output_shapes', output_shapes)):
        if value is not None:
            raise TypeError(f'The `{name}` argument can not be used together with the '
                            '`output_signature` argument.')
    for spec in structure.flatten(output_signature):
        if not isinstance(spec, type_spec.TypeSpec):
            raise TypeError('`output_signature` must contain objects that are subclass of '
                            f'`tf.TypeSpec` but found {type(spec)} which is not.')
        if not isinstance(spec, type_spec.TensorSpec):
            raise TypeError(f'`output_signature` has {spec}, but generators can yield only dense tensors; yield the '
                            'parts of a SparseTensor (indices, values, dense_shape) as components')
    return output_signature


def _as_array(value, dtype):
    if dtype == dtypes.string:
        array = np.asarray(value, order='C')
        texts = [text.encode() if isinstance(text, str) else bytes(text) for text in array.ravel()]
        return np.array(texts, dtype=object).reshape(array.shape)
    return np.asarray(value, dtype=dtype.as_numpy_dtype, order='C')


def _arrays(values, spec):
    """Returns the components of an element as arrays.

    Raises:
      TypeError: if the element does not match the spec, with TensorFlow's message.
    """
    try:
        flat = structure.flatten_up_to(spec, values)
    except (TypeError, ValueError) as error:
        raise TypeError('`generator` yielded an element that did not match the expected structure. The '
                        f'expected structure was {structure.types(spec)}, but the yielded element '
                        f'was {values}.') from error
    made = []
    for value, component in zip(flat, structure.flatten(spec), strict=True):
        try:
            array = _as_array(value, component.dtype)
        except (TypeError, ValueError) as error:
            raise TypeError('`generator` yielded an element that could not be converted to the '
                            f'expected type. The expected type was {component.dtype.name}, but the '
                            f'yielded element was {value}.') from error
        if not component.shape.is_compatible_with(array.shape):
            raise TypeError(f'`generator` yielded an element of shape {array.shape} where an element '
                            f'of shape {component.shape} was expected.')
        made.append(array)
    return made


def functions(state, spec, args):
    """Returns the functions of tensors that start, advance and finish a pass.

    Args:
      state: the GeneratorState.
      spec: the structure of specs of the elements.
      args: the Tensors whose values are the arguments of the generator.
    """

    def get_iterator_id_fn(unused_dummy):
        return script_ops.numpy_function(state.start, list(args), dtypes.int64)

    def generator_next_fn(iterator_id):
        flat = script_ops.numpy_function(lambda number: _arrays(state.advance(number), spec),
                                         [iterator_id], structure.flat_types(spec))
        for tensor, shape in zip(flat, structure.flat_shapes(spec), strict=True):
            tensor.set_shape(shape)
        return structure.pack(spec, flat)

    def finalize_fn(iterator_id):
        return script_ops.numpy_function(state.finish, [iterator_id], dtypes.int64)

    return get_iterator_id_fn, generator_next_fn, finalize_fn
