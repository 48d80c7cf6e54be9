"""Element types of tensors: DType, and one constant per DataType of the wire format."""

import builtins

import numpy as np

from ramet.api import export

# One row per DataType: enum value, name, numpy storage type, size in bytes, kind.
# Kinds: f float, i signed, u unsigned, c complex, b bool, q quantized, s string, h handle.
_ROWS = (
    (1, 'float32', np.float32, 4, 'f'),
    (2, 'float64', np.float64, 8, 'f'),
    (3, 'int32', np.int32, 4, 'i'),
    (4, 'uint8', np.uint8, 1, 'u'),
    (5, 'int16', np.int16, 2, 'i'),
    (6, 'int8', np.int8, 1, 'i'),
    (7, 'string', builtins.object, 0, 's'),
    (8, 'complex64', np.complex64, 8, 'c'),
    (9, 'int64', np.int64, 8, 'i'),
    (10, 'bool', np.bool_, 1, 'b'),
    (11, 'qint8', np.dtype([('qint8', 'i1')]), 1, 'q'),
    (12, 'quint8', np.dtype([('quint8', 'u1')]), 1, 'q'),
    (13, 'qint32', np.dtype([('qint32', '<i4')]), 4, 'q'),
    (14, 'bfloat16', '<u2', 2, 'f'),
    (15, 'qint16', np.dtype([('qint16', '<i2')]), 2, 'q'),
    (16, 'quint16', np.dtype([('quint16', '<u2')]), 2, 'q'),
    (17, 'uint16', np.uint16, 2, 'u'),
    (18, 'complex128', np.complex128, 16, 'c'),
    (19, 'float16', np.float16, 2, 'f'),
    (20, 'resource', None, 0, 'h'),
    (21, 'variant', None, 0, 'h'),
    (22, 'uint32', np.uint32, 4, 'u'),
    (23, 'uint64', np.uint64, 8, 'u'),
    (24, 'float8_e5m2', 'u1', 1, 'f'),
    (25, 'float8_e4m3fn', 'u1', 1, 'f'),
    (26, 'float8_e4m3fnuz', 'u1', 1, 'f'),
    (27, 'float8_e4m3b11fnuz', 'u1', 1, 'f'),
    (28, 'float8_e5m2fnuz', 'u1', 1, 'f'),
    (29, 'int4', 'i1', 1, 'i'),
    (30, 'uint4', 'u1', 1, 'u'),
    (31, 'int2', 'i1', 1, 'i'),
    (32, 'uint2', 'u1', 1, 'u'),
    (33, 'float4_e2m1fn', 'u1', 1, 'f'),
)

# Ranges of the types that numpy does not define.
_MAXIMA = {
    'bfloat16': float.fromhex('0x1.fep127'),
    'float8_e5m2': 57344.0,
    'float8_e4m3fn': 448.0,
    'float8_e4m3fnuz': 240.0,
    'float8_e4m3b11fnuz': 30.0,
    'float8_e5m2fnuz': 57344.0,
    'float4_e2m1fn': 6.0,
    'int4': 7,
    'uint4': 15,
    'int2': 1,
    'uint2': 3,
}

# The range of image values of each type, returned by `DType.limits`.
_LIMITS = {
    'bool': True,
    'uint8': 2**8 - 1,
    'uint16': 2**16 - 1,
    'uint32': 2**32 - 1,
    'uint64': 2**64 - 1,
    'int8': 2**7 - 1,
    'int16': 2**15 - 1,
    'int32': 2**31 - 1,
    'int64': 2**63 - 1,
    'float32': 1,
    'float64': 1,
}

_REF = 100

# DType objects by enum value, None for unused values.
BY_ENUM: list = [None] * (_REF + _ROWS[-1][0] + 1)


def _numpy_extension(name, storage):
    """Returns the type `name` of ml_dtypes, or a one-field record if ml_dtypes does not have it."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype([(name, storage)])
    return getattr(ml_dtypes, name, None) or np.dtype([(name, storage)])


@export('DType', 'dtypes.DType')
class DType:
    """The element type of a tensor. There is one object per type; compare with == or `is`.

    A DType equals anything that `tf.as_dtype` converts to it: `tf.float32 == 'float32' == np.float32`.

    Attributes:
      name: such as 'float32'. The name of a reference type ends in '_ref'.
      as_datatype_enum: the int of the DataType enum of the wire format.
      base_dtype: the type without the reference.
      size: bytes per element; 0 for string, resource and variant.
      is_floating: whether it is a non-quantized real float.
      is_integer: whether it is a non-quantized int, signed or not.
      is_unsigned: whether it is a non-quantized unsigned int.
      is_complex: whether it is complex.
      is_bool: whether it is bool.
      is_quantized: whether it is one of the q types.
      is_numpy_compatible: whether numpy can store such elements.
    """

    __slots__ = (
        '_type_enum', '_kind', '_storage', '_is_ref_dtype', 'name', 'as_datatype_enum',
        'base_dtype', 'size', 'is_floating', 'is_integer', 'is_unsigned', 'is_complex', 'is_bool',
        'is_quantized', 'is_numpy_compatible', '__weakref__',
    )  # fmt: skip

    def __new__(cls, type_enum):
        """Returns the type with an enum value.

        Raises:
          TypeError: if no type has this value.
        """
        type_enum = int(type_enum)
        found = BY_ENUM[type_enum] if 0 < type_enum < len(BY_ENUM) else None
        if found is None:
            raise TypeError(f'{type_enum} does not correspond to a valid tensorflow::DataType')
        return found

    def __setattr__(self, name, value):
        raise AttributeError(f"can't set attribute '{name}' of {self!r}")

    @property
    def as_numpy_dtype(self):
        """The numpy type, such as np.float32; `object` for strings.

        bfloat16 and the types smaller than 16 bits are those of the package ml_dtypes. Without this package
        they are records with one field that holds the bits.

        Raises:
          KeyError: for resource and variant, which numpy cannot store.
        """
        storage = self._storage
        if storage is None:
            raise KeyError(self._type_enum)
        if type(storage) is str:
            storage = _numpy_extension(self.base_dtype.name, storage)
            object.__setattr__(self, '_storage', storage)
        return storage

    @property
    def _as_ref(self):
        """The corresponding reference type."""
        return self if self._is_ref_dtype else BY_ENUM[self._type_enum + _REF]

    @property
    def real_dtype(self):
        """The type of the real part: float32 for complex64; other types return themselves."""
        if self._kind != 'c':
            return self
        return float32 if self.size == 8 else float64

    @property
    def is_numeric(self):
        """True if the type is numeric in TensorFlow's narrow sense of this property."""
        return self._kind in 'fiucq' and (self.size > 1 or self.base_dtype.name not in _MAXIMA)

    @property
    def min(self):
        """The smallest value.

        Raises:
          TypeError: for types without an order.
        """
        return self._bound('minimum', -1)

    @property
    def max(self):
        """The largest value.

        Raises:
          TypeError: for types without an order.
        """
        return self._bound('maximum', 1)

    def _bound(self, which, sign):
        if self._kind not in 'fiu':
            raise TypeError(f'Cannot find {which} value of {self}{self._why_no_bound()}.')
        name = self.base_dtype.name
        if name in _MAXIMA:
            greatest = _MAXIMA[name]
            if self._kind == 'f':
                numpy_type = self.as_numpy_dtype
                bound = sign * greatest
                return numpy_type(bound) if isinstance(numpy_type, type) else bound
            return greatest if sign > 0 else {'i': -greatest - 1, 'u': 0}[self._kind]
        info = (np.finfo if self._kind == 'f' else np.iinfo)(self.as_numpy_dtype)
        return info.min if sign < 0 else info.max

    def _why_no_bound(self):
        if self._kind == 'h':
            return ''
        return f' with {"quantized " if self._kind == "q" else ""}type {self.base_dtype}'

    @property
    def limits(self):
        """(0, largest value) in the scale of images: (0, 1) for floats, (0, 255) for uint8.

        Raises:
          ValueError: for types that are not used for images.
          KeyError: for resource and variant.
        """
        if self._kind == 'h':
            raise KeyError(self._type_enum)
        greatest = _LIMITS.get(self.base_dtype.name)
        if greatest is None:
            raise ValueError(f'{self} does not have defined limits.')
        return 0, greatest

    def is_compatible_with(self, other):
        """Returns whether a value of type `other` can be used where this type is expected.

        A reference can be used as a value, but not the other way around.

        Args:
          other: anything that `tf.as_dtype` accepts.

        Raises:
          TypeError: if `other` is not a type.
        """
        other = as_dtype(other)
        return self._type_enum in (other._type_enum, other.base_dtype._type_enum)

    def is_subtype_of(self, other):
        """Returns whether this is the same type as `other`.

        Args:
          other: a DType.
        """
        return type(other) is DType and self == other

    def most_specific_common_supertype(self, types):
        """Returns this type if all `types` are equal to it, else None.

        Args:
          types: a sequence of DTypes.
        """
        return self if all(self == other for other in types) else None

    def __eq__(self, other):
        if type(other) is not DType:
            if other is None:
                return False
            try:
                other = as_dtype(other)
            except TypeError:
                return False
        return self._type_enum == other._type_enum

    def __hash__(self):
        return self._type_enum

    def __int__(self):
        return self._type_enum

    def __str__(self):
        return f"<dtype: '{self.name}'>"

    def __repr__(self):
        return f'tf.{self.name}'

    def __reduce__(self):
        return as_dtype, (self.name,)


def _make(enum, name, storage, size, kind, base=None):
    dtype = object.__new__(DType)
    values = {
        '_type_enum': enum,
        '_kind': kind,
        '_storage': np.object_ if kind == 's' and base else storage,
        '_is_ref_dtype': base is not None,
        'name': name,
        'as_datatype_enum': enum,
        'base_dtype': base or dtype,
        'size': size,
        'is_floating': kind == 'f',
        'is_integer': kind in 'iu',
        'is_unsigned': kind == 'u',
        'is_complex': kind == 'c',
        'is_bool': kind == 'b',
        'is_quantized': kind == 'q',
        'is_numpy_compatible': storage is not None,
    }
    for key, value in values.items():
        object.__setattr__(dtype, key, value)
    BY_ENUM[enum] = dtype
    return dtype


for _enum, _name, _storage, _size, _kind in _ROWS:
    _base = _make(_enum, _name, _storage, _size, _kind)
    _make(_enum + _REF, _name + '_ref', _storage, _size, _kind, _base)

float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool = BY_ENUM[1:11]
qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16 = BY_ENUM[11:20]
resource, variant, uint32, uint64 = BY_ENUM[20:24]
float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz = BY_ENUM[24:29]
int4, uint4, int2, uint2, float4_e2m1fn = BY_ENUM[29:34]
half, double = float16, float64
(
    float32_ref, float64_ref, int32_ref, uint8_ref, int16_ref, int8_ref, string_ref, complex64_ref,
    int64_ref, bool_ref, qint8_ref, quint8_ref, qint32_ref, bfloat16_ref, qint16_ref, quint16_ref,
    uint16_ref, complex128_ref, float16_ref, resource_ref, variant_ref, uint32_ref, uint64_ref,
) = BY_ENUM[101:124]  # fmt: skip
half_ref, double_ref = float16_ref, float64_ref

QUANTIZED_DTYPES = frozenset(d for d in BY_ENUM if d is not None and d.is_quantized)

_BY_KEY: dict = {d._type_enum: d for d in BY_ENUM if d is not None}
_BY_KEY.update({d.name: d for d in BY_ENUM if d is not None})
_BY_KEY.update({
    'half': float16, 'half_ref': float16_ref, 'float': float32, 'float_ref': float32_ref,
    'double': float64, 'double_ref': float64_ref,
    builtins.float: float32, builtins.bool: bool, builtins.object: string,
    np.object_: string, np.bytes_: string, np.str_: string,
})  # fmt: skip
for _dtype in BY_ENUM[1:24]:
    if isinstance(_dtype._storage, type):
        _BY_KEY[_dtype._storage] = _BY_KEY[np.dtype(_dtype._storage)] = _dtype


def _from_numpy(value):
    """Returns the DType of a numpy dtype or scalar type that the table does not list, or None."""
    if isinstance(value, type) and not issubclass(value, np.generic):
        return None
    dtype = np.dtype(value)
    if dtype.names is not None and len(dtype.names) == 1:
        candidate = _BY_KEY.get(dtype.names[0])
        stored = candidate.as_numpy_dtype if candidate and candidate.is_numpy_compatible else None
        return candidate if stored == dtype else None
    found = _BY_KEY.get(dtype.type)
    if found is None and dtype.kind in 'iufcV':
        found = _BY_KEY.get(dtype.name)
    return found


@export('as_dtype', 'dtypes.as_dtype')
def as_dtype(type_value):
    """Converts a value to a DType.

    Args:
      type_value: a DType, a DataType enum value, a name ('float32', 'float', 'float32_ref'), a numpy
        type or dtype, Python's float, bool or object, or an object with an attribute `dtype`.

    Returns:
      The DType.

    Raises:
      TypeError: if type_value does not denote a type.
    """
    if type(type_value) is DType:
        return type_value
    try:
        found = _BY_KEY.get(type_value)
        if found is None and isinstance(type_value, (np.dtype, type)):
            found = _from_numpy(type_value)
        elif found is None and hasattr(type_value, 'dtype'):
            found = as_dtype(type_value.dtype)
        if found is not None:
            return found
    except TypeError:
        found = getattr(type_value, 'dtype', None)
        if found is not None:
            return as_dtype(found)
    raise TypeError(
        f'Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.'
    )
